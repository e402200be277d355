import Measurement
import Store

/// How many of the rows looked at are in each state, and how far they came.
public struct StateTally: Sendable, Equatable {
  private var counts = [Int](repeating: 0, count: NotificationState.allCases.count)
  /// All of them.
  public private(set) var planned = 0
  /// Went onto the wire.
  public private(set) var sent = 0
  /// The provider accepted, whatever became of them after.
  public private(set) var acceptedByProvider = 0

  /// Those whose time has come: what shares are shares of.
  public var due: Int { planned - self[.planned] }

  public subscript(state: NotificationState) -> Int { counts[state.rawValue] }

  /// How many have failed because there was no connection to send them on: what came due and was neither sent nor missed.
  /// `nil` when some are interrupted, since it is not counted how many of those had been sent.
  public var failedBeforeSending: Int? {
    let unsent = max(0, planned - self[.planned] - sent - self[.missed])
    guard unsent == 0 || self[.interrupted] == 0 else { return nil }
    return min(self[.failed], unsent)
  }

  mutating func add(_ row: borrowing SampleRow) {
    counts[row.state.rawValue] += 1
    planned += 1
    if row.scheduleLag != nil { sent += 1 }
    if row.acceptLatency != nil { acceptedByProvider += 1 }
  }

  static func += (sum: inout Self, counts: StateCounts) {
    for state in NotificationState.allCases { sum.counts[state.rawValue] += counts[state] }
    sum.planned += counts.planned
    sum.sent += counts.sent
    sum.acceptedByProvider += counts.acceptedByProvider
  }

  static func += (sum: inout Self, other: Self) {
    for state in sum.counts.indices { sum.counts[state] += other.counts[state] }
    sum.planned += other.planned
    sum.sent += other.sent
    sum.acceptedByProvider += other.acceptedByProvider
  }
}
