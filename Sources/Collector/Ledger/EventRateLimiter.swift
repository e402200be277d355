import Measurement

/// Limits the event rows of one target and kind.
///
/// In each window the first few events are written as they are, with their sequence numbers; the rest are counted and written
/// as one row when the window ends. The window is a second for events of notifications. It is a minute for connections, of which
/// a peer may end one per request, for device clocks, whose names are arbitrary, and for receipts out of order or twice, which
/// at a usual rate can be every second one: the notification's row says it, too. Forged, malformed and unknown receipts,
/// which anybody can send, are only counted, in windows of a minute, and so are those for notifications that retention has
/// deleted. Failed handshakes are, too, each kind of failure by itself.
struct EventRateLimiter: Sendable {
  /// Events of one target and kind that a window writes one by one.
  static let passedPerWindow = 10
  static let shortWindow = Duration.seconds(1)
  static let longWindow = Duration.seconds(60)

  private struct Key: Hashable {
    var target: TargetID?
    var kind: EventKind
    var failure: HandshakeFailure?
  }

  private struct Window {
    var end: MonotonicTime
    var passed = 0
    var held = 0
    var last: Event
  }

  private var windows: [Key: Window] = [:]

  /// When the next held count is due.
  var nextDeadline: MonotonicTime? {
    windows.values.lazy.filter { $0.held > 0 }.map(\.end).min()
  }

  /// Counts an event; appends to `output` what is to be written now.
  /// - Parameter failure: what failed handshakes are counted by.
  mutating func add(
    _ event: Event, by failure: HandshakeFailure? = nil, at now: MonotonicTime, to output: inout [Event]
  ) {
    flush(at: now, to: &output)
    let key = Key(target: event.target, kind: event.kind, failure: failure)
    let isOnlyCounted = Self.onlyCounted.contains(event.kind)
    var window = windows[key] ?? Window(end: now + Self.window(of: event.kind), last: event)
    if !isOnlyCounted, window.held == 0, window.passed < Self.passedPerWindow {
      window.passed += 1
      output.append(event)
    } else {
      window.held += event.count
      window.last = event
    }
    windows[key] = window
  }

  private static let onlyCounted: Set<EventKind> = [
    .forgedReceipt, .malformedReceipt, .unknownReceipt, .pruned, .handshakeFailed,
  ]

  private static func window(of kind: EventKind) -> Duration {
    switch kind {
    case .connected, .disconnected, .goaway, .streamLimitChanged, .clockOffset, .clockStep, .outOfOrder,
      .duplicate, .forgedReceipt, .malformedReceipt, .unknownReceipt, .pruned, .handshakeFailed:
      longWindow
    default: shortWindow
    }
  }

  /// Writes the counts of windows that have ended.
  mutating func flush(at now: MonotonicTime, to output: inout [Event]) {
    guard windows.values.contains(where: { $0.end <= now }) else { return }
    finish(where: { $0.end <= now }, to: &output)
  }

  /// Writes every held count, as at the end of a run.
  mutating func finish(to output: inout [Event]) {
    finish(where: { _ in true }, to: &output)
  }

  private mutating func finish(where hasEnded: (Window) -> Bool, to output: inout [Event]) {
    let ended = windows.filter { hasEnded($0.value) }
    for window in ended.values.sorted(by: { $0.last.at < $1.last.at }) where window.held > 0 {
      var event = window.last
      event.count = window.held
      if window.held > 1 {
        event.sequence = nil
        event.connectionID = nil
      }
      output.append(event)
    }
    for key in ended.keys { windows[key] = nil }
  }
}
