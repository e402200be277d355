import Configuration
import Foundation
import HTTPServer
import Measurement

/// ntfy: publishing to a topic and listening to it on the same host.
final class NtfyService: DialectService {
  /// What cannot be a topic, as at ntfy.
  private static let reserved: Set<String> = ["docs", "static", "file", "app", "account", "settings", "v1"]
  private static let maximumTopics = 16

  let dialect = ScenarioDialect.ntfy
  let topics: NtfyTopics
  private let gate: NtfyAccessControl

  init(topics: NtfyTopics, gate: NtfyAccessControl) {
    self.topics = topics
    self.gate = gate
  }

  func check(_ request: HTTPRequest, _ context: RequestContext) -> Verdict {
    let parts = request.pathWithoutQuery.split(separator: "/").map(String.init)
    if parts == ["v1", "health"] {
      return .answered(HTTPResponse(status: 200, json: "{\"healthy\":true}\n"))
    }
    do throws(NtfyPublication.Mistake) {
      guard gate.admit(context) else { throw NtfyPublication.Mistake("42901") }
      return try serve(parts, request, context)
    } catch {
      return .refused(NtfyAnswer.refused(error.code), id: NtfyID.random())
    }
  }

  private func serve(
    _ parts: [String], _ request: HTTPRequest, _ context: RequestContext
  ) throws(NtfyPublication.Mistake) -> Verdict {
    switch (request.method, parts.count) {
    case ("POST", 0), ("PUT", 0):
      try authorize(request)
      return notification(try NtfyPublication(json: request), context)
    case ("POST", 1), ("PUT", 1):
      return notification(try publication(parts[0], request), context)
    case ("GET", 2) where ["publish", "send", "trigger"].contains(parts[1]):
      return notification(try publication(parts[0], request), context)
    case ("GET", 2) where parts[1] == "auth":
      try authorize(request)
      return .answered(HTTPResponse(status: 200, json: "{\"success\":true}\n"))
    case ("GET", 2) where parts[1] == "json":
      try authorize(request)
      return .subscription(try subscription(parts[0], request, context))
    case ("GET", 1) where NtfyParameters(request).isOn("x-unifiedpush", "unifiedpush", "up"):
      return .answered(HTTPResponse(status: 200, json: "{\"unifiedpush\":{\"version\":1}}\n"))
    default: throw NtfyPublication.Mistake("40401")
    }
  }

  private func authorize(_ request: HTTPRequest) throws(NtfyPublication.Mistake) {
    if let code = gate.authorize(request) { throw NtfyPublication.Mistake(code) }
  }

  private func publication(
    _ topic: String, _ request: HTTPRequest
  ) throws(NtfyPublication.Mistake) -> NtfyPublication {
    try Self.check(topic: topic)
    try authorize(request)
    return try NtfyPublication(topic: topic, request)
  }

  private static func check(topic: String) throws(NtfyPublication.Mistake) {
    let isTopic =
      (1...64).contains(topic.utf8.count)
      && topic.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x5F
      }
    guard isTopic else { throw NtfyPublication.Mistake("40009") }
    guard !reserved.contains(topic) else { throw NtfyPublication.Mistake("40010") }
  }

  private func notification(
    _ publication: NtfyPublication, _ context: RequestContext
  ) -> Verdict {
    if (try? Self.check(topic: publication.topic)) == nil {
      return .refused(NtfyAnswer.refused("40009"), id: NtfyID.random())
    }
    let message = publication.message(id: NtfyID.random(), time: context.now.microseconds / 1_000_000)
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
  ) throws(NtfyPublication.Mistake) -> NtfySubscriber.Request {
    let list = names.split(separator: ",").map(String.init)
    guard (1...Self.maximumTopics).contains(list.count) else { throw NtfyPublication.Mistake("40009") }
    for topic in list { try Self.check(topic: topic) }
    guard topics.count < NtfyTopics.maximumSubscribers else { throw NtfyPublication.Mistake("42903") }
    let parameters = NtfyParameters(request)
    let isPoll = parameters.isOn("x-poll", "poll", "po")
    let since = try Self.since(parameters["x-since", "since", "si"], isPoll: isPoll, context)
    return NtfySubscriber.Request(topics: list, since: since, isPoll: isPoll)
  }

  /// `all`, `none`, `latest`, a Unix time, a duration back from now, or a message's id.
  private static func since(
    _ text: String?, isPoll: Bool, _ context: RequestContext
  ) throws(NtfyPublication.Mistake) -> NtfySubscriber.Since {
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
        return .time(context.now.microseconds / 1_000_000 - back.components.seconds)
      }
      throw NtfyPublication.Mistake("40008")
    }
  }

  func refusal(of violation: HTTPViolation, path: String, _ context: RequestContext) -> Refusal {
    switch violation {
    case .bodyTooLarge: NtfyAnswer.refused("41301")
    case .requestTimedOut, .overloaded: NtfyAnswer.refused(ErrorWord("ServiceUnavailable", 503))
    }
  }
}
