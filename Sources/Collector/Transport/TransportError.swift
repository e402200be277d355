import Measurement

/// Why sending cannot begin.
public struct TransportError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// The target's URL, a header, the timeout or the CA file cannot be used.
    case unusableTarget
    /// The system gave no descriptor, thread or libcurl handle.
    case system
  }

  public var code: Code
  public var target: TargetID?
  public var message: String

  init(_ code: Code, target: TargetID? = nil, _ message: String) {
    self.code = code
    self.target = target
    self.message = message
  }

  public var description: String { message }
}
