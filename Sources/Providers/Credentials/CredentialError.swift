/// Why a credential cannot be used: what is wrong with its content and what to do. It names neither the file, which
/// the caller knows, nor anything of the content.
public struct CredentialError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// Not the PEM, JSON or text that it should be.
    case malformed
    /// It begins well and then ends too early.
    case truncated
    /// A key of another kind or curve.
    case wrongKey
    /// Well-formed, with a part missing.
    case incomplete
    /// A part that no provider would take.
    case invalid
    /// Right once, and over.
    case expired
  }

  public let code: Code
  /// What is wrong, as the end of a sentence that begins with what the credential is for.
  public let message: String
  public let remedy: String

  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  public var description: String { "\(message); \(remedy)" }
}
