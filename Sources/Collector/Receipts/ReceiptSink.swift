/// Where the listener's receipts go: the recorder.
public protocol ReceiptSink: Sendable {
  /// Takes receipts whose MAC was right, 1 to 100 of them. `reply` is to be called once, from any thread, when they
  /// are stored: the device is told 202 only then, and posts again what was not answered.
  func receive(_ receipts: [ArrivedReceipt], reply: @escaping @Sendable (ReceiptOutcome) -> Void)

  /// Hears of what was turned away, so that it can be counted; called for every request of the kind.
  func refused(_ refusal: ReceiptRefusal)
}

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
