import Configuration
import HTTPServer
import Measurement
import NIOCore

/// The four dialects, told apart by the path.
final class DialectServices {
  let apns: APNsService
  let fcm: FCMService
  let webPush: WebPushService
  let ntfy: NtfyService

  init(
    _ credentials: LoopbackCredentials, scenario: Scenario, clock: any HostClock, eventLoop: any EventLoop
  ) {
    apns = APNsService(
      gate: APNsAuthenticator(
        key: credentials.signingKey, keyID: LoopbackCredentials.signingKeyID,
        teamID: LoopbackCredentials.teamID, behavior: scenario.tokens))
    fcm = FCMService(
      desk: OAuthTokenEndpoint(account: credentials.account, behavior: scenario.tokens, seed: scenario.seed),
      account: credentials.account, device: credentials.registrationToken)
    webPush = WebPushService(
      gate: VAPIDAuthenticator(applicationKey: credentials.applicationKey, behavior: scenario.tokens),
      subscription: credentials.subscription, reader: credentials.browser)
    ntfy = NtfyService(
      topics: NtfyTopics(behavior: scenario.subscriptions, clock: clock, eventLoop: eventLoop),
      gate: NtfyAccessControl(
        username: LoopbackCredentials.username, password: credentials.ntfyPassword,
        token: credentials.ntfyToken, limit: scenario.subscriptions.requests))
  }

  /// Tells them by which URLs they are reached.
  func listen(on port: Int) {
    let origins = ["127.0.0.1", "localhost", "[::1]"].map { "https://\($0):\(port)" }
    fcm.desk.addresses = origins.map { $0 + OAuthTokenEndpoint.path }
    webPush.gate.origins = origins
  }

  /// Two-part paths that no topic can be belong to somebody; all others are ntfy's, which has the fewest rules.
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
