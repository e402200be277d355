/// The alert with which a peer ends TLS (RFC 8446, section 6.2).
///
/// With TLS 1.3 the client's handshake is over before the server has looked at the client's certificate, or found that there is
/// none: such an alert comes where the answer to the first request is expected.
public struct TLSAlert: Sendable, Equatable {
  /// The alert's name in OpenSSL's words: `certificate required`.
  var name: String

  private static let maximumLength = 48

  init(name: String) { self.name = name }

  /// Reads a message of libcurl's, such as `OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required,
  /// errno 0`.
  /// - Returns: `nil` where it is about something else.
  public init?(in message: String) {
    guard message.contains("SSL routines"), let start = message.firstRange(of: " alert ") else { return nil }
    let name = message[start.upperBound...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == " ") }
    guard (1...Self.maximumLength).contains(name.count) else { return nil }
    self.name = String(name)
  }

  /// Whether the server asked for a client certificate and got none.
  var isCertificateRequired: Bool { name == "certificate required" }

  /// `the server ended the connection with the TLS alert "certificate required": it wants a client certificate`.
  public var words: String {
    "the server ended the connection with the TLS alert \(name.debugDescription)"
      + (isCertificateRequired ? ": it wants a client certificate" : "")
  }
}
