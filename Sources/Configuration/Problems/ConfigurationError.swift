import Measurement

/// A file that cannot be used, with all that is wrong with it.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of trouble, for exit codes.
  public enum Code: Sendable {
    /// There is no such file.
    case missing
    /// It is there but cannot be read.
    case unreadable
    /// It is not YAML.
    case syntax
    /// It is YAML but asks for something wrong.
    case invalid
  }

  public var code: Code
  /// Never empty; in the order of the file.
  public var problems: [ConfigurationProblem]

  public init(code: Code, problems: [ConfigurationProblem]) {
    self.code = code
    self.problems = problems
  }

  init(code: Code, file: String, message: String, remedy: String) {
    let problem = ConfigurationProblem(
      place: FilePosition(file: EscapedText.make(file)), message: message, remedy: remedy)
    self.init(code: code, problems: [problem])
  }

  /// One line a problem.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}
