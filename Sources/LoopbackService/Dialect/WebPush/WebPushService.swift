import Configuration
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

  let dialect = ScenarioDialect.webpush
  let authenticator: VAPIDAuthenticator
  private let subscription: String
  private let reader: PushMessageReader
  private let freshID: () -> String

  /// - Parameter subscription: the secret part of every endpoint.
  init(
    authenticator: VAPIDAuthenticator, subscription: String, reader: PushMessageReader,
    freshID: @escaping () -> String = UUIDText.random
  ) {
    self.authenticator = authenticator
    self.subscription = subscription
    self.reader = reader
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
    guard path.hasPrefix(style.path), path.dropFirst(style.path.count) == subscription else {
      throw Problem("NotFound", "There is no such subscription.")
    }
    guard request.method == "POST" else { throw Problem("MethodNotAllowed", "Use POST.") }
    let authorization = request.headers.first(name: "authorization")
    if let (reason, message) = authenticator.problem(authorization, style: style, context) {
      throw Problem(reason, message)
    }
    let ttl = try Self.ttl(request.headers.first(name: "ttl"))
    if let topic = request.headers.first(name: "topic") { try Self.check(topic: topic, style) }
    if let urgency = request.headers.first(name: "urgency"),
      WebPushUrgency(rawValue: urgency) == nil
    {
      throw Problem("BadUrgency", "Urgency is one of very-low, low, normal, high.")
    }
    let contents = try read(request)
    return IncomingNotification(
      id: contents.id ?? id,
      acceptance: style.accepted(
        message: id, location: "\(authenticator.origins.first ?? "")\(Self.messagePath)\(id)",
        ttl: min(ttl, WebPushDialect.longestTTL)),
      refusal: { error, _ in
        style.refused(
          ErrorCatalog.webPush.translate(error), "The scenario says so.", retryAfter: error.retryAfter)
      }, receipt: contents.receipt, messageID: id)
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

  /// Decrypts as the browser does.
  private func read(_ request: HTTPRequest) throws(Problem) -> PayloadReader.Contents {
    let bytes = request.body.readableBytes
    if bytes == 0 { return PayloadReader.Contents() }
    guard bytes <= WebPushDialect.maximumBodyBytes else {
      throw Problem(
        "PayloadTooLarge", "The body has \(bytes) bytes; the limit is \(WebPushDialect.maximumBodyBytes).")
    }
    guard request.headers.first(name: "content-encoding")?.lowercased() == "aes128gcm" else {
      throw Problem("BadWebPushRequest", "Content-Encoding must be aes128gcm.")
    }
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
