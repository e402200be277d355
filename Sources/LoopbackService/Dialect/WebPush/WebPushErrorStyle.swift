import HTTPServer
import Measurement
import NIOHPACK

/// Response format of a subscription. RFC 8030 defines statuses only; each service has its own bodies.
enum WebPushErrorStyle: String, CaseIterable, Sendable {
  /// autopush: `{"code":…,"errno":…,"error":…,"message":…}`.
  case mozilla
  /// `{"reason":…}`, and 201 with an `apns-id`.
  case apple
  /// Statuses only, as in RFC 8030.
  case unifiedpush

  /// Path of such a subscription, without its secret part.
  var path: String {
    switch self {
    case .mozilla: "/wpush/v2/"
    case .apple: "/wpush/apple/"
    case .unifiedpush: "/wpush/unifiedpush/"
    }
  }

  /// autopush's number and status of a reason.
  private static let numbers: [String: (errno: Int, status: Int)] = [
    "BadTtl": (111, 400), "NegativeTtl": (114, 400), "BadWebPushTopic": (113, 400),
    "BadWebPushRequest": (110, 400), "BadUrgency": (110, 400), "MissingVapid": (109, 401),
    "BadJwtToken": (109, 401), "ExpiredJwtToken": (109, 401), "BadVapidPublicKey": (109, 401),
    "VapidPkHashMismatch": (109, 401), "NotFound": (102, 404), "Unregistered": (103, 410),
    "PayloadTooLarge": (104, 413), "ServiceUnavailable": (201, 503),
  ]

  private static let titles: [Int: String] = [
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    410: "Gone", 413: "Payload Too Large", 429: "Too Many Requests", 500: "Internal Server Error",
    503: "Service Unavailable",
  ]

  /// Statuses of RFC 8030 and RFC 8292 that differ from Apple's.
  private static let plainStatuses: [String: Int] = [
    "VapidPkHashMismatch": 403, "NegativeTtl": 400,
  ]

  /// 201 (RFC 8030, section 5).
  ///
  /// - Parameter ttl: granted TTL in seconds.
  func accepted(message id: String, location: String, ttl: Int) -> HTTPResponse {
    switch self {
    case .apple: HTTPResponse(status: 201, headers: ["apns-id": id])
    case .mozilla, .unifiedpush:
      HTTPResponse(status: 201, headers: ["location": location, "ttl": String(ttl)])
    }
  }

  /// - Parameter message: text for people, if the format has one.
  func refused(_ reason: ErrorReason, _ message: String, retryAfter: Duration? = nil) -> Refusal {
    var refusal: Refusal
    switch self {
    case .apple:
      let known = reason.text == "NegativeTtl" ? "BadTtl" : reason.text
      refusal = Refusal(
        status: reason.status, reason: known,
        response: HTTPResponse(status: reason.status, json: "{\"reason\":\(JSONText.quoted(known))}"))
    case .mozilla:
      let (errno, status) = Self.numbers[reason.text] ?? (999, reason.status)
      let title = Self.titles[status] ?? reason.text
      refusal = Refusal(
        status: status, reason: "errno \(errno) \(title)",
        response: HTTPResponse(
          status: status,
          json: "{\"code\":\(status),\"errno\":\(errno),\"error\":\(JSONText.quoted(title)),\"message\":"
            + "\(JSONText.quoted(message)),\"more_info\":\"\"}"))
      if status == 410 { refusal.response.headers.add(name: "cache-control", value: "max-age=86400") }
    case .unifiedpush:
      let status = Self.plainStatuses[reason.text] ?? reason.status
      refusal = Refusal(
        status: status, reason: Self.titles[status] ?? reason.text, response: HTTPResponse(status: status))
    }
    refusal.response = refusal.response.retrying(after: retryAfter)
    return refusal
  }
}
