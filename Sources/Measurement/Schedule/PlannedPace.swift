/// How fast a schedule really went, from the instants it planned.
public struct PlannedPace: Sendable, Hashable {
  /// Monotonic µs of the first and the last instant that has come.
  public var first: Int64
  public var last: Int64
  /// How many notifications came due from the first instant to the last, and how many of them at the first one.
  public var due: Int
  public var dueAtFirst: Int

  public init(first: Int64, last: Int64, due: Int, dueAtFirst: Int) {
    self.first = first
    self.last = last
    self.due = due
    self.dueAtFirst = dueAtFirst
  }

  /// Per second: what came due after the first instant, over the time from there to the last; `nil` while there is but
  /// one instant.
  public var perSecond: Double? {
    guard last > first, due > dueAtFirst else { return nil }
    return Double(due - dueAtFirst) / (Double(last - first) * 1e-6)
  }
}
