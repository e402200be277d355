import Measurement

/// What the reader is to look at.
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
