import Configuration
import Foundation
import HTTPServer
import NIOCore
import NIOHPACK

/// Web Push (RFC 8030, 8188, 8291, 8292): `POST /wpush/…/<subscription>`, and `DELETE /wpush/m/<message>`. The browser
/// is here too, and always on line: what is encrypted wrongly for it is refused, though a real service could not tell.
final class WebPushService: DialectService {
  static let pathPrefix = "/wpush/"
  private static let messagePath = "/wpush/m/"
  /// What a service must take (RFC 8030, section 7.2), and most take no more.
  private static let maximumBytes = 4096
  /// Longer ones are shortened, as Mozilla does: 30 days.
  private static let longestTTL = 2_592_000

  let dialect = ScenarioDialect.webpush
  let gate: VAPIDAuthenticator
  private let subscription: String
  private let reader: PushMessageReader
  private let freshID: () -> String

  /// - Parameter subscription: the secret part of every endpoint.
  init(
    gate: VAPIDAuthenticator, subscription: String, reader: PushMessageReader,
    freshID: @escaping () -> String = UUIDText.random
  ) {
    self.gate = gate
    self.subscription = subscription
    self.reader = reader
    self.freshID = freshID
  }

  /// Why a request is refused.
  private struct Problem: Error {
    var word: String
    var message: String

    init(_ word: String, _ message: String) {
      self.word = word
      self.message = message
    }
  }

  func check(_ request: HTTPRequest, _ context: RequestContext) -> Verdict {
    let path = request.pathWithoutQuery
    if path.hasPrefix(Self.messagePath), request.method == "DELETE" {
      return .withdrawal(messageID: String(path.dropFirst(Self.messagePath.count)))
    }
    let wording = WebPushErrorStyle.allCases.first { path.hasPrefix($0.path) } ?? .mozilla
    let id = freshID()
    do throws(Problem) {
      return .notification(try notification(request, path, wording, id, context))
    } catch {
      let word = ErrorCatalog.webPush[error.word] ?? ErrorWord(error.word, 400)
      return .refused(wording.refused(word, error.message), id: id)
    }
  }

  private func notification(
    _ request: HTTPRequest, _ path: Substring, _ wording: WebPushErrorStyle, _ id: String,
    _ context: RequestContext
  ) throws(Problem) -> IncomingNotification {
    guard path.hasPrefix(wording.path), path.dropFirst(wording.path.count) == subscription else {
      throw Problem("NotFound", "There is no such subscription.")
    }
    guard request.method == "POST" else { throw Problem("MethodNotAllowed", "Use POST.") }
    let authorization = request.headers.first(name: "authorization")
    if let (word, message) = gate.problem(authorization, wording: wording, context) {
      throw Problem(word, message)
    }
    let ttl = try Self.ttl(request.headers.first(name: "ttl"))
    if let topic = request.headers.first(name: "topic") { try Self.check(topic: topic, wording) }
    if let urgency = request.headers.first(name: "urgency"),
      !["very-low", "low", "normal", "high"].contains(urgency)
    {
      throw Problem("BadUrgency", "Urgency is one of very-low, low, normal, high.")
    }
    let contents = try read(request)
    return IncomingNotification(
      id: contents.id ?? id,
      acceptance: wording.accepted(
        message: id, location: "\(gate.origins.first ?? "")\(Self.messagePath)\(id)",
        ttl: min(ttl, Self.longestTTL)),
      refusal: { error, _ in
        wording.refused(
          ErrorCatalog.webPush.translate(error), "The scenario says so.", retryAfter: error.retryAfter)
      }, receipt: contents.receipt, messageID: id)
  }

  private static func ttl(_ text: String?) throws(Problem) -> Int {
    guard let text else { throw Problem("BadTtl", "Missing TTL header.") }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard (1...18).contains(digits.utf8.count), let ttl = Int(text),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { throw Problem("BadTtl", "TTL is no whole number of seconds.") }
    guard ttl >= 0 else { throw Problem("NegativeTtl", "TTL is negative.") }
    return ttl
  }

  private static func check(topic: String, _ wording: WebPushErrorStyle) throws(Problem) {
    let isWellFormed =
      (1...32).contains(topic.utf8.count)
      && topic.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x5F
      }
    // Apple decodes it.
    guard isWellFormed, wording != .apple || topic.utf8.count % 4 != 1 else {
      throw Problem("BadWebPushTopic", "Topic is at most 32 characters of base64url.")
    }
  }

  /// Decrypts, as the browser would.
  private func read(_ request: HTTPRequest) throws(Problem) -> PayloadReader.Contents {
    let bytes = request.body.readableBytes
    if bytes == 0 { return PayloadReader.Contents() }
    guard bytes <= Self.maximumBytes else {
      throw Problem("PayloadTooLarge", "The body has \(bytes) bytes, \(Self.maximumBytes) are the most.")
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
    let wording = WebPushErrorStyle.allCases.first { path.hasPrefix($0.path) } ?? .mozilla
    return switch violation {
    case .bodyTooLarge: wording.refused(ErrorWord("PayloadTooLarge", 413), "The body is too large.")
    case .requestTimedOut, .overloaded:
      wording.refused(ErrorWord("ServiceUnavailable", 503), "Try again later.")
    }
  }
}
