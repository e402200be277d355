/// Why there is no session, and what people can do.
public struct TerminalError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// Standard input or output is a file or a pipe.
    case notATerminal
    /// TERM names something that cannot place its cursor, or nothing.
    case unsuitableTerminal
    /// terminfo knows neither the terminal nor a common one.
    case unknownTerminal
    /// The system refused something.
    case system(errno: Int32)
  }

  public let code: Code
  /// What is wrong and where: one line without a full stop.
  public let message: String
  /// What to do: one line.
  public let remedy: String

  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// `standard output is not a terminal; run it in a terminal window`
  public var description: String { "\(message); \(remedy)" }

  /// Two errors are the same when their codes are.
  public static func == (left: TerminalError, right: TerminalError) -> Bool { left.code == right.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
