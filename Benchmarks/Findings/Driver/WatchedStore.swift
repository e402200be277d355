import Analysis
import Foundation
import Measurement
import Store
import Synchronization

/// A store that fills with one notification a second of each of many targets, and the search for changes in it. One in a
/// hundred waits ten seconds for a receipt that does not come, so that its target's search waits as well.
final class WatchedStore {
  private final class DrivenClock: HostClock {
    let wall = Mutex(WallTime(microseconds: 1_772_366_400_000_000))
    private let system = SystemClock()

    func monotonicNow() -> MonotonicTime { system.monotonicNow() }
    func wallNow() -> WallTime { wall.withLock { $0 } }
    func suspendedTotal() -> Duration { .zero }
  }

  let path: String
  private let directory: String
  private let clock = DrivenClock()
  private let store: CollectorStore
  private let run: RunID
  private let targets: [TargetID]
  private var engine = FindingEngine()
  private var random = SeededGenerator(seed: 7)
  private var second: Int64 = 0
  private var waiting: [(due: Int64, sample: Sample)] = []
  private static let start = WallTime(microseconds: 1_772_366_400_000_000)

  init(targets count: Int) throws {
    directory = FileManager.default.temporaryDirectory.path + "/pushscope-findings-" + UUID().uuidString
    path = directory + "/store.sqlite"
    store = try CollectorStore.open(
      at: path, clock: clock, options: CollectorStoreOptions(bootID: "benchmark"))
    run = RunID(at: Self.start, using: &random)
    let registration = try store.beginRun(
      RunDescription(
        id: run, startedAt: Self.start, startedMonotonic: clock.monotonicNow(), bootID: "benchmark",
        targets: (0..<count).map {
          TargetDescription(
            name: "target-\($0)", provider: "loopback", receiptDeadline: 10_000_000, askedRate: 1,
            endpoint: "https://127.0.0.1:1")
        }))
    targets = registration.targets.map(\.id)
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(atPath: directory)
  }

  var now: WallTime { Self.start.advanced(byMicroseconds: second * 1_000_000) }

  /// Bytes per series, of which each target has five.
  var memoryPerSeries: Double { Double(engine.memory) / Double(5 * targets.count) }

  /// Lets seconds pass, which are written in one transaction and rolled up when they are old enough.
  func pass(_ seconds: Int64, rollsUp: Bool = true) throws {
    var batch = WriteBatch(run: run)
    for _ in 0..<seconds {
      for (place, target) in targets.enumerated() {
        var sample = Sample(
          id: SampleID(target: target, sequence: second + 1), variant: .none,
          plannedAt: now.advanced(byMicroseconds: Int64(place) * 1_000_000 / Int64(targets.count)),
          plannedMonotonic: second * 1_000_000)
        let noise = 0.7 + 0.6 * random.unit()
        sample.scheduleLag = 60
        sample.serviceTime = Int64(20_000 * noise)
        sample.acceptLatency = Int64(20_000 * noise) + 60
        sample.attempt = 1
        sample.status = 200
        if random.unit() < 0.01 {
          sample.state = .accepted
          waiting.append((second + 10, sample))
        } else {
          sample.state = .delivered
          sample.deliveryLatency = Int64(180_000 * (0.7 + 0.6 * random.unit()))
          sample.deliveryError = 0
        }
        batch.inserted.append(sample)
      }
      second += 1
    }
    batch.inserted.sort { $0.id < $1.id }
    let due = waiting.filter { $0.due < second }
    waiting.removeAll { $0.due < second }
    // Those of this transaction are written as they are by its end.
    var known = Dictionary(uniqueKeysWithValues: batch.inserted.indices.map { (batch.inserted[$0].id, $0) })
    for (_, sample) in due {
      var sample = sample
      sample.state = .lost
      if let place = known.removeValue(forKey: sample.id) {
        batch.inserted[place] = sample
      } else {
        batch.updated.append(sample)
      }
    }
    batch.updated.sort { $0.id < $1.id }
    clock.wall.withLock { $0 = now }
    _ = try store.commit(batch)
    while rollsUp, try store.rollUp() {}
  }

  /// The search looks at what is complete, and saves it.
  /// - Returns: CPU seconds of this thread.
  @discardableResult
  func advance(_ reader: StoreReader) throws -> Double {
    let begin = Self.processorTime()
    var isMore = true
    while isMore {
      let step = try engine.advance(reader, to: now)
      try store.save(step.changes)
      isMore = step.isMore
    }
    return Self.processorTime() - begin
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
