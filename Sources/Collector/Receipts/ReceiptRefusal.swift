/// A request, or some of its receipts, that never got to the sink.
public struct ReceiptRefusal: Sendable, Equatable {
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// The MAC is not the one for the id, or the id is none that a collector makes.
    case wrongMAC
    /// Not the JSON that is wanted, or too large.
    case malformed
    /// The source had sent too much of the above.
    case rateLimited
  }

  public var kind: Kind
  /// Receipts for `wrongMAC`, requests otherwise.
  public var count: Int
  /// The peer's address.
  public var source: String

  public init(_ kind: Kind, count: Int = 1, source: String) {
    self.kind = kind
    self.count = count
    self.source = source
  }
}
