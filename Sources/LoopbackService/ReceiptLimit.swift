/// How many receipts somebody waits for, and what is done then.
public struct ReceiptLimit: Sendable {
  public var count: Int
  /// Called once, on the service's thread.
  public var action: @Sendable () -> Void

  public init(count: Int, action: @escaping @Sendable () -> Void) {
    self.count = count
    self.action = action
  }
}
