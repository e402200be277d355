import Foundation
import Measurement
import Store

/// Plays the collector: a store with a past, written to at a steady rate.
final class LiveStore {
  let path: String
  private let store: CollectorStore
  private let run: RunRegistration
  private let clock = SystemClock()
  private let start: ClockAnchor
  private var next: Int64 = 1
  private var random = SystemRandomNumberGenerator()

  /// So many a second that about ten thousand are in view with the scale that the dashboard chooses.
  static let rate = 190.0

  /// Begins a run that has been going on for a minute.
  init(_ path: String) throws {
    self.path = path
    store = try CollectorStore.open(
      at: path, clock: clock, options: CollectorStoreOptions(bootID: Self.bootID))
    let now = ClockAnchor(reading: clock)
    start = ClockAnchor(
      monotonic: now.monotonic - .seconds(60), wall: now.wall.advanced(byMicroseconds: -60_000_000))
    run = try store.beginRun(Self.description(start, rate: Self.rate, bootID: Self.bootID, &random))
    try write()
  }

  /// What has become due since the last time: planned, sent, answered and delivered in one go.
  func write() throws {
    var samples: [Sample] = []
    let now = clock.monotonicNow().microseconds - start.monotonic.microseconds
    while Double(next) / Self.rate * 1e6 < Double(now) {
      samples.append(Self.sample(run, next, at: Int64(Double(next) / Self.rate * 1e6), start, &random))
      next += 1
    }
    _ = try store.commit(WriteBatch(run: run.run, inserted: samples))
  }

  func end() throws {
    try store.endRun(run.run, at: clock.wallNow(), reason: .completed)
    store.close()
  }

  /// A store with one run that is over.
  static func fillEnded(_ path: String, rows: Int) throws {
    let clock = SystemClock()
    var random = SystemRandomNumberGenerator()
    let store = try CollectorStore.open(
      at: path, clock: clock, options: CollectorStoreOptions(bootID: "past"))
    defer { store.close() }
    let span = Int64(rows) * 10_000
    let start = ClockAnchor(monotonic: .zero, wall: clock.wallNow().advanced(byMicroseconds: -span))
    let run = try store.beginRun(description(start, rate: 100, bootID: "past", &random))
    for first in stride(from: 1, through: Int64(rows), by: 5_000) {
      let samples = (first..<min(first + 5_000, Int64(rows) + 1)).map { sequence in
        sample(run, sequence, at: sequence * 10_000, start, &random)
      }
      _ = try store.commit(WriteBatch(run: run.run, inserted: samples))
    }
    try store.endRun(run.run, at: clock.wallNow(), reason: .completed)
    // As a collector does meanwhile.
    while try store.rollUp() {}
  }

  private static var bootID: String {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
  }

  private static func description(
    _ start: ClockAnchor, rate: Double, bootID: String, _ random: inout SystemRandomNumberGenerator
  ) -> RunDescription {
    RunDescription(
      id: RunID(at: start.wall, using: &random), startedAt: start.wall, startedMonotonic: start.monotonic,
      bootID: bootID,
      targets: [
        TargetDescription(
          name: "loopback", provider: "loopback", receiptDeadline: 30_000_000, askedRate: rate)
      ])
  }

  private static func sample(
    _ run: RunRegistration, _ sequence: Int64, at offset: Int64, _ start: ClockAnchor,
    _ random: inout SystemRandomNumberGenerator
  ) -> Sample {
    var sample = Sample(
      id: SampleID(target: run.targets[0].id, sequence: sequence),
      variant: run.targets[0].variants.first ?? .none,
      plannedAt: start.wall.advanced(byMicroseconds: offset),
      plannedMonotonic: start.monotonic.microseconds + offset)
    sample.attempt = 1
    sample.scheduleLag = 40
    sample.serviceTime = .random(in: 3_000..<5_000, using: &random)
    sample.acceptLatency = 40 + (sample.serviceTime ?? 0)
    sample.state = Int.random(in: 0..<100, using: &random) == 0 ? .lost : .delivered
    if sample.state == .delivered {
      // Sums of a few uniform numbers on a logarithmic scale: a cloud as services make it.
      let spread = (0..<6).reduce(0.0) { sum, _ in sum + Double.random(in: -0.6..<0.6, using: &random) }
      sample.deliveryLatency = Int64(180_000 * exp(spread * 0.6))
      sample.deliveryError = 0
    }
    return sample
  }
}
