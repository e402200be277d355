/// Why the content of a credential cannot be used. It contains neither the file's name, which the caller adds, nor any
/// content.
public struct CredentialError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// Not valid PEM, JSON or text.
    case malformed
    /// Incomplete PEM or JSON.
    case truncated
    /// A key of another type or curve.
    case wrongKey
    /// A required field is missing.
    case incomplete
    /// A field has a value that no provider accepts.
    case invalid
    /// No longer valid.
    case expired
  }

  public let code: Code
  /// What is wrong: a predicate whose subject is the credential.
  public let message: String
  public let remedy: String

  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  public var description: String { "\(message); \(remedy)" }
}
