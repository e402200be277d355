import Configuration
import Foundation
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK

/// Firebase Cloud Messaging, HTTP v1: `POST /v1/projects/<project>/messages:send`, and the OAuth token endpoint.
final class FCMService: DialectService {
  static let pathPrefix = "/v1/projects/"

  let dialect = ScenarioDialect.fcm
  let tokenEndpoint: OAuthTokenEndpoint
  private let account: LoopbackCredentials.Account
  private let device: String
  private var lastMessage = 0

  init(tokenEndpoint: OAuthTokenEndpoint, account: LoopbackCredentials.Account, device: String) {
    self.tokenEndpoint = tokenEndpoint
    self.account = account
    self.device = device
  }

  func check(_ request: HTTPRequest, _ context: RequestContext) -> DialectResult {
    let path = request.pathWithoutQuery
    if path == OAuthTokenEndpoint.path { return .answered(tokenEndpoint.exchange(request, context)) }
    lastMessage += 1
    let number = lastMessage
    func refused(_ word: String, _ message: String, field: String? = nil) -> DialectResult {
      let word = ErrorCatalog.fcm[word] ?? ErrorReason("INTERNAL", 500)
      return .refused(FCMAnswer.refused(word, message, field: field), id: "fcm-\(number)")
    }
    let parts = path.dropFirst(Self.pathPrefix.count).split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1] == "messages:send", request.method == "POST" else {
      return refused("NOT_FOUND", "The requested URL was not found on this server.")
    }
    switch tokenEndpoint.check(request.headers.first(name: "authorization"), context) {
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
    let name =
      message.isOnlyValidated
      ? "fake_message_id"
      : "0:\(context.now.microseconds)%" + HexText.make(UInt64(truncatingIfNeeded: number))
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
      FCMAnswer.refused(ErrorReason("INVALID_ARGUMENT", 400), "Request payload size exceeds the limit.")
    case .requestTimedOut, .overloaded: FCMAnswer.refused(ErrorReason("UNAVAILABLE", 503), "Try again later.")
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

/// Responses in Google's form (google.rpc.Status), with FCM's code as a detail.
enum FCMAnswer {
  /// Reasons of Google's front end, without FcmError.
  private static let frontEnd: Set<String> = ["UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND"]

  private static let codes: [Int: String] = [
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
  ]

  static func accepted(project: String, message: String) -> HTTPResponse {
    HTTPResponse(status: 200, json: "{\n  \"name\": \"projects/\(project)/messages/\(message)\"\n}\n")
  }

  /// - Parameters:
  ///   - message: what is wrong, for people.
  ///   - field: the one at fault, for google.rpc.BadRequest.
  static func refused(
    _ reason: ErrorReason, _ message: String, field: String? = nil, retryAfter: Duration? = nil
  ) -> Refusal {
    var details: [String] = []
    if let field {
      details.append(
        "{\"@type\":\"type.googleapis.com/google.rpc.BadRequest\",\"fieldViolations\":[{\"field\":"
          + "\(JSONText.quoted(field)),\"description\":\(JSONText.quoted(message))}]}")
    }
    if !frontEnd.contains(reason.text) {
      details.append(
        "{\"@type\":\"type.googleapis.com/google.firebase.fcm.v1.FcmError\",\"errorCode\":\"\(reason.text)\"}"
      )
    }
    let status = frontEnd.contains(reason.text) ? reason.text : codes[reason.status] ?? "UNKNOWN"
    let list = details.isEmpty ? "" : ",\"details\":[\(details.joined(separator: ","))]"
    var headers = HPACKHeaders()
    if reason.status == 401 { headers.add(name: "www-authenticate", value: "Bearer realm=\"loopback\"") }
    let response = HTTPResponse(
      status: reason.status,
      json: "{\"error\":{\"code\":\(reason.status),\"message\":\(JSONText.quoted(message)),\"status\":"
        + "\"\(status)\"\(list)}}", headers: headers)
    return Refusal(
      status: reason.status, reason: field.map { "\(reason.text): \($0)" } ?? reason.text,
      response: response.retrying(after: retryAfter))
  }
}
