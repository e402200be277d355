import Measurement

/// Tells how far a long export has come: nothing in the first second, then a line a second.
public struct ExportProgress {
  private static let period = Duration.seconds(1)

  private let clock: any HostClock
  private let tell: (String) -> Void
  private var next: MonotonicTime
  private var hasTold = false

  /// - Parameter tell: takes a line without its end.
  public init(clock: any HostClock, tell: @escaping (String) -> Void) {
    self.clock = clock
    self.tell = tell
    next = clock.monotonicNow() + Self.period
  }

  public mutating func update(rows: Int64) {
    let now = clock.monotonicNow()
    guard now >= next else { return }
    next = now + Self.period
    hasTold = true
    tell("\(CountText.text(rows, "row")) so far")
  }

  /// The last word, when there was a word before.
  public func finish(rows: Int64) {
    if hasTold { tell(CountText.text(rows, "row")) }
  }
}
