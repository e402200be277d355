import Measurement

/// Detects steps of the wall clock and suspends of the host, and renews the anchor that maps the clocks.
struct ClockMonitor: Sendable {
  /// How often the clocks are compared.
  static let interval = Duration.seconds(1)
  /// In µs. Smaller differences come from reading two clocks one after the other.
  static let smallestStep: Int64 = 1000
  static let smallestSuspend = Duration.milliseconds(10)

  private(set) var anchor: ClockAnchor
  /// How long the host had been suspended since its boot, as last noticed.
  private(set) var suspended: Duration
  private var next: MonotonicTime

  init(clock: any HostClock) {
    anchor = ClockAnchor(reading: clock)
    suspended = clock.suspendedTotal()
    next = anchor.monotonic + Self.interval
  }

  var nextDeadline: MonotonicTime { next }

  /// Compares the clocks if the interval has passed.
  /// - Returns: an event for each step and suspend; with any, the anchor is a new one.
  mutating func look(at clock: any HostClock) -> [Event] {
    let now = clock.monotonicNow()
    guard now >= next else { return [] }
    next = now + Self.interval
    let reading = ClockAnchor(reading: clock)
    var events: [Event] = []
    let asleep = clock.suspendedTotal() - suspended
    if asleep >= Self.smallestSuspend {
      suspended += asleep
      events.append(
        Event(
          at: reading.wall, kind: .suspended, detail: "the host slept for \(asleep.microseconds / 1000) ms"))
    }
    let step = anchor.step(to: reading) - (asleep >= Self.smallestSuspend ? asleep.microseconds : 0)
    if abs(step) >= Self.smallestStep {
      events.append(
        Event(at: reading.wall, kind: .clockStep, detail: "the wall clock was stepped by \(step) µs"))
    }
    if !events.isEmpty { anchor = reading }
    return events
  }
}
