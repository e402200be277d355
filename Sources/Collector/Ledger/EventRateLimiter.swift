import Measurement

/// Keeps a flood of like events from becoming a flood of rows.
///
/// Within each second the first few events of a target and kind are passed on as they are, with their sequence
/// number; the rest are counted and come out as one row with the count when the second is over. A window of a minute is
/// for what has no notification's row beside it: connections, of which a peer may end one for each request, and what devices
/// tell of their clocks, under whatever names. Kinds that strangers can cause (forged, malformed and unknown receipts) are
/// counted for a minute too, the first one included.
struct EventRateLimiter: Sendable {
  /// How many events of one target and kind a window passes on one by one.
  static let passedPerWindow = 10
  static let shortWindow = Duration.seconds(1)
  static let longWindow = Duration.seconds(60)

  private struct Key: Hashable {
    var target: TargetID?
    var kind: EventKind
  }

  private struct Window {
    var end: MonotonicTime
    var passed = 0
    var held = 0
    var last: Event
  }

  private var windows: [Key: Window] = [:]

  init() {}

  /// When the next held count is due to be written, if any is held.
  var nextDeadline: MonotonicTime? {
    windows.values.lazy.filter { $0.held > 0 }.map(\.end).min()
  }

  /// Takes an event; what is to be written now goes to `output`.
  mutating func add(_ event: Event, at now: MonotonicTime, to output: inout [Event]) {
    flush(at: now, to: &output)
    let key = Key(target: event.target, kind: event.kind)
    let isStrangers = [.forgedReceipt, .malformedReceipt, .unknownReceipt].contains(event.kind)
    var window = windows[key] ?? Window(end: now + Self.window(of: event.kind), last: event)
    if !isStrangers, window.held == 0, window.passed < Self.passedPerWindow {
      window.passed += 1
      output.append(event)
    } else {
      window.held += event.count
      window.last = event
    }
    windows[key] = window
  }

  private static func window(of kind: EventKind) -> Duration {
    switch kind {
    case .connected, .disconnected, .goaway, .streamLimitChanged, .clockOffset, .clockStep, .forgedReceipt,
      .malformedReceipt, .unknownReceipt:
      longWindow
    default: shortWindow
    }
  }

  /// Writes the counts of windows that are over.
  mutating func flush(at now: MonotonicTime, to output: inout [Event]) {
    guard windows.values.contains(where: { $0.end <= now }) else { return }
    finish(where: { $0.end <= now }, to: &output)
  }

  /// Writes every held count, as at the end of a run.
  mutating func finish(to output: inout [Event]) {
    finish(where: { _ in true }, to: &output)
  }

  private mutating func finish(where isOver: (Window) -> Bool, to output: inout [Event]) {
    let over = windows.filter { isOver($0.value) }
    for window in over.values.sorted(by: { $0.last.at < $1.last.at }) where window.held > 0 {
      var event = window.last
      event.count = window.held
      if window.held > 1 {
        event.sequence = nil
        event.connectionID = nil
      }
      output.append(event)
    }
    for key in over.keys { windows[key] = nil }
  }
}
