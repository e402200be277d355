/// Why a TLS handshake of a client with a listener failed: the alert that the client sent (RFC 8446, section 6), or what
/// happened instead. The raw value is its name in metrics, events and the log.
public enum HandshakeFailure: String, Sendable, Hashable, CaseIterable {
  case unexpectedMessage = "unexpected_message"
  case badRecordMAC = "bad_record_mac"
  case recordOverflow = "record_overflow"
  case handshakeFailure = "handshake_failure"
  case badCertificate = "bad_certificate"
  case unsupportedCertificate = "unsupported_certificate"
  case certificateRevoked = "certificate_revoked"
  case certificateExpired = "certificate_expired"
  case certificateUnknown = "certificate_unknown"
  case illegalParameter = "illegal_parameter"
  case unknownCA = "unknown_ca"
  case accessDenied = "access_denied"
  case decodeError = "decode_error"
  case decryptError = "decrypt_error"
  case protocolVersion = "protocol_version"
  case insufficientSecurity = "insufficient_security"
  case internalError = "internal_error"
  case inappropriateFallback = "inappropriate_fallback"
  case userCanceled = "user_canceled"
  case missingExtension = "missing_extension"
  case unsupportedExtension = "unsupported_extension"
  case unrecognizedName = "unrecognized_name"
  case badCertificateStatusResponse = "bad_certificate_status_response"
  case certificateRequired = "certificate_required"
  case noApplicationProtocol = "no_application_protocol"
  /// An alert without a name here.
  case otherAlert = "other_alert"
  /// The client ended the connection without an alert, as some do that do not trust the certificate.
  case closed
  /// The handshake was not complete in time.
  case timeout
  /// What the client sent is not TLS.
  case notTLS = "not_tls"
  /// The listener refused what the client offered: versions, ciphers, or messages that break the protocol.
  case refused

  /// - Parameter alert: the code of an alert that the client sent.
  public init(alert: Int) { self = Self.byAlert[alert] ?? .otherAlert }

  private static let byAlert: [Int: HandshakeFailure] = [
    10: .unexpectedMessage, 20: .badRecordMAC, 22: .recordOverflow, 40: .handshakeFailure,
    42: .badCertificate,
    43: .unsupportedCertificate, 44: .certificateRevoked, 45: .certificateExpired, 46: .certificateUnknown,
    47: .illegalParameter, 48: .unknownCA, 49: .accessDenied, 50: .decodeError, 51: .decryptError,
    70: .protocolVersion, 71: .insufficientSecurity, 80: .internalError, 86: .inappropriateFallback,
    90: .userCanceled, 109: .missingExtension, 110: .unsupportedExtension, 112: .unrecognizedName,
    113: .badCertificateStatusResponse, 116: .certificateRequired, 120: .noApplicationProtocol,
  ]

  /// Whether the client said that it does not accept the listener's certificate.
  public var isAboutCertificate: Bool {
    switch self {
    case .badCertificate, .unsupportedCertificate, .certificateRevoked, .certificateExpired,
      .certificateUnknown, .unknownCA, .badCertificateStatusResponse:
      true
    default: false
    }
  }
}
