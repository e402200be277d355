/// An HTTP request, free of any client's types.
///
/// Providers whose requests are all alike return the same arrays each time: the transport sees that the storage is
/// shared and sets nothing anew.
public struct PushRequest: Sendable, Hashable {
  public var method: String
  /// Absolute, `https` or `http`.
  public var url: String
  public var headers: [HeaderField]
  public var body: [UInt8]
  /// What in it is secret and cannot be told from its place: see ``RequestSecrets``.
  public var secrets: [String]

  public init(
    method: String = "POST", url: String, headers: [HeaderField] = [], body: [UInt8] = [],
    secrets: [String] = []
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.secrets = secrets
  }
}
