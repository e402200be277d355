import Measurement

/// Notices that the wall clock was stepped or that the host slept, and renews the anchor that ties the clocks.
struct ClockMonitor: Sendable {
  /// How often the clocks are compared.
  static let interval = Duration.seconds(1)
  /// A smaller difference is the noise of reading two clocks.
  static let smallestStep: Int64 = 1000
  static let smallestSuspend = Duration.milliseconds(10)

  private(set) var anchor: ClockAnchor
  /// How long the host had slept since its boot when that was last noticed.
  private(set) var suspended: Duration
  private var next: MonotonicTime

  init(clock: any HostClock) {
    anchor = ClockAnchor(reading: clock)
    suspended = clock.suspendedTotal()
    next = anchor.monotonic + Self.interval
  }

  var nextDeadline: MonotonicTime { next }

  /// Compares the clocks if it is time to.
  /// - Returns: the events of what happened; with any, the anchor is a new one.
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
