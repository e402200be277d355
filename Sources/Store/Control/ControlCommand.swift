import Measurement

/// What another process may ask of a collector.
public enum ControlCommand: Sendable, Hashable {
  /// Begin a run with the collector's own configuration.
  case start(name: String?)
  /// End the run that is being recorded; the collector stays.
  case stop
  /// `nil` takes the name away.
  case rename(RunID, name: String?)
  /// Everything recorded of a run goes.
  case delete(RunID)
}

extension ControlCommand {
  /// The longest name a run may have, in bytes of UTF-8.
  public static let longestName = 200

  /// Means the newest run wherever a run is named, so no run can be called that.
  public static let reservedName = "latest"

  /// Why a run cannot be called that; `nil` when it can.
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
    }
  }

  var run: RunID? {
    switch self {
    case .start, .stop: nil
    case .rename(let run, _), .delete(let run): run
    }
  }

  var name: String? {
    switch self {
    case .start(let name), .rename(_, let name): name
    case .stop, .delete: nil
    }
  }

  /// What a row says; `nil` when it makes no sense. Anybody with `sqlite3` may have written it.
  init?(word: String, run: String?, name: String?) {
    if Self.refusal(ofName: name, path: "") != nil { return nil }
    switch (word, run.flatMap { RunID($0) }) {
    case ("start", _): self = .start(name: name)
    case ("stop", _): self = .stop
    case ("rename", let run?): self = .rename(run, name: name)
    case ("delete", let run?): self = .delete(run)
    default: return nil
    }
  }
}

/// What came of a command.
public enum ControlOutcome: Sendable, Hashable {
  /// The collector has not come to it, or is at it.
  case waiting
  case done
  /// Why not: a sentence for people.
  case refused(String)
}

/// A row of the `control` table that nobody has answered yet.
public struct ControlRequest: Sendable, Equatable {
  public var row: Int64
  /// `nil` when the row makes no sense.
  public var command: ControlCommand?
}

/// A command that was submitted.
public struct ControlSubmission: Sendable, Hashable {
  /// Its row; `nil` when it was carried out at once.
  let row: Int64?
}
