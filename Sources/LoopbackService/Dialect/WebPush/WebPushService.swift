import Configuration
import Cryptography
import Foundation
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK

/// Web Push (RFC 8030, 8188, 8291, 8292): `POST /wpush/…/<subscription>`, and `DELETE /wpush/m/<message>`. The service
/// also simulates the browser, so it refuses a body that the browser could not decrypt, which a real service cannot
/// detect.
final class WebPushService: DialectService {
  static let pathPrefix = "/wpush/"
  private static let messagePath = "/wpush/m/"
  /// Path of the endpoints that any application server may post to.
  static let openPath = "/wpush/v1/"

  let dialect = ScenarioDialect.webpush
  private let authenticator: VAPIDAuthenticator
  private let subscription: String
  private let reader: PushMessageReader
  private let agents: AutopushService
  private let origins: ServiceOrigins
  private let freshID: () -> String

  /// - Parameters:
  ///   - subscription: the secret part of the endpoints whose browser the service simulates.
  ///   - agents: has the endpoints of user agents that connect.
  init(
    authenticator: VAPIDAuthenticator, subscription: String, reader: PushMessageReader,
    agents: AutopushService, origins: ServiceOrigins, freshID: @escaping () -> String = UUIDText.random
  ) {
    self.authenticator = authenticator
    self.subscription = subscription
    self.reader = reader
    self.agents = agents
    self.origins = origins
    self.freshID = freshID
  }

  /// Reason of a refusal.
  private struct Problem: Error {
    var reason: String
    var message: String

    init(_ reason: String, _ message: String) {
      self.reason = reason
      self.message = message
    }
  }

  func check(_ request: HTTPRequest, _ context: RequestContext) -> DialectResult {
    if request.isWebSocketUpgrade { return .userAgent }
    let path = request.pathWithoutQuery
    if path.hasPrefix(Self.messagePath), request.method == "DELETE" {
      return .withdrawal(messageID: String(path.dropFirst(Self.messagePath.count)))
    }
    let style = WebPushErrorStyle.allCases.first { path.hasPrefix($0.path) } ?? .mozilla
    let id = freshID()
    do throws(Problem) {
      return .notification(try notification(request, path, style, id, context))
    } catch {
      let reason = ErrorCatalog.webPush[error.reason] ?? ErrorReason(error.reason, 400)
      return .refused(style.refused(reason, error.message), id: id)
    }
  }

