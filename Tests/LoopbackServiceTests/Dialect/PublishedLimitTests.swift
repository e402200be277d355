import Foundation
import Measurement
import NIOCore
import NIOHPACK
import NIOPosix
import Providers
import TestKit
import Testing

@testable import Configuration
@testable import HTTPServer
@testable import LoopbackService

/// The limits that the four services publish, as literals from both sides: the configuration and the provider accept the
/// largest value, and the loopback service accepts the request; one more is refused by each of them.
@Suite struct PublishedLimitTests {
  private let directory: TemporaryDirectory
  private let credentials: LoopbackCredentials
  private let services: DialectServices
  private let context = RequestContext.test()
  private static let origin = "https://127.0.0.1:1"

  init() throws {
    directory = try TemporaryDirectory()
    credentials = try LoopbackCredentials.open(in: directory.path, now: context.now)
    try credentials.writeClientFiles(port: 1, receipts: nil)
    services = DialectServices(
      credentials, scenario: Scenario(), clock: SystemClock(),
      eventLoop: MultiThreadedEventLoopGroup.singleton.next())
    services.listen(on: 1)
  }

  // MARK: Both sides

  private func bytes(_ file: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: directory.file(file))))
  }

  private func text(_ file: String) throws -> String {
    String(decoding: try bytes(file), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Whether the configuration accepts a target with these keys.
  private func isConfigurable(_ keys: String) throws -> Bool {
    let path = directory.file("limits.yaml")
    try "targets:\n  - { name: t, \(keys) }\n".write(toFile: path, atomically: true, encoding: .utf8)
    do throws(ConfigurationError) {
      _ = try PushscopeConfiguration.load(path: path, environment: [:])
      return true
    } catch {
      #expect(error.code == .invalid, "\(error)")
      return false
    }
  }

  private func isValid(_ provider: () throws -> any Provider) throws -> Bool {
    do {
      _ = try provider()
      return true
    } catch is ProviderError {
      return false
    }
  }

  private static let notification = PushNotification(
    id: NotificationID(
      run: RunID(uuid: UUID()), sample: SampleID(target: TargetID(rawValue: 1), sequence: 1)),
    mac: String(repeating: "m", count: 43), plannedAt: WallTime(microseconds: 1_780_000_000_000_000))

  private func request(of provider: any Provider) -> PushRequest {
    provider.request(for: Self.notification)
  }

  /// The reason of the loopback service's refusal; `nil` when it accepts the request.
  private func refusal(_ request: PushRequest) -> String? {
    guard case .refused(let refusal, _) = result(request) else { return nil }
    return refusal.reason
  }

  private func result(_ request: PushRequest) -> DialectResult {
    let path = String(request.url.dropFirst(Self.origin.utf8.count))
    return services.service(for: path).check(
      HTTPRequest(
        method: request.method, path: path,
        headers: HPACKHeaders(request.headers.map { ($0.name, $0.value) }),
        body: ByteBuffer(bytes: request.body), version: .http2, arrivedAt: .zero), context)
  }

  private func acceptance(_ request: PushRequest) -> HTTPResponse? {
    guard case .notification(let notification) = result(request) else { return nil }
    return notification.acceptance
  }

  // MARK: APNs

  private static let apnsKeys =
    "provider: apns, endpoint: '\(origin)', device_token_file: apns.token, "
    + "credentials: { signing_key_file: AuthKey_LOOPBACK01.p8, key_id: LOOPBACK01, team_id: PUSHSCOPE1 }"

  private func apns(
    _ pushType: APNsPushType = .alert, deviceToken: String? = nil, topic: String = "com.example.app",
    priority: Int? = nil, expiration: APNsExpiration = .once, collapseID: String? = nil,
    payloadBytes: Int? = nil
  ) throws -> APNsProvider {
    try APNsProvider(
      origin: Self.origin, deviceToken: try deviceToken ?? text("apns.token"), topic: topic,
      pushType: pushType,
      priority: priority, expiration: expiration, collapseID: collapseID, payloadBytes: payloadBytes,
      authorization: .bearer("loopback"))
  }

  @Test(arguments: APNsPushType.allCases) func apnsPayload(pushType: APNsPushType) throws {
    let limit = pushType == .voip ? 5120 : 4096
    let keys = "\(Self.apnsKeys), topic: com.example.app, push_type: \(pushType.rawValue)"
    #expect(try isConfigurable("\(keys), payload_bytes: \(limit)"))
    #expect(try !isConfigurable("\(keys), payload_bytes: \(limit + 1)"))
    #expect(try !isValid { try apns(pushType, payloadBytes: limit + 1) })
    var request = request(of: try apns(pushType, payloadBytes: limit))
    #expect(request.body.count == limit && refusal(request) == nil)
    request.body.append(0x20)
    #expect(refusal(request) == "PayloadTooLarge")
  }

  /// The limit is in bytes, not in characters.
  @Test(arguments: [("c", 64, 65), ("é", 32, 33)])
  func apnsCollapseID(character: String, most: Int, more: Int) throws {
    let (long, longer) = (
      String(repeating: character, count: most), String(repeating: character, count: more)
    )
    let keys = "\(Self.apnsKeys), topic: com.example.app"
    #expect(try isConfigurable("\(keys), collapse_id: \(long)"))
    #expect(try !isConfigurable("\(keys), collapse_id: \(longer)"))
    #expect(try !isValid { try apns(collapseID: longer) })
    #expect(try !isValid { try apns(collapseID: "") })
    var request = request(of: try apns(collapseID: long))
    #expect(refusal(request) == nil)
    request.replace("apns-collapse-id", longer)
    #expect(refusal(request) == "BadCollapseId")
  }

  /// The limit applies to the topic that is sent, with the push type's suffix.
  @Test(arguments: APNsPushType.allCases) func apnsTopic(pushType: APNsPushType) throws {
    let suffix = [
      "complication": ".complication", "controls": ".push-type.controls",
      "fileprovider": ".pushkit.fileprovider",
      "liveactivity": ".push-type.liveactivity", "location": ".location-query", "pushtotalk": ".voip-ptt",
      "voip": ".voip", "widgets": ".push-type.widgets",
    ][pushType.rawValue, default: ""]
    let longest = String(repeating: "t", count: 255 - suffix.utf8.count)
    let keys = "\(Self.apnsKeys), push_type: \(pushType.rawValue)"
    #expect(try isConfigurable("\(keys), topic: \(longest)"))
    #expect(try !isConfigurable("\(keys), topic: \(longest)t"))
    #expect(try !isValid { try apns(pushType, topic: longest + "t") })
    var request = request(of: try apns(pushType, topic: longest))
    #expect(request.headers.contains(HeaderField("apns-topic", longest + suffix)))
    #expect(refusal(request) == nil)
    request.replace("apns-topic", "t" + longest + suffix)
    #expect(refusal(request) == "BadTopic")
  }

  @Test func loopbackTopic() throws {
    let keys = "provider: loopback, endpoint: '\(Self.origin)'"
    let longest = String(repeating: "t", count: 255)
    #expect(try isConfigurable("\(keys), topic: \(longest)"))
    #expect(refusal(request(of: LoopbackProvider(origin: Self.origin, topic: longest))) == nil)
    for topic in [longest + "t", "'a b'"] {
      #expect(try !isConfigurable("\(keys), topic: \(topic)"))
      #expect(refusal(request(of: LoopbackProvider(origin: Self.origin, topic: topic))) == "BadTopic")
    }
    #expect(try isConfigurable("\(keys), payload_bytes: 4096"))
    #expect(try !isConfigurable("\(keys), payload_bytes: 4097"))
    #expect(refusal(request(of: LoopbackProvider(origin: Self.origin, payloadBytes: 4096))) == nil)
    #expect(
      refusal(request(of: LoopbackProvider(origin: Self.origin, payloadBytes: 4097))) == "PayloadTooLarge")
  }

  @Test(arguments: APNsPushType.allCases) func apnsPriority(pushType: APNsPushType) throws {
    let allowed: Set<Int> =
      switch pushType {
      case .background: [1, 5]
      case .liveactivity: [5, 10]
      default: [1, 5, 10]
      }
    let keys = "\(Self.apnsKeys), topic: com.example.app, push_type: \(pushType.rawValue)"
    for priority in 0...11 {
      let isAllowed = allowed.contains(priority)
      #expect(try isConfigurable("\(keys), priority: \(priority)") == isAllowed)
      #expect(try isValid { try apns(pushType, priority: priority) } == isAllowed)
      var request = request(of: try apns(pushType))
      request.replace("apns-priority", String(priority))
      #expect((refusal(request) == nil) == isAllowed)
    }
  }

  /// APNs stores a notification for 30 days at most, and does not refuse a later date.
  @Test func apnsExpiration() throws {
    let keys = "\(Self.apnsKeys), topic: com.example.app"
    #expect(try isConfigurable("\(keys), expiration: 30d"))
    #expect(try !isConfigurable("\(keys), expiration: 30d1s"))
    #expect(try !isValid { try apns(expiration: .after(.seconds(2_592_001))) })
    #expect(try !isValid { try apns(expiration: .at(-1)) })
    var request = request(of: try apns(expiration: .after(.seconds(2_592_000))))
    #expect(request.headers.contains(HeaderField("apns-expiration", "1782592000")))
    #expect(refusal(request) == nil)
    request.replace("apns-expiration", "1782592001")
    #expect(refusal(request) == nil)
    request.replace("apns-expiration", "-1")
    #expect(refusal(request) == "BadExpirationDate")
  }

  @Test func apnsDeviceToken() throws {
    for (digits, isAllowed) in [(62, false), (64, true), (65, false), (160, true), (512, true), (514, false)]
    {
      let token = String(repeating: "a", count: digits)
      #expect(try isValid { try apns(deviceToken: token) } == isAllowed, "\(digits) digits")
      var request = request(of: try apns())
      request.url = "\(Self.origin)/3/device/\(token)"
      #expect(refusal(request) == (isAllowed ? nil : "BadDeviceToken"), "\(digits) digits")
    }
  }

  // MARK: FCM

  private static let fcmKeys =
    "provider: fcm, endpoint: '\(origin)', credentials: { service_account_file: service-account.json }"

  private func accessToken() throws -> String {
    let account = try ServiceAccount(json: try bytes("service-account.json"))
    guard case .answered(let response) = result(try account.tokenRequest(issuedAt: context.now)) else {
      return ""
    }
    return try OAuthToken.parse(
      PushResponse(status: response.status, body: Array(buffer: response.body), receivedAt: context.now)
    ).get().value
  }

  private func fcm(
    _ receiver: FCMReceiver = .token, device: String? = nil, ttl: Duration = .zero, payloadBytes: Int? = nil,
    accessToken: String = "a"
  ) throws -> FCMProvider {
    let account = try ServiceAccount(json: try bytes("service-account.json"))
    return try FCMProvider(
      origin: Self.origin, projectID: account.projectID, deviceToken: try device ?? text("fcm.token"),
      receiver: receiver, ttl: ttl, payloadBytes: payloadBytes, accessToken: accessToken)
  }

  /// `payload_bytes` is the size of the body, which is never smaller than the payload that FCM counts.
  @Test func fcmPayload() throws {
    let keys = "\(Self.fcmKeys), device_token_file: fcm.token"
    #expect(try isConfigurable("\(keys), payload_bytes: 4096"))
    #expect(try !isConfigurable("\(keys), payload_bytes: 4097"))
    #expect(try !isValid { try fcm(payloadBytes: 4097) })
    var request = request(of: try fcm(payloadBytes: 4096, accessToken: accessToken()))
    #expect(request.body.count == 4096 && refusal(request) == nil)
    let token = try text("fcm.token")
    for (receiver, limit) in [("\"token\":\"\(token)\"", 4096), ("\"topic\":\"news\"", 2048)] {
      for bytes in [limit, limit + 1] {
        let value = String(repeating: "x", count: bytes - 1)
        request.body = Array("{\"message\":{\(receiver),\"data\":{\"k\":\"\(value)\"}}}".utf8)
        #expect(refusal(request) == (bytes == limit ? nil : "INVALID_ARGUMENT"))
      }
    }
  }

  @Test func fcmTimeToLive() throws {
    let keys = "\(Self.fcmKeys), device_token_file: fcm.token"
    #expect(try isConfigurable("\(keys), ttl: 28d"))
    #expect(try !isConfigurable("\(keys), ttl: 28d1s"))
    #expect(try !isValid { try fcm(ttl: .seconds(2_419_201)) })
    #expect(try !isValid { try fcm(ttl: .seconds(-1)) })
    var request = request(of: try fcm(ttl: .seconds(2_419_200), accessToken: accessToken()))
    #expect(refusal(request) == nil)
    let longer = String(decoding: request.body, as: UTF8.self).replacingOccurrences(
      of: "2419200s", with: "2419201s")
    request.body = Array(longer.utf8)
    #expect(refusal(request) == "INVALID_ARGUMENT: message.android.ttl")
  }

  @Test func fcmInstallationID() throws {
    let accessToken = try accessToken()
    let known = String(try text("fcm.token").prefix { $0 != ":" })
    #expect(known.utf8.count == 22)
    #expect(refusal(request(of: try fcm(.fid, device: known, accessToken: accessToken))) == nil)
    for fid in [String(known.dropLast()), known + "x"] {
      #expect(try !isValid { try fcm(.fid, device: fid) })
      var request = request(of: try fcm(.fid, device: known, accessToken: accessToken))
      request.body = Array(
        String(decoding: request.body, as: UTF8.self).replacingOccurrences(of: known, with: fid).utf8)
      #expect(refusal(request) == "INVALID_ARGUMENT: message.fid")
    }
  }

  // MARK: Web Push

  private static let webPushKeys = "provider: webpush, subscription_file: subscription.json"

  private func webPush(
    file: String = "subscription.json", ttl: Duration = .zero, urgency: WebPushUrgency = .high,
    topic: String? = nil,
    payloadBytes: Int? = nil
  ) throws -> WebPushProvider {
    let subscription = try PushSubscription(json: try bytes(file))
    let signer = try VAPIDSigner(keyPEM: try bytes("vapid.pem"), subject: "mailto:ops@example.com")
    return try WebPushProvider(
      subscription: subscription, ttl: ttl, urgency: urgency, topic: topic, payloadBytes: payloadBytes,
      authorization: try signer.authorization(for: subscription.origin, issuedAt: context.now))
  }

  @Test func webPushBody() throws {
    #expect(try isConfigurable("\(Self.webPushKeys), payload_bytes: 4096"))
    #expect(try !isConfigurable("\(Self.webPushKeys), payload_bytes: 4097"))
    #expect(try !isValid { try webPush(payloadBytes: 4097) })
    var request = request(of: try webPush(payloadBytes: 4096))
    #expect(request.body.count == 4096 && refusal(request) == nil)
    request.body.append(0)
    #expect(refusal(request) == "errno 104 Payload Too Large")
  }

  @Test func webPushTopic() throws {
    let longest = String(repeating: "t", count: 32)
    #expect(try isConfigurable("\(Self.webPushKeys), topic: \(longest)"))
    #expect(try !isConfigurable("\(Self.webPushKeys), topic: \(longest)t"))
    #expect(try !isValid { try webPush(topic: longest + "t") })
    var request = request(of: try webPush(topic: longest))
    #expect(refusal(request) == nil)
    request.replace("topic", longest + "t")
    #expect(refusal(request) == "errno 113 Bad Request")
  }

  /// Apple decodes the topic as base64url, so that a length of 4n + 1 is invalid.
  @Test func webPushTopicForApple() throws {
    var subscription = try PushSubscription(json: try bytes("subscription.json"))
    subscription.endpoint = "https://web.push.apple.com/x"
    for length in 1...32 {
      let topic = String(repeating: "t", count: length)
      let isAllowed = length % 4 != 1
      #expect(
        try isValid { try WebPushProvider(subscription: subscription, topic: topic, authorization: nil) }
          == isAllowed)
      let request = request(of: try webPush(file: "subscription-apple.json", topic: topic))
      #expect(refusal(request) == (isAllowed ? nil : "BadWebPushTopic"), "\(length) characters")
    }
  }

  /// Apple takes no contact at a local host.
  @Test func webPushSubjectForApple() throws {
    for (subject, isAllowed) in [
      ("mailto:ops@example.com", true), ("https://example.com:8443/contact?a@localhost", true),
      ("mailto:ops@localhost.example.com", true), ("mailto:ops@LOCALHOST", false),
      ("mailto:ops@mac.local?subject=x", false), ("https://localhost/contact", false),
      ("https://me@a.localhost:1/", false), ("https://127.0.0.1", false), ("https://[::1]:8443/", false),
    ] {
      #expect(WebPushDialect.isSubject(subject))
      #expect(WebPushDialect.isSubjectForApple(subject) == isAllowed, "\(subject)")
      let signer = try VAPIDSigner(keyPEM: try bytes("vapid.pem"), subject: subject)
      var request = request(of: try webPush(file: "subscription-apple.json"))
      request.replace("authorization", try signer.authorization(for: Self.origin, issuedAt: context.now))
      #expect(refusal(request) == (isAllowed ? nil : "BadJwtToken"), "\(subject)")
    }
  }

  /// Services shorten a longer TTL and say so in the response (RFC 8030, section 5.2).
  @Test func webPushTimeToLive() throws {
    #expect(try isConfigurable("\(Self.webPushKeys), ttl: 30d"))
    #expect(try !isConfigurable("\(Self.webPushKeys), ttl: 30d1s"))
    #expect(try !isValid { try webPush(ttl: .seconds(2_592_001)) })
    #expect(try !isValid { try webPush(ttl: .seconds(-1)) })
    var request = request(of: try webPush(ttl: .seconds(2_592_000)))
    #expect(acceptance(request)?.headers.first(name: "ttl") == "2592000")
    request.replace("ttl", "2592001")
    #expect(acceptance(request)?.headers.first(name: "ttl") == "2592000")
    request.replace("ttl", "-1")
    #expect(refusal(request) == "errno 114 Bad Request")
  }

  @Test func webPushUrgency() throws {
    for urgency in ["very-low", "low", "normal", "high", "very-high", "High"] {
      let isAllowed = !["very-high", "High"].contains(urgency)
      #expect(try isConfigurable("\(Self.webPushKeys), urgency: \(urgency)") == isAllowed)
      #expect((WebPushUrgency(rawValue: urgency) != nil) == isAllowed)
      var request = request(of: try webPush())
      request.replace("urgency", urgency)
      #expect((refusal(request) == nil) == isAllowed)
    }
  }

  /// A VAPID token may be valid for 24 hours (RFC 8292, section 2).
  @Test func vapidLifetime() throws {
    #expect(VAPIDSigner.tokenLifetime <= .seconds(86_400))
    let signer = try VAPIDSigner(keyPEM: try bytes("vapid.pem"), subject: "mailto:ops@example.com")
    let ahead = 86_400 - VAPIDSigner.tokenLifetime.components.seconds
    for (seconds, isAllowed) in [(ahead, true), (ahead + 1, false)] {
      var request = request(of: try webPush())
      let issued = context.now.advanced(byMicroseconds: seconds * 1_000_000)
      request.replace("authorization", try signer.authorization(for: Self.origin, issuedAt: issued))
      #expect((refusal(request) == nil) == isAllowed)
    }
  }

  // MARK: ntfy

  private static let ntfyKeys = "provider: ntfy, endpoint: '\(origin)'"

  private func ntfy(
    _ topic: String = "probe", priority: Int? = nil, payloadBytes: Int? = nil
  ) throws -> NtfyProvider {
    try NtfyProvider(
      origin: Self.origin, topic: topic, priority: priority, authorization: .token(try text("ntfy.token")),
      payloadBytes: payloadBytes)
  }

  @Test func ntfyMessage() throws {
    #expect(try isConfigurable("\(Self.ntfyKeys), topic: probe, payload_bytes: 4095"))
    #expect(try !isConfigurable("\(Self.ntfyKeys), topic: probe, payload_bytes: 4096"))
    #expect(try !isValid { try ntfy(payloadBytes: 4096) })
    var request = request(of: try ntfy(payloadBytes: 4095))
    #expect(request.body.count == 4095 && refusal(request) == nil)
    request.body.append(0x20)
    #expect(refusal(request)?.hasPrefix("40014") == true)
  }

  @Test func ntfyTopic() throws {
    let longest = String(repeating: "t", count: 64)
    let reserved = [
      "docs", "static", "file", "app", "metrics", "account", "settings", "signup", "login", "v1",
    ]
    for (topic, code) in [(longest, nil), (longest + "t", "40009"), ("a.b", "40009")]
      + reserved.map({ ($0, "40010") })
    {
      #expect(try isConfigurable("\(Self.ntfyKeys), topic: \(topic)") == (code == nil), "\(topic)")
      #expect(try isValid { try ntfy(topic) } == (code == nil), "\(topic)")
      var request = request(of: try ntfy())
      request.url = "\(Self.origin)/\(topic)"
      #expect(refusal(request).map { String($0.prefix(5)) } == code, "\(topic)")
    }
  }

  @Test func ntfyPriority() throws {
    for priority in 0...6 {
      let isAllowed = (1...5).contains(priority)
      #expect(try isConfigurable("\(Self.ntfyKeys), topic: probe, priority: \(priority)") == isAllowed)
      #expect(try isValid { try ntfy(priority: priority) } == isAllowed)
      var request = request(of: try ntfy(priority: 3))
      request.replace("priority", String(priority))
      #expect((refusal(request) == nil) == isAllowed)
    }
  }
}

extension PushRequest {
  fileprivate mutating func replace(_ name: String, _ value: String) {
    headers.removeAll { $0.name == name }
    headers.append(HeaderField(name, value))
  }
}
