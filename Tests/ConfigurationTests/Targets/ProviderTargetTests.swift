import Foundation
import Measurement
import TestKit
import Testing

@testable import Configuration

@Suite struct ProviderTargetTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try credentialsDirectory() }

  private func load(_ target: String, environment: [String: String] = [:]) throws -> TargetConfiguration {
    let file = try directory.write("\(UUID().uuidString).yaml", "targets:\n  - { name: t, \(target) }\n")
    let loaded = try PushscopeConfiguration.load(path: file, environment: environment)
    return try #require(loaded.targets.first)
  }

  private func problems(
    _ target: String, environment: [String: String] = [:]
  ) throws -> [ConfigurationProblem] {
    let file = try directory.write("\(UUID().uuidString).yaml", "targets:\n  - { name: t, \(target) }\n")
    do throws(ConfigurationError) {
      _ = try PushscopeConfiguration.load(path: file, environment: environment)
      return []
    } catch {
      return error.problems
    }
  }

  private func path(_ name: String) -> String { directory.path + "/" + name }
  private func file(_ name: String) -> SecretReference { .file(SecretFile(path: path(name))) }

  static let apns =
    "provider: apns, endpoint: 'https://api.push.apple.com', device_token_file: device.token, topic: com.example.app"
  static let token = "credentials: { signing_key_file: key.p8, key_id: ABC123DEFG, team_id: DEF123GHIJ }"
  static let fcm =
    "provider: fcm, endpoint: 'https://fcm.googleapis.com', device_token_file: device.token, credentials: { service_account_file: account.json }"
  static let webpush = "provider: webpush, subscription_file: subscription.json"
  static let vapid = "credentials: { vapid_key_file: vapid.pem, subject: 'mailto:ops@example.com' }"
  static let ntfy = "provider: ntfy, endpoint: 'https://ntfy.example.com', topic: probe"
  static let http = "provider: http, endpoint: 'https://h/x'"

  // MARK: What is right

  @Test func apns() throws {
    let credentials = APNsSettings.Credentials.token(
      signingKey: file("key.p8"), keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
    let plain = try load("\(Self.apns), \(Self.token)")
    #expect(
      plain.settings
        == .apns(
          APNsSettings(
            deviceToken: file("device.token"), topic: "com.example.app", priority: 10,
            credentials: credentials)))
    #expect(plain.provider == .apns && plain.variants.map(\.name) == [""])
    let full = try load(
      "\(Self.apns), \(Self.token), push_type: voip, priority: 5, expiration: 1h, collapse_id: x, payload_bytes: 5120"
    )
    #expect(
      full.settings
        == .apns(
          APNsSettings(
            deviceToken: file("device.token"), topic: "com.example.app", pushType: .voip, priority: 5,
            expiration: .after(.seconds(3600)), collapseID: "x", payloadBytes: 5120, credentials: credentials)
        ))
    let certificate = try load(
      "provider: apns, endpoint: 'https://h:2197', device_token: '${T}', push_type: background, expiration: 1800000000, credentials: { certificate_file: push.pem, private_key_file: push.key }",
      environment: ["T": "00ff"])
    #expect(
      certificate.settings
        == .apns(
          APNsSettings(
            deviceToken: .text(Secret("00ff")), topic: nil, pushType: .background, priority: 5,
            expiration: .at(1_800_000_000),
            credentials: .certificate(
              certificateFile: path("push.pem"), privateKeyFile: SecretFile(path: path("push.key")))))
    )
  }

  @Test func fcm() throws {
    let target = try load("\(Self.fcm), priority: normal, ttl: 60s, validate_only: true, payload_bytes: 4096")
    #expect(
      target.settings
        == .fcm(
          FCMSettings(
            deviceToken: file("device.token"), priority: .normal, ttl: .seconds(60), validateOnly: true,
            payloadBytes: 4096, serviceAccount: file("account.json"))))
    #expect(
      try load(Self.fcm).settings
        == .fcm(FCMSettings(deviceToken: file("device.token"), serviceAccount: file("account.json"))))
  }

  @Test func anInstallationIDStandsInForTheToken() throws {
    let fid = Self.fcm.replacing("device_token_file: device.token", with: "fid_file: device.token")
    #expect(
      try load(fid).settings
        == .fcm(
          FCMSettings(
            deviceToken: file("device.token"), receiver: .fid, serviceAccount: file("account.json"))))
  }

  /// The largest that each service takes; one more is among the mistakes below.
  @Test func takesWhatEachServiceTakes() throws {
    let topic = String(repeating: "t", count: 32)
    for yaml in [
      "\(Self.ntfy), payload_bytes: 4095, priority: 5", "\(Self.fcm), payload_bytes: 4096, ttl: 28d",
      "\(Self.webpush), payload_bytes: 4096, ttl: 30d, topic: \(topic)",
    ] { _ = try load(yaml) }
  }

  @Test func webPushGoesWhereTheSubscriptionSays() throws {
    let target = try load("\(Self.webpush), \(Self.vapid), ttl: 1m, urgency: very-low, topic: probe1")
    #expect(target.endpoint.url == "https://push.example.net/wpush/s3cret")
    #expect(
      target.settings
        == .webpush(
          WebPushSettings(
            receiver: .subscription(file("subscription.json")), ttl: .seconds(60), urgency: .veryLow,
            topic: "probe1",
            credentials: WebPushSettings.Credentials(
              vapidKey: file("vapid.pem"), subject: "mailto:ops@example.com"))))
    let elsewhere = try load("\(Self.webpush), endpoint: 'https://127.0.0.1:8471'")
    #expect(elsewhere.endpoint.url == "https://127.0.0.1:8471/wpush/s3cret")
    let environment = try load(
      "provider: webpush, subscription: '${SUB}'",
      environment: ["SUB": "{\"endpoint\":\n\"https://e/x\"}"])
    #expect(environment.endpoint.url == "https://e/x")
    var dumped = ""
    dump(target, to: &dumped)
    #expect(!("\(target)" + dumped).contains("s3cret"))
  }

  static let subscribing = "provider: webpush, subscribe: 'wss://push.example.net'"

  @Test func webPushThatTheCollectorReceives() throws {
    let target = try load("\(Self.subscribing), \(Self.vapid), receipt_deadline: 2500ms")
    let service = Endpoint(scheme: .https, host: "push.example.net", port: 443)
    #expect(
      target.settings
        == .webpush(
          WebPushSettings(
            receiver: .collector(service), ttl: .seconds(3),
            credentials: WebPushSettings.Credentials(
              vapidKey: file("vapid.pem"), subject: "mailto:ops@example.com"))))
    #expect(target.endpoint.url == "https://push.example.net" && target.settings.isReceivedByCollector)
    // What the collector hears itself needs no listener and has a deadline of its own accord, for which it is kept.
    let plain = try load("\(Self.subscribing), payload_bytes: [300, 400]")
    #expect(plain.receiptDeadline == .seconds(30))
    for variant in plain.variants {
      guard case .webpush(let settings) = variant.settings else { continue }
      #expect(settings.ttl == .seconds(30))
    }
    guard case .webpush(let settings) = try load("\(Self.subscribing), ttl: 0s").settings else { return }
    #expect(settings.ttl == .zero)
    let mozilla = try load("provider: webpush, subscribe: 'WSS://push.services.mozilla.com/'")
    #expect(mozilla.endpoint.origin == "https://updates.push.services.mozilla.com")
    let elsewhere = try load("\(Self.subscribing), endpoint: 'https://e.example.net'")
    #expect(elsewhere.endpoint.origin == "https://e.example.net")
  }

  @Test func ntfy() throws {
    let plain = try load(Self.ntfy)
    #expect(plain.settings == .ntfy(NtfySettings(topic: "probe")))
    #expect(plain.receiptDeadline == nil)
    let subscribing = try load(
      "\(Self.ntfy), subscribe: true, priority: 5, payload_bytes: 256, credentials: { token_file: ntfy.token }"
    )
    #expect(
      subscribing.settings
        == .ntfy(
          NtfySettings(
            topic: "probe", priority: 5, subscribe: true, payloadBytes: 256,
            credentials: .token(file("ntfy.token")))))
    // What the collector hears itself needs no listener and has a deadline of its own accord.
    #expect(subscribing.receiptDeadline == .seconds(30))
    #expect(try load("\(Self.ntfy), subscribe: true, receipt_deadline: 5s").receiptDeadline == .seconds(5))
    let basic = try load(
      "\(Self.ntfy), credentials: { username: me, password: '${P}' }", environment: ["P": "hunter2"])
    #expect(
      basic.settings
        == .ntfy(
          NtfySettings(
            topic: "probe", credentials: .basic(username: "me", password: .text(Secret("hunter2"))))))
    #expect(!"\(basic)".contains("hunter2"))
  }

  @Test func aTemplateThatCarriesTheTicketMayHaveReceipts() throws {
    let text = """
      collector:
        receipts: { listen: '127.0.0.1:1', certificate_file: loopback/server.pem, key_file: loopback/server.key, secret_file: loopback/receipts.secret }
      targets:
        - { name: t, \(Self.http), body_file: template.json, receipt_deadline: 5s, payload_bytes: [300, 400] }
        - { name: u, \(Self.http), headers: { x-id: '{id}', x-mac: '{mac}' }, receipt_deadline: 5s }
        - { name: v, provider: http, endpoint: 'https://h/{id}/{mac}', receipt_deadline: 5s }
      """
    let loaded = try PushscopeConfiguration.load(
      path: try directory.write("receipts.yaml", text), environment: [:])
    #expect(loaded.targets.map(\.receiptDeadline) == [.seconds(5), .seconds(5), .seconds(5)])
    #expect(loaded.targets[0].variants.map(\.name) == ["payload_bytes=300", "payload_bytes=400"])
  }

  // MARK: Variants

  @Test func listsBecomeVariantsInTheOrderOfTheKeys() throws {
    let target = try load(
      "\(Self.apns), \(Self.token), push_type: [alert, voip], priority: [10, 5], payload_bytes: [256, 4096]")
    #expect(
      target.variants.map(\.name) == [
        "priority=10,push_type=alert,payload_bytes=256", "priority=10,push_type=alert,payload_bytes=4096",
        "priority=10,push_type=voip,payload_bytes=256", "priority=10,push_type=voip,payload_bytes=4096",
        "priority=5,push_type=alert,payload_bytes=256", "priority=5,push_type=alert,payload_bytes=4096",
        "priority=5,push_type=voip,payload_bytes=256", "priority=5,push_type=voip,payload_bytes=4096",
      ])
    guard case .apns(let last)? = target.variants.last?.settings else {
      Issue.record("it is an apns target")
      return
    }
    #expect(last.priority == 5 && last.pushType == .voip && last.payloadBytes == 4096)
    #expect(target.settings == target.variants[0].settings)
    let web = try load("\(Self.webpush), ttl: [0s, 60s], urgency: [low, high], payload_bytes: 300")
    #expect(
      web.variants.map(\.name) == [
        "ttl=0s,urgency=low", "ttl=0s,urgency=high", "ttl=60s,urgency=low", "ttl=60s,urgency=high",
      ])
    #expect(
      try load("\(Self.fcm), priority: [high, normal], ttl: [0s, 1m]").variants.map(\.name) == [
        "priority=high,ttl=0s", "priority=high,ttl=60s", "priority=normal,ttl=0s", "priority=normal,ttl=60s",
      ])
    #expect(try load("\(Self.ntfy), priority: [1, 5]").variants.map(\.name) == ["priority=1", "priority=5"])
    #expect(
      try load("provider: loopback, endpoint: 'https://h', priority: [10, 5]").variants.map(\.name) == [
        "priority=10", "priority=5",
      ])
    #expect(try load("\(Self.ntfy), priority: [3]").variants.map(\.name) == [""])
  }

  // MARK: What is wrong

  static let mistakes: [(String, String, String, String)] = [
    // Combinations that providers refuse.
    (
      "\(apns), \(token), push_type: background, priority: 10", "priority",
      "10 does not go with push_type: background", "write 5 or 1"
    ),
    (
      "\(apns), \(token), push_type: [alert, background], priority: [10, 5]", "priority[0]",
      "10 does not go with push_type: background", "a target of its own"
    ),
    (
      "\(apns), \(token), push_type: liveactivity, priority: 1", "priority",
      "1 does not go with push_type: liveactivity", "10 or 5"
    ),
    ("\(apns), \(token), priority: 7", "priority", "7 is not a priority", "10, 5 or 1"),
    (
      "\(apns), \(token), payload_bytes: 5000", "payload_bytes", "5000 is more than push_type: alert allows",
      "at most 4096"
    ),
    (
      "\(apns), \(token), payload_bytes: [1000, 5121]", "payload_bytes[1]", "\"5121\" is out of range",
      "256 to 5120"
    ),
    ("\(apns), \(token), payload_bytes: 10", "payload_bytes", "\"10\" is out of range", "256"),
    ("\(apns), \(token), priority: []", "priority", "is an empty list", "at least one"),
    ("\(apns), \(token), priority: [5, 5]", "priority[1]", "is in the list twice", "keep one"),
    (
      "\(apns), \(token), push_type: alret", "push_type", "\"alret\" is not a valid value",
      "did you mean \"alert\"?"
    ),
    ("\(apns), \(token), expiration: soon", "expiration", "\"soon\" is not an expiration", "like 1h"),
    (
      "\(apns), \(token), collapse_id: \(String(repeating: "x", count: 65))", "collapse_id",
      "longer than 64 bytes", "shorten"
    ),
    ("\(apns), \(token), topic2: x", "topic2", "there is no such key", "did you mean \"topic\"?"),
    ("\(fcm), ttl: 29d", "ttl", "29d is out of range", "28d"),
    ("\(fcm), ttl: 1500ms", "ttl", "1500ms is not a whole number of seconds", "60s"),
    ("\(fcm), priority: hihg", "priority", "not a valid value", "did you mean \"high\"?"),
    ("\(fcm), validate_only: yes", "validate_only", "neither true nor false", "true"),
    (
      "\(fcm), validate_only: true, receipt_deadline: 5s", "receipt_deadline", "nothing is delivered",
      "delete one"
    ),
    (
      "\(fcm), receipt_deadline: 5s", "receipt_deadline", "needs a receipt listener",
      "collector.receipts"
    ),
    ("\(webpush), urgency: urgent", "urgency", "not a valid value", "very-low, low, normal, high"),
    ("\(webpush), topic: pröbe", "topic", "\"pröbe\" is not a topic", "1 to 32"),
    (
      "\(webpush), credentials: { vapid_key_file: vapid.pem, subject: ops }", "credentials.subject",
      "\"ops\" is not a contact", "mailto:"
    ),
    (
      "\(webpush), credentials: { vapid_key_file: vapid.pem }", "credentials", "needs the key \"subject\"",
      "mailto:"
    ),
    (
      "provider: webpush, subscription_file: account.json", "subscription_file", "is not a push subscription",
      "toJSON"
    ),
    (
      "\(webpush), subscribe: 'wss://push.example.net'", "subscription_file",
      "cannot be combined with \"subscribe\"", "keep one"
    ),
    ("provider: webpush, subscribe: 'ws://h'", "subscribe", "\"ws://h\" is not a wss URL", "wss://push"),
    ("provider: webpush, subscribe: true", "subscribe", "is not a wss URL", "wss://push"),
    (
      "provider: webpush, subscribe: 'wss://a:b@h'", "subscribe", "contains a user or password", "no users"
    ),
    (
      "\(subscribing), urgency: [low, high]", "urgency", "has no effect on delivery", "one value"
    ),
    ("provider: webpush", "", "needs the key \"subscription_file\"", "subscription.json"),
    ("\(ntfy), priority: 6", "priority", "\"6\" is out of range", "from 1 to 5"),
    ("\(ntfy), payload_bytes: 4096", "payload_bytes", "out of range", "256 to 4095"),
    ("\(webpush), payload_bytes: 4097", "payload_bytes", "out of range", "256 to 4096"),
    ("\(fcm), payload_bytes: 4097", "payload_bytes", "out of range", "768 to 4096"),
    ("\(fcm), fid: x", "fid", "cannot be combined with \"device_token_file\"", "keep one"),
    ("provider: ntfy, endpoint: 'https://n', topic: a/b", "topic", "\"a/b\" is not a topic", "hyphens"),
    (
      "provider: ntfy, endpoint: 'https://n/x', topic: a", "endpoint", "has a path", "pushscope adds the path"
    ),
    (
      "\(ntfy), credentials: { username: me }", "credentials", "needs the key \"password_file\"",
      "ntfy.password"
    ),
    (
      "\(ntfy), credentials: { password_file: ntfy.token }", "credentials.password_file", "has no user name",
      "username"
    ),
    (
      "\(ntfy), credentials: { username: me, password_file: ntfy.token, token_file: ntfy.token }",
      "credentials.token_file", "cannot be combined with", "keep one"
    ),
    ("\(ntfy), credentials: {}", "credentials", "needs the key \"token_file\"", "ntfy.token"),
    ("\(http), payload_bytes: 100", "payload_bytes", "needs a {padding} placeholder", "{padding}"),
    (
      "\(http), headers: { x: '{sequnce}' }", "headers.x", "there is no placeholder {sequnce}",
      "did you mean {sequence}?"
    ),
    // Credentials.
    ("\(apns)", "", "needs the key \"credentials\"", "signing_key_file"),
    (
      "\(apns), credentials: { key_id: ABC123DEFG, team_id: DEF123GHIJ }", "credentials",
      "needs the key \"signing_key_file\"", ".p8"
    ),
    (
      "\(apns), credentials: { signing_key_file: key.p8, key_id: ABC, team_id: DEF123GHIJ }",
      "credentials.key_id", "not ten letters and digits", "developer site"
    ),
    (
      "\(apns), credentials: { signing_key_file: no.p8, key_id: ABC123DEFG, team_id: DEF123GHIJ }",
      "credentials.signing_key_file", "there is no file", "create it"
    ),
    (
      "\(apns), credentials: { signing_key_file: push.pem, key_id: ABC123DEFG, team_id: DEF123GHIJ }",
      "credentials.signing_key_file", "others may read it (mode 644)", "chmod 600"
    ),
    (
      "\(apns), credentials: { signing_key: 'MIGHAgEA', key_id: ABC123DEFG, team_id: DEF123GHIJ }",
      "credentials.signing_key", "contains a secret as plain text", "signing_key_file"
    ),
    (
      "\(apns), credentials: { certificate_file: push.pem, private_key_file: push.key, key_id: ABC123DEFG }",
      "credentials.key_id", "cannot be combined with \"certificate_file\"", "keep one"
    ),
    (
      "\(apns), credentials: { private_key_file: push.key }", "credentials.private_key_file",
      "has no certificate", "certificate_file"
    ),
    (
      "provider: apns, endpoint: 'https://a', device_token: 00ff, topic: a, \(token)", "device_token",
      "contains a secret as plain text", "${NAME}"
    ),
    (
      "provider: apns, endpoint: 'https://a', device_token_file: device.token, \(token)", "",
      "needs the key \"topic\"", "com.example.app"
    ),
    (
      "provider: apns, endpoint: 'http://a', device_token_file: device.token, topic: a, \(token)", "endpoint",
      "is not https", "apns requires TLS"
    ),
    (
      "provider: apns, device_token_file: device.token, topic: a, \(token)", "", "needs the key \"endpoint\"",
      "https://api.push.apple.com"
    ),
    (
      "provider: fcm, endpoint: 'https://a', device_token_file: empty.secret, credentials: { service_account_file: account.json }",
      "device_token_file", "is empty", "content"
    ),
    ("provider: webpsh", "provider", "\"webpsh\" is not a valid value", "did you mean \"webpush\"?"),
  ]

  @Test(arguments: mistakes) func isNamedWithKeyAndRemedy(
    _ text: String, _ key: String, _ message: String, _ remedy: String
  ) throws {
    let problems = try problems(text)
    let problem = try #require(problems.first { $0.message.contains(message) }, "found only \(problems)")
    #expect(problem.key == "targets[0]" + (key.isEmpty ? "" : ".\(key)"))
    #expect(problem.remedy.contains(remedy), "\(problem.remedy)")
    #expect(problem.place.line == 2 && problem.place.column != nil)
  }

  @Test func tooManyCombinationsAreRefused() throws {
    let sizes = (0..<40).map { String(256 + $0) }.joined(separator: ", ")
    let problem = try #require(
      try problems("\(Self.apns), \(Self.token), priority: [10, 5], payload_bytes: [\(sizes)]").first)
    #expect(problem.message == "has 80 combinations of listed values")
  }

  @Test func secretsAreNeverQuoted() throws {
    let secret = "s3cr3t-value"
    let cases = [
      "provider: apns, endpoint: 'https://a', device_token: '\(secret)', topic: a, \(Self.token)",
      "\(Self.apns), credentials: { signing_key: '${K}', key_id: '${K}', team_id: '${K}' }",
      "provider: webpush, subscription: '${K}'", "provider: webpush, subscription: '\(secret)'",
      "\(Self.ntfy), credentials: { token: '\(secret)' }",
      "\(Self.webpush), credentials: { vapid_key: '${K}', subject: '${K}' }",
    ]
    for text in cases {
      let problems = try problems(text, environment: ["K": secret])
      #expect(!problems.isEmpty)
      for problem in problems { #expect(!problem.description.contains(secret), "\(problem)") }
    }
  }

  /// Whatever stands there is read or refused with a place, and nothing else happens.
  @Test func noiseIsRefusedWithAPlace() throws {
    let words = ["7", "[]", "{}", "[[1]]", "'${'", "~", "\"\\u202E\"", "[1, {a: b}, ~]", "1e9", "-1"]
    let keys = [
      "priority", "push_type", "payload_bytes", "expiration", "credentials", "device_token_file", "topic",
      "ttl", "urgency", "subscribe", "token", "headers", "body_file",
    ]
    for provider in ["apns", "fcm", "webpush", "ntfy", "http", "loopback"] {
      for key in keys {
        for word in words {
          for problem in try problems("provider: \(provider), endpoint: 'https://h', \(key): \(word)") {
            #expect(problem.place.line != nil)
            #expect(!problem.description.contains("\u{202E}"))
          }
        }
      }
    }
  }
}
