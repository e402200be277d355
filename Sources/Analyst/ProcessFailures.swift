import Measurement

/// Whether the analyst's process fails again and again, whatever it works at. Values only; the supervisor drives it.
struct ProcessFailures: Sendable {
  /// It is unsteady that failed so often within this time.
  static let limit = 5
  static let period = Duration.minutes(10)

  private var failures: [MonotonicTime] = []
  /// The first of the failures that were too many; `nil` before, and once it has run for ``period`` without another.
  private(set) var since: MonotonicTime?
  var isUnsteady: Bool { since != nil }

  /// The process failed.
  /// - Returns: whether it is unsteady from now on and was not before.
  mutating func record(at now: MonotonicTime) -> Bool {
    failures = failures.filter { now - $0 < Self.period } + [now]
    guard !isUnsteady, failures.count >= Self.limit else { return false }
    since = failures.first
    return true
  }

  /// - Returns: whether it has run for long enough to be steady again.
  mutating func settle(at now: MonotonicTime) -> Bool {
    guard isUnsteady, let last = failures.last, now - last >= Self.period else { return false }
    self = ProcessFailures()
    return true
  }
}
