import Measurement

/// A receipt; its sample's id says where it belongs.
public struct ReceiptRecord: Sendable, Equatable {
  public var revision: Int64
  public var receipt: Receipt
}
