import Foundation
import Measurement
import Store

/// A store in a directory of its own, which goes when the benchmark is done with it.
final class BenchmarkStore {
  let directory: String
  let path: String
  let store: CollectorStore
  let run: RunID
  let targets: [TargetID]
  private let clock: DrivenClock
  private let isKept: Bool
  /// µs between the plans of a target.
  private let interval: Int64

  /// - Parameters:
  ///   - interval: µs between the plans of a target.
  ///   - file: where to make the store, to be kept; `nil` for one that goes with the benchmark.
  init(
    durability: Durability, targets names: [String] = ["one"], interval: Int64 = 1_000, file: String? = nil
  ) throws {
    isKept = file != nil
    self.interval = interval
    directory = Self.parent + "/pushscope-benchmark-" + UUID().uuidString
    path = file ?? directory + "/store.sqlite"
    let clock = DrivenClock(wall: Self.start)
    self.clock = clock
    store = try CollectorStore.open(
      at: path, clock: clock, options: CollectorStoreOptions(bootID: "benchmark", durability: durability))
    var generator = SystemRandomNumberGenerator()
    run = RunID(at: clock.wallNow(), using: &generator)
    let registration = try store.beginRun(
      RunDescription(
        id: run, startedAt: clock.wallNow(), startedMonotonic: clock.monotonicNow(), bootID: "benchmark",
        targets: names.map {
          TargetDescription(name: $0, provider: "loopback", receiptDeadline: 30_000_000, askedRate: 1)
        }))
    targets = registration.targets.map(\.id)
  }

  deinit {
    store.close()
    if !isKept { try? FileManager.default.removeItem(atPath: directory) }
  }

  /// `PUSHSCOPE_BENCH_DIR` chooses the disk.
  static let parent =
    ProcessInfo.processInfo.environment["PUSHSCOPE_BENCH_DIR"] ?? FileManager.default.temporaryDirectory.path

  static let start = WallTime(microseconds: 1_772_366_400_000_000)

  func plannedAt(_ sequence: Int64) -> WallTime {
    Self.start.advanced(byMicroseconds: sequence * interval)
  }

  func plan(_ target: TargetID, _ sequence: Int64) -> Sample {
    Sample(
      id: SampleID(target: target, sequence: sequence), variant: .none, plannedAt: plannedAt(sequence),
      plannedMonotonic: 5_000_000_000 + sequence * interval)
  }

  /// The same figures that the peer writes.
  func delivered(_ target: TargetID, _ sequence: Int64) -> Sample {
    var sample = plan(target, sequence)
    sample.state = .delivered
    sample.status = 200
    sample.scheduleLag = 60 + sequence % 40
    sample.serviceTime = 1_200 + sequence % 999
    sample.acceptLatency = 60 + sequence % 40 + 1_200 + sequence % 999
    sample.deliveryLatency = 40_000 + sequence % 9_999
    sample.deliveryError = 0
    sample.timestampSource = .kernel
    sample.connection = ConnectionUse(
      id: 1, age: sequence % 100_000, isFresh: false, streamsInFlight: 1 + Int(sequence % 7))
    sample.attempt = 1
    sample.payloadBytes = 211
    sample.httpVersion = .http2
    return sample
  }

  /// Commits `count` rows of each target, `batch` a transaction: plans ahead, results of the batch before.
  /// - Parameter rollsUp: whether to roll up once in each second of planned time, as the collector does.
  func fill(_ count: Int, batch: Int, rollsUp: Bool = false) throws {
    var second = clock.wallNow().microseconds / 1_000_000
    for first in stride(from: 1, through: count + batch, by: batch) {
      clock.set(plannedAt(Int64(first)))
      if rollsUp, plannedAt(Int64(first)).microseconds / 1_000_000 != second {
        second = plannedAt(Int64(first)).microseconds / 1_000_000
        while try store.rollUp() {}
      }
      var work = WriteBatch(run: run)
      for target in targets {
        for sequence in first..<first + batch where sequence <= count {
          work.inserted.append(plan(target, Int64(sequence)))
        }
        for sequence in first - batch..<first where sequence >= 1 && sequence <= count {
          work.updated.append(delivered(target, Int64(sequence)))
        }
      }
      _ = try store.commit(work)
    }
  }
}
