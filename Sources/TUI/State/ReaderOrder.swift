import Measurement

/// What the reader is to read.
struct ReaderOrder: Sendable, Equatable {
  /// A second run beside the first.
  struct Second: Sendable, Equatable {
    var run: RunID
    var request: ReadRequest?
  }

  var subject = Subject()
  var request: ReadRequest?
  /// The list of all runs is on the screen.
  var wantsRuns = false
  /// Which parts of log and events.
  var lists = ListsPlace()
  var second: Second?
}

/// The notifications that the picture needs.
struct ReadRequest: Sendable, Equatable {
  /// The start of the window before, which the histogram draws as a ghost.
  var from: WallTime
  /// `nil` follows the newest.
  var to: WallTime?
  /// µs after which the same data look different, because the edge of time has moved by a column.
  var tick: Int64
  /// Where the window itself begins; `nil` when it is all that is asked for.
  var start: WallTime?
  /// What is read is shown as it was known at a moment of the past.
  var isReplay = false

  /// Where the window itself ends; `nil` when it is all that is asked for.
  var windowEnd: WallTime? {
    guard let start, from < start else { return nil }
    return start.advanced(byMicroseconds: start.microseconds - from.microseconds)
  }

  /// Where one window ends and another begins, up to and with `end`; ascending. All windows are as long as the one before.
  func edges(to end: WallTime) -> [WallTime] {
    guard let start, let windowEnd else { return [end] }
    return [start, windowEnd].filter { $0 < end } + [end]
  }
}

extension ReadRequest {
  /// The window and the one before.
  init(_ window: TimeWindow, to end: WallTime?, isReplay: Bool = false) {
    self.init(
      from: window.previous.start, to: end, tick: window.scale.columnDuration, start: window.start,
      isReplay: isReplay)
  }
}
