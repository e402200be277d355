import Findings
import Measurement
import Store
import StoreTestKit
import TestKit

/// A store with a record of one target, planned from the full hour on that its run begins in.
struct SeriesStore {
  let fixture: StoreFixture
  /// When the first notification is planned.
  let start: WallTime

  init() throws {
    fixture = try StoreFixture(clock: SteppedHostClock(wall: WallTime(microseconds: 1_772_366_400_000_000)))
    start = fixture.clock.wallNow()
  }

  /// A notification, planned so many µs after ``start``.
  struct Event {
    var after: Int64
    var state = NotificationState.delivered
    var accept: Int64?
    var delivery: Int64?
    var error: Int64 = 0
    var reason: MissedReason?
  }

  /// Writes notifications of a target.
  func commit(_ events: [Event], of target: TargetID, from sequence: Int64 = 1) throws {
    for first in stride(from: 0, to: events.count, by: 5_000) {
      let part = events[first..<min(events.count, first + 5_000)].enumerated().map { index, event in
        sample(event, SampleID(target: target, sequence: sequence + Int64(first + index)))
      }
      try fixture.commit(inserted: part)
    }
  }

  private func sample(_ event: Event, _ id: SampleID) -> Sample {
    var sample = Sample(
      id: id, variant: .none, plannedAt: start.advanced(byMicroseconds: event.after),
      plannedMonotonic: event.after)
    sample.state = event.state
    sample.reason = event.reason?.rawValue
    guard event.state != .missed, event.state != .planned else { return sample }
    sample.scheduleLag = 50
    sample.attempt = 1
    sample.acceptLatency = event.accept
    sample.serviceTime = event.accept.map { max(0, $0 - 50) }
    sample.deliveryLatency = event.delivery
    sample.deliveryError = event.delivery.map { _ in event.error }
    return sample
  }

  /// Lets time pass and rolls up all that is old enough by then.
  func rollUp(after seconds: Int64) throws {
    fixture.clock.advance(by: .seconds(seconds))
    while try fixture.store.rollUp() {}
  }

  func time(_ seconds: Int64) -> WallTime { start.advanced(byMicroseconds: seconds * 1_000_000) }
}
