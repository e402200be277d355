/// Who says that we may send.
public enum APNsAuthorization: Sendable, Hashable, CustomStringConvertible {
  /// A provider token in the `authorization` header, as ``APNsTokenSigner`` makes it.
  case bearer(String)
  /// The connection's TLS client certificate; no header.
  case certificate

  /// Without the token.
  public var description: String {
    switch self {
    case .bearer: "bearer (hidden)"
    case .certificate: "certificate"
    }
  }
}
