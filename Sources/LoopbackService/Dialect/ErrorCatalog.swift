import Configuration

/// Error reasons of a dialect. The first one of a kind translates other dialects' reasons of that kind.
struct ErrorCatalog: Sendable {
  let reasons: [ErrorReason]

  init(_ reasons: [ErrorReason]) { self.reasons = reasons }

  /// Status by reason.
  var statuses: [String: Int] {
    Dictionary(reasons.map { ($0.text, $0.status) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(text: String) -> ErrorReason? { reasons.first { $0.text == text } }

  subscript(kind: ErrorKind) -> ErrorReason? { reasons.first { $0.kind == kind } }

  /// Translates a scenario's error: a reason of this dialect is kept, one of another dialect is replaced by that of the
  /// same kind, and an unknown one is kept.
  func translate(_ error: ErrorAnswer) -> ErrorReason {
    if let own = self[error.reason] { return ErrorReason(own.text, error.status, own.kind) }
    let foreign = ErrorCatalog.all.lazy.compactMap { $0[error.reason] }.first { $0.status == error.status }
    guard let kind = foreign?.kind ?? ErrorKind(status: error.status), let own = self[kind] else {
      return ErrorReason(error.reason, error.status)
    }
    return own
  }

  static let all = [apns, fcm, webPush, ntfy]
}

/// An error reason of a service.
struct ErrorReason: Sendable {
  var text: String
  var status: Int
  var kind: ErrorKind

  init(_ text: String, _ status: Int, _ kind: ErrorKind? = nil) {
    self.text = text
    self.status = status
    self.kind = kind ?? ErrorKind(status: status) ?? .malformed
  }
}

/// Meaning of an error, common to all dialects.
enum ErrorKind: Sendable, Hashable {
  case malformed, untrusted, forbidden, unknown, gone, tooLarge, tooMany, broken, unavailable

  /// `nil` for statuses without a common meaning.
  init?(status: Int) {
    switch status {
    case 400: self = .malformed
    case 401: self = .untrusted
    case 403: self = .forbidden
    case 404: self = .unknown
    case 410: self = .gone
    case 413: self = .tooLarge
    case 429: self = .tooMany
    case 500: self = .broken
    case 503: self = .unavailable
    default: return nil
    }
  }
}

extension ErrorCatalog {
  /// Apple: Handling notification responses from APNs.
  static let apns = ErrorCatalog([
    ErrorReason("BadDeviceToken", 400), ErrorReason("BadCollapseId", 400),
    ErrorReason("BadExpirationDate", 400),
    ErrorReason("BadMessageId", 400), ErrorReason("BadPriority", 400), ErrorReason("BadTopic", 400),
    ErrorReason("DeviceTokenNotForTopic", 400), ErrorReason("DuplicateHeaders", 400),
    ErrorReason("IdleTimeout", 400), ErrorReason("InvalidPushType", 400),
    ErrorReason("MissingDeviceToken", 400),
    ErrorReason("MissingTopic", 400), ErrorReason("PayloadEmpty", 400), ErrorReason("TopicDisallowed", 400),
    ErrorReason("ExpiredProviderToken", 403, .untrusted),
    ErrorReason("InvalidProviderToken", 403, .untrusted),
    ErrorReason("MissingProviderToken", 403, .untrusted), ErrorReason("Forbidden", 403),
    ErrorReason("BadCertificate", 403), ErrorReason("BadCertificateEnvironment", 403),
    ErrorReason("UnrelatedKeyIdInToken", 403), ErrorReason("BadEnvironmentKeyIdInToken", 403),
    ErrorReason("BadPath", 404), ErrorReason("MethodNotAllowed", 405), ErrorReason("Unregistered", 410),
    ErrorReason("ExpiredToken", 410), ErrorReason("PayloadTooLarge", 413),
    ErrorReason("TooManyRequests", 429),
    ErrorReason("TooManyProviderTokenUpdates", 429), ErrorReason("InternalServerError", 500),
    ErrorReason("ServiceUnavailable", 503), ErrorReason("Shutdown", 503),
  ])
}

extension ErrorCatalog {
  /// FcmError codes and, for errors of Google's front end, google.rpc.Code.
  static let fcm = ErrorCatalog([
    ErrorReason("INVALID_ARGUMENT", 400), ErrorReason("UNAUTHENTICATED", 401),
    ErrorReason("THIRD_PARTY_AUTH_ERROR", 401), ErrorReason("SENDER_ID_MISMATCH", 403),
    ErrorReason("PERMISSION_DENIED", 403), ErrorReason("UNREGISTERED", 404, .gone),
    ErrorReason("NOT_FOUND", 404), ErrorReason("QUOTA_EXCEEDED", 429), ErrorReason("INTERNAL", 500),
    ErrorReason("UNSPECIFIED_ERROR", 500), ErrorReason("UNAVAILABLE", 503),
  ])
}

extension ErrorCatalog {
  /// Apple's reasons, which a scenario's `webpush` section uses; Mozilla and UnifiedPush responses have the same
  /// statuses.
  static let webPush = ErrorCatalog([
    ErrorReason("BadWebPushRequest", 400), ErrorReason("BadTtl", 400), ErrorReason("BadUrgency", 400),
    ErrorReason("BadWebPushTopic", 400), ErrorReason("VapidPkHashMismatch", 400, .forbidden),
    ErrorReason("MissingVapid", 401), ErrorReason("BadJwtToken", 403, .untrusted),
    ErrorReason("ExpiredJwtToken", 403, .untrusted), ErrorReason("BadVapidPublicKey", 403),
    ErrorReason("NotFound", 404), ErrorReason("MethodNotAllowed", 405), ErrorReason("Unregistered", 410),
    ErrorReason("PayloadTooLarge", 413), ErrorReason("TooManyRequests", 429),
    ErrorReason("InternalServerError", 500), ErrorReason("ServiceUnavailable", 503),
  ])
}

extension ErrorCatalog {
  /// ntfy's error codes: the status and two digits. ``NtfyAnswer`` has their texts.
  static let ntfy = ErrorCatalog([
    ErrorReason("40024", 400), ErrorReason("40004", 400), ErrorReason("40007", 400),
    ErrorReason("40008", 400),
    ErrorReason("40009", 400), ErrorReason("40010", 400), ErrorReason("40011", 400),
    ErrorReason("40014", 400),
    ErrorReason("40017", 400), ErrorReason("40101", 401), ErrorReason("40301", 403),
    ErrorReason("40401", 404),
    ErrorReason("41301", 413), ErrorReason("42901", 429), ErrorReason("42903", 429),
    ErrorReason("42908", 429),
    ErrorReason("50001", 500), ErrorReason("50701", 507),
  ])
}

extension Scenario {
  /// Reads a scenario file for the loopback service, whose error reasons need no status.
  ///
  /// - Throws: all problems, in file order.
  public static func load(
    path: String, environment: [String: String] = [:]
  ) throws(ConfigurationError) -> Scenario {
    try load(path: path, environment: environment, reasons: .loopback)
  }
}

extension DialectErrorCatalog {
  /// All error reasons of the loopback service.
  public static let loopback = DialectErrorCatalog([
    .apns: ErrorCatalog.apns.statuses, .fcm: ErrorCatalog.fcm.statuses,
    .webpush: ErrorCatalog.webPush.statuses,
    .ntfy: ErrorCatalog.ntfy.statuses,
  ])
}
