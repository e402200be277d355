import Configuration
import HTTPServer

/// Apple's provider API: `POST /3/device/<token>`.
final class APNsService: DialectService {
  let dialect = ScenarioDialect.apns
  private let gate: APNsAuthenticator
  private let freshID: () -> String

  /// - Parameter freshID: makes an `apns-id` for a request that has none, or one that is no UUID.
  init(gate: APNsAuthenticator, freshID: @escaping () -> String = UUIDText.random) {
    self.gate = gate
    self.freshID = freshID
  }

  func closed(connection: Int) { gate.closed(connection: connection) }

  func check(_ request: HTTPRequest, _ context: RequestContext) -> Verdict {
    var fields = APNsFields(request.headers)
    // A certificate for one topic names it.
    if context.hasCertificate, fields.topic == nil { fields.topic = LocalCredentials.clientTopic }
    let id = fields.id.flatMap { APNsRules.isUUID($0) ? $0 : nil } ?? freshID()
    let mistake = APNsRules.mistake(in: request, fields) { value in
      gate.authorize(value, hasCertificate: context.hasCertificate, context)
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
        }, receipt: payload.receipt))
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
      ErrorCatalog.apns[word] ?? ErrorWord("InternalServerError", 500), id: id, now: context.now)
  }
}
