import Measurement

/// All problems of a file that cannot be used.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Kind of error, for exit codes.
  public enum Code: Sendable {
    /// The file does not exist.
    case missing
    /// The file cannot be read.
    case unreadable
    /// The file is not YAML.
    case syntax
    /// The file is YAML with invalid content.
    case invalid
  }

  public var code: Code
  /// The problems in file order; never empty.
  public var problems: [ConfigurationProblem]

  /// One line for each problem.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

extension ConfigurationError {
  init(code: Code, file: String, message: String, remedy: String) {
    let problem = ConfigurationProblem(
      place: FilePosition(file: EscapedText.make(file)), message: message, remedy: remedy)
    self.init(code: code, problems: [problem])
  }
}

/// One problem in a file: position, key, what is wrong and what to do.
public struct ConfigurationProblem: Sendable, Hashable, CustomStringConvertible {
  public var place: FilePosition
  /// Key path, like `targets[0].schedule.rate`; empty for the file as a whole.
  public var key = ""
  public var message: String
  public var remedy: String

  /// `file:line:column: key: what is wrong; what to do`.
  public var description: String {
    "\(place): \(key.isEmpty ? "" : key + ": ")\(message); \(remedy)"
  }
}

/// Position in a file, as compilers print it.
public struct FilePosition: Sendable, Hashable, CustomStringConvertible {
  /// Name of the file as the user gave it.
  public var file: String
  /// The line, counted from 1; `nil` for the file as a whole.
  public var line: Int?
  /// The column, counted from 1 in Unicode scalars.
  public var column: Int?

  /// `file:line:column`, as far as known.
  public var description: String {
    var text = file
    if let line { text += ":\(line)" }
    if line != nil, let column { text += ":\(column)" }
    return text
  }
}
