/// An HTTP request, independent of the client.
///
/// Providers with constant requests return the same arrays each time, so that the transport detects shared storage and
/// reuses its settings.
public struct PushRequest: Sendable, Hashable {
  public var method: String
  /// Absolute `https` or `http` URL.
  public var url: String
  public var headers: [HeaderField]
  public var body: [UInt8]
  /// Secrets that are not recognizable by their position: see ``RequestSecrets``.
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

/// A header line (RFC 9110, section 5).
public struct HeaderField: Sendable, Hashable {
  /// Lower case, as HTTP/2 requires.
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether the name is a token and the value has no control characters, which could start another header.
  public var isSendable: Bool {
    !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte)
      && value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }

  /// RFC 9110, section 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