  private func notification(
    _ request: HTTPRequest, _ path: Substring, _ style: WebPushErrorStyle, _ id: String,
    _ context: RequestContext
  ) throws(Problem) -> IncomingNotification {
    let token = String(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
    let isSimulated = path == style.path + subscription
    let agent = isSimulated ? nil : try subscription(of: token, path)
    guard request.method == "POST" else { throw Problem("MethodNotAllowed", "Use POST.") }
    let authorization = request.headers.first(name: "authorization")
    if agent?.key != nil || isSimulated || authorization != nil && agent == nil,
      let (reason, message) = authenticator.problem(
        authorization, of: agent?.key, style: style, context)
    {
      throw Problem(reason, message)
    }
    let ttl = try Self.ttl(request.headers.first(name: "ttl"))
    if let topic = request.headers.first(name: "topic") { try Self.check(topic: topic, style) }
    if let urgency = request.headers.first(name: "urgency"),
      WebPushUrgency(rawValue: urgency) == nil
    {
      throw Problem("BadUrgency", "Urgency is one of very-low, low, normal, high.")
    }
    let contents = try agent == nil ? read(request) : readSealed(request)
    let push = agent.map {
      AutopushNotification(
        token: token, channelID: $0.channelID, version: LoopbackCredentials.randomText(bytes: 150),
        data: request.body.readableBytes == 0
          ? nil : Base64URLText.encode(request.body.withUnsafeReadableBytes { Data($0) }),
        topic: request.headers.first(name: "topic"), ttl: min(ttl, WebPushDialect.longestTTL))
    }
    return IncomingNotification(
      id: contents.id ?? id,
      acceptance: style.accepted(
        message: id, location: "\(origins.origin(of: request))\(Self.messagePath)\(id)",
        ttl: min(ttl, WebPushDialect.longestTTL)),
      refusal: { error, _ in
        style.refused(
          ErrorCatalog.webPush.translate(error), "The scenario says so.", retryAfter: error.retryAfter)
      }, receipt: contents.receipt, messageID: id, push: push)
  }

  /// The subscription of a user agent.
  private func subscription(of token: String, _ path: Substring) throws(Problem)
    -> AutopushSubscriptions.Subscription
  {
    if agents.hasEnded(token) {
      throw Problem("NoSubscription", "The user agent is not subscribed any more.")
    }
    guard let found = agents.subscription(token),
      path == (found.key == nil ? Self.openPath : WebPushErrorStyle.mozilla.path) + token
    else { throw Problem("NotFound", "There is no such subscription.") }
    return found
  }

  private static func ttl(_ text: String?) throws(Problem) -> Int {
    guard let text else { throw Problem("BadTtl", "Missing TTL header.") }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard (1...18).contains(digits.utf8.count), let ttl = Int(text),
      digits.utf8.allSatisfy(ASCII.isDigit)
    else { throw Problem("BadTtl", "TTL is no whole number of seconds.") }
    guard ttl >= 0 else { throw Problem("NegativeTtl", "TTL is negative.") }
    return ttl
  }

  private static func check(topic: String, _ style: WebPushErrorStyle) throws(Problem) {
    guard style == .apple ? WebPushDialect.isTopicForApple(topic) : WebPushDialect.isTopic(topic) else {
      throw Problem("BadWebPushTopic", "Topic is at most 32 characters of base64url.")
    }
  }

  /// Checks a body that its user agent alone can decrypt.
  private func readSealed(_ request: HTTPRequest) throws(Problem) -> PayloadReader.Contents {
    let bytes = request.body.readableBytes
    if bytes == 0 { return PayloadReader.Contents() }
    guard bytes <= WebPushDialect.maximumBodyBytes else {
      throw Problem(
        "PayloadTooLarge", "The body has \(bytes) bytes; the limit is \(WebPushDialect.maximumBodyBytes).")
    }
    guard request.headers.first(name: "content-encoding")?.lowercased() == "aes128gcm" else {
      throw Problem("BadWebPushRequest", "Content-Encoding must be aes128gcm.")
    }
    return PayloadReader.Contents()
  }

  /// Decrypts as the browser does.
  private func read(_ request: HTTPRequest) throws(Problem) -> PayloadReader.Contents {
    let contents = try readSealed(request)
    if request.body.readableBytes == 0 { return contents }
    guard let plaintext = reader.open(request.body.withUnsafeReadableBytes { Data($0) }) else {
      throw Problem(
        "BadWebPushRequest",
        "The browser cannot decrypt the body with the subscription's keys; a real service could not tell you."
      )
    }
    return PayloadReader.read(plaintext) ?? PayloadReader.Contents()
  }

  func refusal(of violation: HTTPViolation, path: String, _ context: RequestContext) -> Refusal {
    let style = WebPushErrorStyle.allCases.first { path.hasPrefix($0.path) } ?? .mozilla
    return switch violation {
    case .bodyTooLarge: style.refused(ErrorReason("PayloadTooLarge", 413), "The body is too large.")
    case .requestTimedOut, .overloaded:
      style.refused(ErrorReason("ServiceUnavailable", 503), "Try again later.")
    }
  }
}

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
    "VapidPkHashMismatch": (109, 401), "NotFound": (102, 404), "NoSubscription": (106, 410),
    "Unregistered": (103, 410),
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

/// Decrypts an `aes128gcm` body (RFC 8188) with a subscription's keys (RFC 8291), as a browser does.
struct PushMessageReader: Sendable {
  private static let headerBytes = 86

  let privateKey: P256.PrivateKey
  /// The subscription's `auth`, 16 bytes.
  let secret: [UInt8]

  /// The plaintext; `nil` for anything but one record encrypted for this subscription.
  func open(_ body: Data) -> Data? {
    let body = [UInt8](body)
    guard body.count > Self.headerBytes + AES128GCM.tagBytes, body[20] == 65 else { return nil }
    let salt = Array(body[0..<16])
    let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
    let point = Array(body[21..<Self.headerBytes])
    let record = Array(body[Self.headerBytes...])
    guard recordSize >= 18, record.count <= recordSize,
      let sender = try? P256.PublicKey(x963Representation: point),
      let shared = try? privateKey.sharedSecret(with: sender)
    else { return nil }
    // HKDF by its two steps, independent of the sender's code.
    let receiver = privateKey.publicKey.x963Representation
    let keying = HMAC(secret: HMAC(secret: secret).code(for: shared.bytes)).code(
      for: Array("WebPush: info\0".utf8) + receiver + point + [1])
    let extracted = HMAC(secret: HMAC(secret: salt).code(for: keying))
    let key = extracted.code(for: Array("Content-Encoding: aes128gcm\0\u{1}".utf8)).prefix(16)
    let nonce = extracted.code(for: Array("Content-Encoding: nonce\0\u{1}".utf8)).prefix(12)
    guard let padded = try? AES128GCM.open(record, key: SymmetricKey(Array(key)), nonce: Array(nonce)),
      let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == 2
    else { return nil }
    return Data(padded[..<end])
  }
}
