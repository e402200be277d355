import Configuration
import Foundation
import HTTPServer
import Measurement
import NIOHPACK

/// ntfy: publish to and subscribe to topics.
final class NtfyService: DialectService {
  private static let maximumTopics = 16

  let dialect = ScenarioDialect.ntfy
  let topics: NtfyTopics
  private let accessControl: NtfyAccessControl

  init(topics: NtfyTopics, accessControl: NtfyAccessControl) {
    self.topics = topics
    self.accessControl = accessControl
  }

  func check(_ request: HTTPRequest, _ context: RequestContext) -> DialectResult {
    let parts = request.pathWithoutQuery.split(separator: "/").map(String.init)
    if parts == ["v1", "health"] {
      return .answered(HTTPResponse(status: 200, json: "{\"healthy\":true}\n"))
    }
    do throws(NtfyPublication.Violation) {
      guard accessControl.admit(context) else { throw NtfyPublication.Violation("42901") }
      return try serve(parts, request, context)
    } catch {
      return .refused(NtfyAnswer.refused(error.code), id: NtfyID.random())
    }
  }

  private func serve(
    _ parts: [String], _ request: HTTPRequest, _ context: RequestContext
  ) throws(NtfyPublication.Violation) -> DialectResult {
    switch (request.method, parts.count) {
    case ("POST", 0), ("PUT", 0):
      try authorize(request)
      return try notification(NtfyPublication(json: request), context)
    case ("POST", 1), ("PUT", 1):
      return try notification(publication(parts[0], request), context)
    case ("GET", 2) where ["publish", "send", "trigger"].contains(parts[1]):
      return try notification(publication(parts[0], request), context)
    case ("GET", 2) where parts[1] == "auth":
      try authorize(request)
      return .answered(HTTPResponse(status: 200, json: "{\"success\":true}\n"))
    case ("GET", 2) where parts[1] == "json":
      try authorize(request)
      return .subscription(try subscription(parts[0], request, context))
    case ("GET", 1) where NtfyParameters(request).isOn("x-unifiedpush", "unifiedpush", "up"):
      return .answered(HTTPResponse(status: 200, json: "{\"unifiedpush\":{\"version\":1}}\n"))
    default: throw NtfyPublication.Violation("40401")
    }
  }

  private func authorize(_ request: HTTPRequest) throws(NtfyPublication.Violation) {
    if let code = accessControl.authorize(request) { throw NtfyPublication.Violation(code) }
  }

  private func publication(
    _ topic: String, _ request: HTTPRequest
  ) throws(NtfyPublication.Violation) -> NtfyPublication {
    try Self.check(topic: topic)
    try authorize(request)
    return try NtfyPublication(topic: topic, request)
  }

  private static func check(topic: String) throws(NtfyPublication.Violation) {
    guard NtfyDialect.isTopic(topic) else { throw NtfyPublication.Violation("40009") }
    guard !NtfyDialect.reservedTopics.contains(topic) else { throw NtfyPublication.Violation("40010") }
  }

  private func notification(
    _ publication: NtfyPublication, _ context: RequestContext
  ) throws(NtfyPublication.Violation) -> DialectResult {
    try Self.check(topic: publication.topic)
    let message = publication.message(id: NtfyID.random(), time: context.now.seconds)
    let contents = PayloadReader.read(Data(publication.message.utf8))
    return .notification(
      IncomingNotification(
        id: contents?.id ?? message.id, acceptance: NtfyAnswer.accepted(message),
        refusal: { error, _ in
          NtfyAnswer.refused(ErrorCatalog.ntfy.translate(error), retryAfter: error.retryAfter)
        }, message: message))
  }

  private func subscription(
    _ names: String, _ request: HTTPRequest, _ context: RequestContext
  ) throws(NtfyPublication.Violation) -> NtfySubscriber.Request {
    let list = names.split(separator: ",").map(String.init)
    guard (1...Self.maximumTopics).contains(list.count) else { throw NtfyPublication.Violation("40009") }
    for topic in list { try Self.check(topic: topic) }
    guard topics.count < NtfyTopics.maximumSubscribers else { throw NtfyPublication.Violation("42903") }
    let parameters = NtfyParameters(request)
    let isPoll = parameters.isOn("x-poll", "poll", "po")
    let since = try Self.since(parameters["x-since", "since", "si"], isPoll: isPoll, context)
    return NtfySubscriber.Request(topics: list, since: since, isPoll: isPoll)
  }

  /// `all`, `none`, `latest`, a Unix time, a duration before now, or a message id.
  private static func since(
    _ text: String?, isPoll: Bool, _ context: RequestContext
  ) throws(NtfyPublication.Violation) -> NtfySubscriber.Since {
    switch text {
    case nil: return isPoll ? .everything : .nothing
    case "all": return .everything
    case "none": return .nothing
    case "latest": return .latest
    case let text?:
      if text.utf8.count == 12, text.utf8.allSatisfy({ ($0 | 0x20) > 0x60 || $0 < 0x3A && $0 > 0x2F }),
        Int64(text) == nil
      {
        return .message(id: text)
      }
      if let seconds = Int64(text), seconds >= 0 { return .time(seconds) }
      if let back = try? DurationText.parse(text) {
        return .time(context.now.seconds - back.components.seconds)
      }
      throw NtfyPublication.Violation("40008")
    }
  }

