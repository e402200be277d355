import Configuration
import FoundationEssentials
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK

/// API of one push service: validation of requests and form of responses. Used on the service's event loop.
protocol DialectService: AnyObject {
  var dialect: ScenarioDialect { get }

  /// Validates a request. Like the real service, it reports the first violation only.
  func check(_ request: HTTPRequest, _ context: RequestContext) -> DialectResult

  /// Response to a request that the HTTP server rejected.
  func refusal(of violation: HTTPViolation, path: String, _ context: RequestContext) -> Refusal
}

/// Result of the validation of a request.
enum DialectResult {
  /// A valid notification, whose outcome the scenario determines.
  case notification(IncomingNotification)
  /// - Parameter id: identifies the request in the script.
  case refused(Refusal, id: String)
  /// The response to another request: an access token, a health check.
  case answered(HTTPResponse)
  /// A stream of events.
  case subscription(NtfySubscriber.Request)
  /// A user agent's connection.
  case userAgent
  /// The sender deletes a message that may not have been delivered yet.
  case withdrawal(messageID: String)
}

/// A valid notification.
struct IncomingNotification: Sendable {
  /// Id in the script: that of the payload, or else the service's.
  var id: String
  /// Response if the scenario accepts it.
  var acceptance: HTTPResponse
  /// Response for an error of the scenario.
  var refusal: @Sendable (ErrorAnswer, WallTime) -> Refusal
  /// Content of the device's receipt; `nil` when the payload has no valid `pushscope` member.
  var receipt: PayloadReader.Receipt?
  /// Name of the device, if its token is that of a name (``LoopbackDevice``).
  var device: String?
  /// False for a message that was only to be validated.
  var isForADevice = true
  /// Id by which the sender can delete it.
  var messageID: String?
  /// Message for ntfy's subscribers, which are the devices there.
  var message: NtfyMessage?
  /// What a user agent gets, which is the device then.
  var push: AutopushNotification?
}

/// An error response, and its reason in the script.
struct Refusal: Sendable {
  var status: Int
  /// The service's error reason.
  var reason: String
  var response: HTTPResponse
}

/// Properties of a request beside its content.
struct RequestContext {
  var connection: Int
  /// The peer's address.
  var source: String
  /// Whether its TLS client certificate is signed by the service's authority.
  var hasCertificate = false
  var now: WallTime
  var monotonic: MonotonicTime
  /// Scenario time: since the first request.
  var time: Duration

  /// Unix seconds.
  var seconds: Double { Double(now.microseconds) / 1e6 }
}

extension HTTPResponse {
  /// Adds `retry-after` in whole seconds, rounded up (RFC 9110, section 10.2.3).
  func retrying(after pause: Duration?) -> HTTPResponse {
    guard let pause else { return self }
    var response = self
    let (seconds, rest) = pause.components
    response.headers.add(name: "retry-after", value: String(seconds + (rest > 0 ? 1 : 0)))
    return response
  }
}

/// The four dialects, selected by path.
final class DialectServices {
  let apns: APNsService
  let fcm: FCMService
  let webPush: WebPushService
  let ntfy: NtfyService
  let agents: AutopushService
  private let origins = ServiceOrigins()

  init(
    _ credentials: LoopbackCredentials, scenario: Scenario, clock: any HostClock, eventLoop: any EventLoop
  ) {
    apns = APNsService(
      authenticator: APNsAuthenticator(
        key: credentials.signingKey, keyID: LoopbackCredentials.signingKeyID,
        teamID: LoopbackCredentials.teamID, behavior: scenario.tokens))
    fcm = FCMService(
      tokenEndpoint: OAuthTokenEndpoint(
        account: credentials.account, behavior: scenario.tokens, origins: origins, seed: scenario.seed),
      account: credentials.account, device: credentials.registrationToken)
    agents = AutopushService(
      behavior: scenario.agents, origins: origins, clock: clock, eventLoop: eventLoop)
    webPush = WebPushService(
      authenticator: VAPIDAuthenticator(
        applicationKey: credentials.applicationKey, behavior: scenario.tokens, origins: origins),
      subscription: credentials.subscription, reader: credentials.browser, agents: agents,
      origins: origins)
    ntfy = NtfyService(
      topics: NtfyTopics(behavior: scenario.subscriptions, clock: clock, eventLoop: eventLoop),
      accessControl: NtfyAccessControl(
        username: LoopbackCredentials.username, password: credentials.ntfyPassword,
        token: credentials.ntfyToken, limit: scenario.subscriptions.requests))
  }

  func listen(on port: Int) { origins.listen(on: port) }

  /// A WebSocket is a user agent's, unless its path is that of a topic's stream.
  func service(for request: HTTPRequest) -> any DialectService {
    request.isWebSocketUpgrade && !request.pathWithoutQuery.hasSuffix("/ws")
      ? webPush : service(for: request.path)
  }

  /// ntfy gets all paths that no other dialect claims.
  func service(for path: String) -> any DialectService {
    if path.hasPrefix("/3/") || path.hasPrefix("/4/") { return apns }
    if path.hasPrefix(FCMService.pathPrefix) || path.hasPrefix(OAuthTokenEndpoint.path) { return fcm }
    if path.hasPrefix(WebPushService.pathPrefix) { return webPush }
    return ntfy
  }

  func closed(connection: Int) {
    apns.closed(connection: connection)
  }
}

/// The service's origins, with all names of this host: those of its endpoints, which tokens must name.
final class ServiceOrigins {
  private(set) var all: [String] = []

  /// - Parameter all: none until the service listens.
  init(_ all: [String] = []) { self.all = all }

  func listen(on port: Int) {
    all = ["127.0.0.1", "localhost", "[::1]"].map { "https://\($0):\(port)" }
  }

  /// The one that a client has connected to, as far as it says so.
  func origin(of request: HTTPRequest) -> String {
    let host = request.headers.first(name: "host") ?? ""
    return all.first { $0 == "https://\(host)" } ?? all.first ?? ""
  }
}

/// UUIDs in APNs' form.
enum UUIDText {
  /// Version 4, lower case.
  static func random() -> String { UUID().uuidString.lowercased() }
}
