/// Why a run could not begin, with what to do.
public struct CollectorError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable, Equatable {
    /// `--target` names one that the configuration does not have.
    case unknownTarget
    /// A target waits for receipts, and nobody would hear them.
    case noReceiptListener
    /// The receipt listener's address or certificate cannot be used.
    case listener
    /// A target's certificate authorities or address cannot be used.
    case transport
    /// A credential cannot be made, or its issuer refuses to give one.
    case credentials
    /// A token endpoint or a subscription cannot be reached.
    case unreachable
    /// A service does not let its topic be listened to.
    case refused
    /// A target's schedule asks for more than its provider's documentation allows.
    case providerLimit
  }

  public var code: Code
  public var description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
