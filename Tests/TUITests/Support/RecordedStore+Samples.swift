import Measurement
import Store
import StoreTestKit
import TestKit

@testable import TUI

extension RecordedStore {
  /// Begins at 2025-06-15T14:02:00Z.
  convenience init() throws {
    try self.init(clock: SteppedHostClock(wall: WallTime(microseconds: 1_749_996_120_000_000)))
  }

  /// Begins a run at the clock's time.
  @discardableResult
  func begin(targets: [String] = ["loopback"], rate: Double = 4, deadline: Int64? = 30_000_000) throws
    -> RunID
  {
    try begin(
      targets.map {
        TargetDescription(name: $0, provider: "loopback", receiptDeadline: deadline, askedRate: rate)
      }
    ).run
  }

  /// A planned sample of a target, its time counted in ms from the run's start.
  func sample(_ sequence: Int64, target: Int = 0, at milliseconds: Int64 = 0) -> Sample {
    let registered = run?.targets[target]
    return Sample(
      id: SampleID(target: registered?.id ?? TargetID(rawValue: 0), sequence: sequence),
      variant: registered?.variants.first ?? .none,
      plannedAt: start.wall.advanced(byMicroseconds: milliseconds * 1_000),
      plannedMonotonic: start.monotonic.microseconds + milliseconds * 1_000)
  }

  /// The same, sent and delivered.
  func delivered(
    _ sequence: Int64, target: Int = 0, at milliseconds: Int64 = 0, after latency: Int64 = 200_000
  )
    -> Sample
  {
    var sample = sample(sequence, target: target, at: milliseconds)
    sample.state = .delivered
    sample.attempt = 1
    sample.scheduleLag = 40
    sample.serviceTime = 3_960
    sample.acceptLatency = 4_000
    sample.deliveryLatency = latency
    sample.deliveryError = 0
    return sample
  }

  /// Commits, long enough after the last time that a reader looks at everything.
  func commit(inserted: [Sample] = [], updated: [Sample] = [], events: [Event] = [], log: [LogLine] = [])
    throws
  {
    clock.advance(by: StoreFollower.runInterval)
    try write(
      WriteBatch(run: run?.run, inserted: inserted, updated: updated, events: events, log: log))
  }

  func end(_ reason: RunEndReason = .completed) throws {
    guard let run else { return }
    clock.advance(by: StoreFollower.runInterval)
    try end(run.run, at: clock.wallNow(), reason: reason)
  }
}
