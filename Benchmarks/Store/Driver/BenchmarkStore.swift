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

  init(durability: Durability, targets names: [String] = ["one"]) throws {
    directory = Self.parent + "/pushscope-benchmark-" + UUID().uuidString
    path = directory + "/store.sqlite"
    let clock = SystemClock()
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
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// `PUSHSCOPE_BENCH_DIR` chooses the disk.
  static let parent =
    ProcessInfo.processInfo.environment["PUSHSCOPE_BENCH_DIR"] ?? FileManager.default.temporaryDirectory.path

  static func plan(_ target: TargetID, _ sequence: Int64) -> Sample {
    Sample(
      id: SampleID(target: target, sequence: sequence), variant: .none,
      plannedAt: WallTime(microseconds: 1_772_366_400_000_000 + sequence * 1_000),
      plannedMonotonic: 5_000_000_000 + sequence * 1_000)
  }

  /// The same figures that the peer writes.
  static func delivered(_ target: TargetID, _ sequence: Int64) -> Sample {
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
  func fill(_ count: Int, batch: Int) throws {
    for first in stride(from: 1, through: count + batch, by: batch) {
      var work = WriteBatch(run: run)
      for target in targets {
        for sequence in first..<first + batch where sequence <= count {
          work.inserted.append(Self.plan(target, Int64(sequence)))
        }
        for sequence in first - batch..<first where sequence >= 1 && sequence <= count {
          work.updated.append(Self.delivered(target, Int64(sequence)))
        }
      }
      _ = try store.commit(work)
    }
  }
}
