import Measurement

/// Who starts and stops runs when another process asks for it.
protocol RunControl: Sendable {
  /// The run that is being recorded, once it sends; `nil` when none does.
  var currentRun: RunID? { get }

  /// Begins a run, if none is recorded.
  /// - Parameter row: the command's, to be answered when the run has begun, or cannot.
  func requestStart(name: String?, row: Int64) -> ControlReply

  /// Ends the run that is recorded, if one is.
  /// - Parameter row: the command's, to be answered when the run is closed.
  func requestStop(row: Int64) -> ControlReply
}

/// What becomes of a command.
enum ControlReply: Sendable, Equatable {
  /// It will be answered by whoever was asked.
  case taken
  /// Not just now: ask again soon.
  case later
  /// Why not: a sentence for people.
  case refused(String)
}
