import Configuration
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK

/// Apple's provider API: `POST /3/device/<token>`.
final class APNsService: DialectService {
  let dialect = ScenarioDialect.apns
  private let authenticator: APNsAuthenticator
  private let freshID: () -> String

  /// - Parameter freshID: generates an `apns-id` for a request without a valid one.
  init(authenticator: APNsAuthenticator, freshID: @escaping () -> String = UUIDText.random) {
    self.authenticator = authenticator
    self.freshID = freshID
  }

  func closed(connection: Int) { authenticator.closed(connection: connection) }

  func check(_ request: HTTPRequest, _ context: RequestContext) -> DialectResult {
    var fields = APNsFields(request.headers)
    // A certificate for one topic implies the topic.
    if context.hasCertificate, fields.topic == nil { fields.topic = LocalCredentials.clientTopic }
    let id = fields.id.flatMap { APNsRules.isUUID($0) ? $0 : nil } ?? freshID()
    let mistake = APNsRules.violation(in: request, fields) { value in
      authenticator.authorize(value, hasCertificate: context.hasCertificate, context)
    }
    if mistake == nil, context.hasCertificate, let topic = fields.topic,
      topic != LocalCredentials.clientTopic, !topic.hasPrefix(LocalCredentials.clientTopic + ".")
    {
      return .refused(refusal("TopicDisallowed", id: id, context), id: id)
    }
    if let mistake { return .refused(refusal(mistake, id: id, context), id: id) }
    guard let payload = PayloadReader.read(request.body) else {
      return .refused(refusal("PayloadEmpty", id: id, context), id: id)
    }
    return .notification(
      IncomingNotification(
        id: id, acceptance: APNsAnswer.accepted(id: id),
        refusal: { error, now in
          APNsAnswer.refused(
            ErrorCatalog.apns.translate(error), id: id, retryAfter: error.retryAfter, now: now)
        }, receipt: payload.receipt,
        device: LoopbackDevice.name(of: request.path.dropFirst(APNsDialect.devicePathPrefix.count))))
  }

  func refusal(of violation: HTTPViolation, path: String, _ context: RequestContext) -> Refusal {
    switch violation {
    case .bodyTooLarge: refusal("PayloadTooLarge", id: nil, context)
    case .requestTimedOut: refusal("IdleTimeout", id: nil, context)
    case .overloaded: refusal("ServiceUnavailable", id: nil, context)
    }
  }

  private func refusal(_ word: String, id: String?, _ context: RequestContext) -> Refusal {
    APNsAnswer.refused(
      ErrorCatalog.apns[word] ?? ErrorReason("InternalServerError", 500), id: id, now: context.now)
  }
}

/// Stateless rules of Apple's provider API (Sending notification requests to APNs), checked in the order path,
/// authorization, content.
enum APNsRules {
  /// - Parameter authorize: checks the `authorization` header; returns the reason of a refusal.
  /// - Returns: the reason of the first violation.
  static func violation(
    in request: HTTPRequest, _ fields: APNsFields, authorize: (String?) -> String?
  ) -> String? {
    guard request.path.hasPrefix(APNsDialect.devicePathPrefix) else { return "BadPath" }
    guard request.method == "POST" else { return "MethodNotAllowed" }
    if fields.isAnyTwice { return "DuplicateHeaders" }
    if let word = authorize(fields.authorization) { return word }
    if let id = fields.id, !isUUID(id) { return "BadMessageId" }
    if let expiration = fields.expiration, !isTimestamp(expiration) { return "BadExpirationDate" }
    // A request without `apns-push-type` is treated as an alert.
    guard let pushType = APNsPushType(rawValue: fields.pushType ?? "alert") else { return "InvalidPushType" }
    // 10 is the default of every push type, also of `background`, which does not allow it.
    guard pushType.priorities.map(String.init).contains(fields.priority ?? "10") else { return "BadPriority" }
    guard let topic = fields.topic else { return "MissingTopic" }
    guard APNsDialect.isTopic(topic) else { return "BadTopic" }
    guard topic.hasSuffix(pushType.topicSuffix) else { return "BadTopic" }
    if let collapseID = fields.collapseID,
      !(1...APNsDialect.maximumCollapseIDBytes).contains(collapseID.utf8.count)
    {
      return "BadCollapseId"
    }
    let token = request.path.dropFirst(APNsDialect.devicePathPrefix.count)
    if token.isEmpty { return "MissingDeviceToken" }
    guard APNsDialect.isDeviceToken(token) else { return "BadDeviceToken" }
    let bytes = request.body.readableBytes
    if bytes == 0 { return "PayloadEmpty" }
    return bytes > pushType.maximumPayloadBytes ? "PayloadTooLarge" : nil
  }

  /// The canonical form in lower case: 8-4-4-4-12 hexadecimal digits.
  static func isUUID(_ text: String) -> Bool {
    guard text.utf8.count == 36 else { return false }
    return text.utf8.enumerated().allSatisfy { place, byte in
      switch place {
      case 8, 13, 18, 23: byte == UInt8(ascii: "-")
      default: ASCII.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
    }
  }

  private static func isTimestamp(_ text: String) -> Bool {
    (1...18).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isDigit)
  }
}

/// APNs' request headers, each at most once.
struct APNsFields {
  var authorization: String?
  var id: String?
  var topic: String?
  var pushType: String?
  var priority: String?
  var expiration: String?
  var collapseID: String?
  var isAnyTwice = false

  init(_ headers: HPACKHeaders) {
    for (name, value, _) in headers {
      switch name {
      case "authorization": set(\.authorization, value)
      case "apns-id": set(\.id, value)
      case "apns-topic": set(\.topic, value)
      case "apns-push-type": set(\.pushType, value)
      case "apns-priority": set(\.priority, value)
      case "apns-expiration": set(\.expiration, value)
      case "apns-collapse-id": set(\.collapseID, value)
      default: break
      }
    }
  }

  private mutating func set(_ field: WritableKeyPath<APNsFields, String?>, _ value: String) {
    if self[keyPath: field] != nil { isAnyTwice = true }
    self[keyPath: field] = value
  }
}

/// Responses in APNs' form.
enum APNsAnswer {
  /// 200 with the id and without a body.
  static func accepted(id: String) -> HTTPResponse {
    HTTPResponse(status: 200, headers: ["apns-id": id])
  }

  /// `{"reason": …}`; with 410 also `timestamp`, Unix milliseconds.
  ///
  /// - Parameter reason: without characters that JSON escapes.
  static func refused(
    _ reason: ErrorReason, id: String?, retryAfter: Duration? = nil, now: WallTime
  ) -> Refusal {
    var headers = HPACKHeaders()
    if let id { headers.add(name: "apns-id", value: id) }
    let timestamp = reason.status == 410 ? ",\"timestamp\":\(now.microseconds / 1000)" : ""
    let response = HTTPResponse(
      status: reason.status, json: "{\"reason\":\"\(reason.text)\"\(timestamp)}", headers: headers)
    return Refusal(
      status: reason.status, reason: reason.text, response: response.retrying(after: retryAfter))
  }
}