  func refusal(of violation: HTTPViolation, path: String, _ context: RequestContext) -> Refusal {
    switch violation {
    case .bodyTooLarge: NtfyAnswer.refused("41301")
    case .requestTimedOut, .overloaded: NtfyAnswer.refused(ErrorReason("ServiceUnavailable", 503))
    }
  }
}

/// Responses in ntfy's form: the message, or `{"code":…,"http":…,"error":…,"link":…}`.
enum NtfyAnswer {
  private static let site = "https://ntfy.sh/docs/"

  /// Text of each code, and the page that explains it.
  private static let texts: [String: (error: String, link: String)] = [
    "40004": ("invalid delay parameter: unable to parse delay", "publish/#scheduled-delivery"),
    "40007": ("invalid priority parameter", "publish/#message-priority"),
    "40008": ("invalid since parameter", "subscribe/api/#fetch-cached-messages"),
    "40009": ("invalid request: topic invalid", ""),
    "40010": ("invalid request: topic name is disallowed", ""),
    "40011": ("invalid message: message must be UTF-8 encoded", ""),
    "40014": ("invalid request: attachments not allowed", "config/#attachments"),
    "40017": ("invalid request: request body must be message JSON", "publish/#publish-as-json"),
    "40024": ("invalid request: request body must be valid JSON", ""),
    "40101": ("unauthorized", "publish/#authentication"),
    "40301": ("forbidden", "publish/#authentication"),
    "40401": ("page not found", ""),
    "41301": ("attachment too large, or bandwidth limit reached", "publish/#limitations"),
    "42901": ("limit reached: too many requests, please be nice", "publish/#limitations"),
    "42903": ("limit reached: too many active subscriptions, please be nice", "publish/#limitations"),
    "42908": ("limit reached: too many messages", "publish/#limitations"),
    "50001": ("internal server error", ""),
    "50701": ("cannot publish to UnifiedPush topic without previously active subscriber", ""),
  ]

  static func accepted(_ message: NtfyMessage) -> HTTPResponse {
    HTTPResponse(status: 200, json: message.json + "\n", headers: ["access-control-allow-origin": "*"])
  }

  static func refused(_ code: String, retryAfter: Duration? = nil) -> Refusal {
    refused(ErrorReason(code, Int(code.prefix(3)) ?? 500), retryAfter: retryAfter)
  }

  /// An unknown reason becomes the text of a code that ntfy does not use.
  static func refused(_ reason: ErrorReason, retryAfter: Duration? = nil) -> Refusal {
    let (text, page) = texts[reason.text] ?? (reason.text, "")
    let code = texts[reason.text] == nil ? "\(reason.status)99" : reason.text
    let link = page.isEmpty ? "" : ",\"link\":\"\(site)\(page)\""
    let response = HTTPResponse(
      status: reason.status,
      json: "{\"code\":\(code),\"http\":\(reason.status),\"error\":\(JSONText.quoted(text))\(link)}\n")
    return Refusal(
      status: reason.status, reason: "\(code) \(text)", response: response.retrying(after: retryAfter))
  }
}

/// Access control and request limit of publishers and subscribers.
final class NtfyAccessControl {
  /// Limit of counted addresses; further ones share one bucket.
  private static let capacity = 1024

  private struct Bucket {
    var left: Double
    var at: Duration
  }

  private let username: String
  private let password: String
  private let token: String
  private let limit: SubscriptionBehavior.RequestLimit?
  private var buckets: [String: Bucket] = [:]

  init(
    username: String, password: String, token: String, limit: SubscriptionBehavior.RequestLimit?
  ) {
    self.username = username
    self.password = password
    self.token = token
    self.limit = limit
  }

  /// ntfy's error code; `nil` when access is granted. Credentials are in the header, or base64url-encoded in the
  /// query's `auth`.
  func authorize(_ request: HTTPRequest) -> String? {
    var value = request.headers.first(name: "authorization") ?? ""
    if value.isEmpty, let query = request.query["auth"] {
      let plain = query.replacingOccurrences(of: "=", with: "")
      value = Base64URLText.decode(plain).flatMap { String(data: $0, encoding: .utf8) } ?? "?"
    }
    if value.isEmpty { return "40301" }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return "40101" }
    switch parts[0].lowercased() {
    case "bearer": return parts[1] == token ? nil : "40101"
    case "basic":
      guard let data = Data(base64Encoded: String(parts[1])), let text = String(data: data, encoding: .utf8)
      else { return "40101" }
      return text == "\(username):\(password)" || text == ":\(token)" ? nil : "40101"
    default: return "40101"
    }
  }

  /// Counts one request against the address's bucket; false when it is empty.
  func admit(_ context: RequestContext) -> Bool {
    guard let limit else { return true }
    let now = Duration.nanoseconds(context.monotonic.nanoseconds)
    let source = buckets[context.source] != nil || buckets.count < Self.capacity ? context.source : ""
    var bucket = buckets[source] ?? Bucket(left: Double(limit.burst), at: now)
    bucket.left = min(Double(limit.burst), bucket.left + (now - bucket.at) / limit.every)
    bucket.at = now
    let isAdmitted = bucket.left >= 1
    if isAdmitted { bucket.left -= 1 }
    buckets[source] = bucket
    return isAdmitted
  }
}
