import Measurement

/// How many notifications are in each state. They add up to ``planned``: nothing is dropped from the denominator.
public struct StateCounts: Sendable, Equatable {
  private var counts: [Int]
  /// How many went onto the wire.
  public internal(set) var sent: Int
  /// How many the provider accepted, whatever became of them after.
  public internal(set) var acceptedByProvider: Int

  public init() {
    counts = Array(repeating: 0, count: NotificationState.allCases.count)
    sent = 0
    acceptedByProvider = 0
  }

  public internal(set) subscript(state: NotificationState) -> Int {
    get { counts[state.rawValue] }
    set { counts[state.rawValue] = newValue }
  }

  /// All there are, whatever their state.
  public var planned: Int { counts.reduce(0, +) }

  /// Those whose end is not known yet.
  public var open: Int { self[.planned] + self[.inFlight] }

  /// How many have failed because there was no connection to send them on: what came due and was neither sent nor missed.
  /// `nil` when some are interrupted, since it is not counted how many of those had been sent.
  public var failedBeforeSending: Int? {
    let unsent = max(0, planned - self[.planned] - sent - self[.missed])
    guard unsent == 0 || self[.interrupted] == 0 else { return nil }
    return min(self[.failed], unsent)
  }

  public static func += (sum: inout Self, other: Self) {
    for state in NotificationState.allCases { sum[state] += other[state] }
    sum.sent += other.sent
    sum.acceptedByProvider += other.acceptedByProvider
  }

  public static func + (a: Self, b: Self) -> Self {
    var sum = a
    sum += b
    return sum
  }

  /// Counts a notification in, or with -1 out.
  mutating func add(_ standing: SampleStateFlags, _ count: Int = 1) {
    self[standing.state] += count
    if standing.isSent { sent += count }
    if standing.isAccepted { acceptedByProvider += count }
  }
}
