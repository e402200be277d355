import Configuration
import Foundation
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK

/// Firebase Cloud Messaging, HTTP v1: `POST /v1/projects/<project>/messages:send`, and the token endpoint it needs.
final class FCMService: DialectService {
  static let pathPrefix = "/v1/projects/"

  let dialect = ScenarioDialect.fcm
  let desk: OAuthTokenEndpoint
  private let account: LoopbackCredentials.Account
  private let device: String
  private var lastMessage = 0

  init(desk: OAuthTokenEndpoint, account: LoopbackCredentials.Account, device: String) {
    self.desk = desk
    self.account = account
    self.device = device
  }

  func check(_ request: HTTPRequest, _ context: RequestContext) -> Verdict {
    let path = request.pathWithoutQuery
    if path == OAuthTokenEndpoint.path { return .answered(desk.exchange(request, context)) }
    lastMessage += 1
    let number = lastMessage
    func refused(_ word: String, _ message: String, field: String? = nil) -> Verdict {
      let word = ErrorCatalog.fcm[word] ?? ErrorWord("INTERNAL", 500)
      return .refused(FCMAnswer.refused(word, message, field: field), id: "fcm-\(number)")
    }
    let parts = path.dropFirst(Self.pathPrefix.count).split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1] == "messages:send", request.method == "POST" else {
      return refused("NOT_FOUND", "The requested URL was not found on this server.")
    }
    switch desk.check(request.headers.first(name: "authorization"), context) {
    case .missing:
      return refused(
        "UNAUTHENTICATED", "Request is missing required authentication credential.")
    case .unknown, .expired:
      return refused("UNAUTHENTICATED", "Request had invalid authentication credentials.")
    case nil: break
    }
    guard parts[0] == account.projectID else {
      return refused("SENDER_ID_MISMATCH", "SenderId mismatch")
    }
    let type = request.headers.first(name: "content-type")?.lowercased() ?? ""
    guard type.hasPrefix("application/json") else {
      return refused("INVALID_ARGUMENT", "The body must be application/json.")
    }
    let message: FCMMessage
    do throws(FCMMessage.Violation) {
      message = try FCMMessage(request.body.withUnsafeReadableBytes { Data($0) }, device: device)
    } catch {
      return refused(
        error.isUnregistered ? "UNREGISTERED" : "INVALID_ARGUMENT", error.message,
        field: error.field.isEmpty ? nil : error.field)
    }
    return .notification(notification(message, number: number, context))
  }

  private func notification(
    _ message: FCMMessage, number: Int, _ context: RequestContext
  ) -> IncomingNotification {
    let contents = PayloadReader.read(fields: message.data)
    let digits = String(number, radix: 16)
    let name =
      message.isOnlyValidated
      ? "fake_message_id"
      : "0:\(context.now.microseconds)%" + String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    return IncomingNotification(
      id: contents.id ?? "fcm-\(number)",
      acceptance: FCMAnswer.accepted(project: account.projectID, message: name),
      refusal: { error, _ in
        FCMAnswer.refused(
          ErrorCatalog.fcm.translate(error), "The scenario says so.", retryAfter: error.retryAfter)
      }, receipt: contents.receipt, isForADevice: !message.isOnlyValidated)
  }

  func refusal(of violation: HTTPViolation, path: String, _ context: RequestContext) -> Refusal {
    switch violation {
    case .bodyTooLarge:
      FCMAnswer.refused(ErrorWord("INVALID_ARGUMENT", 400), "Request payload size exceeds the limit.")
    case .requestTimedOut, .overloaded: FCMAnswer.refused(ErrorWord("UNAVAILABLE", 503), "Try again later.")
    }
  }
}

extension HTTPRequest {
  var pathWithoutQuery: Substring { path.prefix { $0 != "?" } }

  var query: [String: String] {
    guard let mark = path.firstIndex(of: "?") else { return [:] }
    return FormText.decode(path[path.index(after: mark)...])
  }
}
