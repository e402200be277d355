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
  }

  public var code: Code
  public var description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
