import Measurement

/// A command for a collector.
public enum ControlCommand: Sendable, Hashable {
  /// Begin a run with the collector's own configuration.
  case start(name: String?)
  /// End the run that is being recorded; the collector stays.
  case stop
  /// `nil` removes the name.
  case rename(RunID, name: String?)
  /// Deletes a run and all of its rows.
  case delete(RunID)
  /// Hides a finding from lists, counts and alerts, or shows it again.
  case hide(finding: String)
  case unhide(finding: String)
  /// Writes an event of kind `annotation`.
  case annotate(Annotation)
  /// Deletes the notifications planned before an instant, in whole hours; done when it has begun.
  case prune(before: WallTime)
  /// Concerns a device that joins by an invitation.
  case device(DeviceCommand)
}

extension ControlCommand {
  /// The longest name a run may have, in bytes of UTF-8.
  public static let longestName = 200

  /// An alias of the newest run in commands, so it cannot be a run's name.
  public static let reservedName = "latest"

  /// The error for an invalid name; `nil` for a valid one.
  static func refusal(ofName name: String?, path: String) -> StoreError? {
    guard let name else { return nil }
    if name == reservedName { return StoreError.reservedName(path) }
    return name.utf8.count > longestName ? StoreError.nameTooLong(name, path: path) : nil
  }

  /// The `command` of the table.
  var word: String {
    switch self {
    case .start: "start"
    case .stop: "stop"
    case .rename: "rename"
    case .delete: "delete"
    case .hide: "hide"
    case .unhide: "unhide"
    case .annotate: "annotate"
    case .prune: "prune"
    case .device(let command): command.word
    }
  }

  var run: RunID? {
    switch self {
    case .start, .stop, .hide, .unhide, .prune, .device: nil
    case .rename(let run, _), .delete(let run): run
    case .annotate(let annotation): annotation.run
    }
  }

  /// The `name` of the table: a run's, a finding's id, what an annotation or a device's command consists of, or µs since 1970.
  var name: String? {
    switch self {
    case .start(let name), .rename(_, let name): name
    case .hide(let finding), .unhide(let finding): finding
    case .stop, .delete: nil
    case .annotate(let annotation): annotation.row
    case .prune(let time): "\(time.microseconds)"
    case .device(let command): command.row
    }
  }

  /// The error for an invalid name of a run; `nil` for a valid command.
  func refusal(path: String) -> StoreError? {
    switch self {
    case .start(let name), .rename(_, let name): Self.refusal(ofName: name, path: path)
    case .stop, .delete, .annotate, .hide, .unhide, .prune, .device: nil
    }
  }

  /// The id of the finding that it is about.
  var finding: String? {
    switch self {
    case .hide(let finding), .unhide(let finding): finding
    default: nil
    }
  }

  /// Parses a row; `nil` if it is invalid. Rows may come from other programs.
  init?(word: String, run: String?, name: String?) {
    let id = run.flatMap { RunID($0) }
    if word == "annotate" {
      guard run == nil || id != nil, let annotation = name.flatMap({ Annotation(row: $0, run: id) }) else {
        return nil
      }
      self = .annotate(annotation)
      return
    }
    if DeviceCommand.words.contains(word) {
      guard run == nil, let command = name.flatMap({ DeviceCommand(word: word, row: $0) }) else { return nil }
      self = .device(command)
      return
    }
    if Self.refusal(ofName: name, path: "") != nil { return nil }
    switch (word, id) {
    case ("start", _): self = .start(name: name)
    case ("stop", _): self = .stop
    case ("rename", let run?): self = .rename(run, name: name)
    case ("delete", let run?): self = .delete(run)
    case ("hide", _):
      guard let name else { return nil }
      self = .hide(finding: name)
    case ("unhide", _):
      guard let name else { return nil }
      self = .unhide(finding: name)
    case ("prune", _):
      guard let time = name.flatMap({ Int64($0) }) else { return nil }
      self = .prune(before: WallTime(microseconds: time))
    default: return nil
    }
  }
}

/// The outcome of a command.
public enum ControlOutcome: Sendable, Hashable {
  /// The collector has not finished it.
  case waiting
  case done
  /// The reason, for display.
  case refused(String)
}

/// A row of the `control` table that is not answered yet.
public struct ControlRequest: Sendable, Equatable {
  public var row: Int64
  /// `nil` if the row is invalid.
  public var command: ControlCommand?
}

/// A submitted command.
public struct ControlSubmission: Sendable, Hashable {
  /// Its row; `nil` if it was carried out immediately.
  let row: Int64?
}
