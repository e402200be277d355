import Formats

/// A report that cannot be made as asked.
public struct ReportError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable {
    case noSuchRun, ambiguousRun, noSuchTarget
    /// Rows were read whose target is gone: the run was deleted meanwhile.
    case runVanished
  }

  public let code: Code
  public let message: String
  public let remedy: String

  init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = VisibleText.make(message)
    self.remedy = VisibleText.make(remedy)
  }

  public var description: String { "\(message); \(remedy)" }
}
