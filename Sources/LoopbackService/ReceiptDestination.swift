import Configuration

/// A collector's receipt listener.
public struct ReceiptDestination: Sendable, Hashable {
  /// Like `https://127.0.0.1:8443/v1/receipts`; an empty path means `/v1/receipts`.
  public var endpoint: Endpoint
  /// What the listener's certificate is checked against; `nil`: the system's authorities. Read at every connect, so
  /// that it may come to be after the service has started.
  public var authorityFile: String?

  public init(endpoint: Endpoint, authorityFile: String?) {
    self.endpoint = endpoint
    self.authorityFile = authorityFile
  }
}
