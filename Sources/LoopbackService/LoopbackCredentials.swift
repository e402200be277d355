import Configuration
import Cryptography
import Foundation
import HTTPServer
import Measurement

/// Credentials of the loopback service and its clients, created once for each directory.
public struct LoopbackCredentials: Sendable {
  /// A Google service account.
  struct Account: Sendable {
    var projectID: String
    var clientEmail: String
    var keyID: String
    var publicKey: RSA.PublicKey
  }

  /// Key and team of provider tokens, constant so that configurations can be written by hand.
  public static let signingKeyID = "LOOPBACK01"
  public static let teamID = "PUSHSCOPE1"
  public static let projectID = "pushscope-loopback"
  /// User name for ntfy.
  public static let username = "loopback"
  /// ntfy topic of the generated configuration.
  public static let ntfyTopic = "pushscope"

  public let directory: String
  let local: LocalCredentials
  let signingKey: P256.PublicKey
  let account: Account
  /// The only registration token of FCM.
  let registrationToken: String
  /// The secret part of every Web Push endpoint.
  let subscription: String
  let browser: PushMessageReader
  let applicationKey: P256.PublicKey
  let ntfyToken: String
  let ntfyPassword: String

  public var serviceAccountFile: String { "\(directory)/service-account.json" }
  /// The generated configuration with one target for each dialect.
  public var configurationFile: String { "\(directory)/loopback.yaml" }

  /// `subscription.json` has Mozilla's response format, `-apple` and `-unifiedpush` the others.
  func subscriptionFile(_ style: WebPushErrorStyle) -> String {
    "\(directory)/subscription\(style == .mozilla ? "" : "-\(style.rawValue)").json"
  }
}

extension LoopbackCredentials {
  /// Reads the credentials in `directory` and creates missing ones, with mode 0600 for secrets.
  ///
  /// ``writeClientFiles(host:port:receipts:)`` writes the files that depend on the address.
  ///
  /// - Throws: ``HTTPServerError`` when a file cannot be written, ``LoopbackError`` for an invalid file.
  static func open(in directory: String, now: WallTime) throws -> LoopbackCredentials {
    let local = try LocalAuthority.credentials(in: directory, now: now)
    func file(_ name: String) -> String { "\(directory)/\(name)" }
    let signing = try key(in: file("AuthKey_\(signingKeyID).p8"))
    let application = try key(in: file("vapid.pem"))
    let browser = try browserKeys(in: file("browser.json"))
    let account = try account(in: file("service-account.json"))
    _ = try text(in: file("apns.token")) { String(repeating: "70757368", count: 8) }
    return LoopbackCredentials(
      directory: directory, local: local, signingKey: signing, account: account,
      registrationToken: try text(in: file("fcm.token")) {
        // Like Google's, it starts with the installation ID.
        randomText(bytes: 17).prefix(22) + ":APA91b" + randomText(bytes: 100)
      }, subscription: browser.subscription, browser: browser.reader, applicationKey: application,
      ntfyToken: try text(in: file("ntfy.token")) {
        "tk_" + HexText.random(bytes: 32).prefix(29)
      }, ntfyPassword: try text(in: file("ntfy.password")) { randomText(bytes: 18) })
  }

  private static func text(in path: String, make: () -> String) throws -> String {
    if let known = try? String(contentsOfFile: path, encoding: .utf8) {
      let text = known.trimmingCharacters(in: .whitespacesAndNewlines)
      if !text.isEmpty { return text }
    }
    let text = make()
    try PrivateFile.write(text + "\n", to: path, mode: 0o600)
    return text
  }

  private static func key(in path: String) throws -> P256.PublicKey {
    let pem = try text(in: path) { P256.PrivateKey().pem }
    guard let key = try? P256.PrivateKey(pem: pem) else { throw unusable(path) }
    return key.publicKey
  }

  private struct BrowserFile: Codable {
    var subscription: String
    var privateKey: String
    var auth: String
  }

  private static func browserKeys(in path: String) throws -> (subscription: String, reader: PushMessageReader)
  {
    let json = try text(in: path) {
      let file = BrowserFile(
        subscription: randomText(bytes: 24),
        privateKey: Base64URLText.encode(Data(P256.PrivateKey().rawRepresentation)),
        auth: randomText(bytes: 16))
      return JSONText.make(file)
    }
    guard let file = try? JSONDecoder().decode(BrowserFile.self, from: Data(json.utf8)),
      let raw = Base64URLText.decode(file.privateKey), let auth = Base64URLText.decode(file.auth),
      auth.count == 16, let key = try? P256.PrivateKey(rawRepresentation: Array(raw))
    else { throw unusable(path) }
    return (file.subscription, PushMessageReader(privateKey: key, secret: Array(auth)))
  }

  struct AccountFile: Codable {
    var type = "service_account"
    var project_id: String
    var private_key_id: String
    var private_key: String
    var client_email: String
    var client_id = "100000000000000000001"
    var token_uri: String
  }

  private static func account(in path: String) throws -> Account {
    let json = try text(in: path) {
      let file = AccountFile(
        project_id: projectID, private_key_id: HexText.random(bytes: 16),
        private_key: RSA.PrivateKey().pem + "\n",
        client_email: "loopback@\(projectID).iam.gserviceaccount.com", token_uri: "")
      return JSONText.make(file)
    }
    guard let file = try? JSONDecoder().decode(AccountFile.self, from: Data(json.utf8)),
      let key = try? RSA.PrivateKey(pem: file.private_key)
    else { throw unusable(path) }
    return Account(
      projectID: file.project_id, clientEmail: file.client_email, keyID: file.private_key_id,
      publicKey: key.publicKey)
  }

  static func randomText(bytes: Int) -> String {
    Base64URLText.encode(Data(RandomBytes.make(bytes)))
  }

  private static func unusable(_ path: String) -> LoopbackError {
    LoopbackError(
      .unusableFile, place: path, message: "is not what the loopback service wrote there",
      remedy: "delete it, so that it is made anew, or name another directory (--credentials)")
  }
}

extension LoopbackCredentials {
  /// Writes the client files that depend on the address: the service account with its token endpoint, the subscriptions
  /// with their endpoints, and the generated configuration.
  func writeClientFiles(host: String = "127.0.0.1", port: Int, receipts: ReceiptDestination?) throws {
    let origin = "https://\(ListenAddress(host: host, port: port))"
    try writeServiceAccount(origin)
    for style in WebPushErrorStyle.allCases {
      let keys =
        "{\"p256dh\":\"\(Base64URLText.encode(Data(browser.privateKey.publicKey.x963Representation)))\","
        + "\"auth\":\"\(Base64URLText.encode(Data(browser.secret)))\"}"
      try write(
        "{\"endpoint\":\"\(origin)\(style.path)\(subscription)\",\"expirationTime\":null,\"keys\":\(keys)}\n",
        subscriptionFile(style))
    }
    try write(GeneratedConfiguration(origin: origin, receipts: receipts).text, configurationFile)
  }

  private func write(_ text: String, _ path: String) throws {
    try PrivateFile.write(text, to: path, mode: 0o600)
  }

  private func writeServiceAccount(_ origin: String) throws {
    let data = Data((try? String(contentsOfFile: serviceAccountFile, encoding: .utf8))?.utf8 ?? "".utf8)
    var file = try JSONDecoder().decode(AccountFile.self, from: data)
    file.token_uri = origin + OAuthTokenEndpoint.path
    try write(JSONText.make(file, isIndented: true), serviceAccountFile)
  }
}

/// Configuration for `pushscope collect` with one target for each dialect of a running loopback service.
struct GeneratedConfiguration {
  /// Origin of the service.
  var origin: String
  var receipts: ReceiptDestination?

  var text: String {
    var lines = [
      "# Written by `pushscope loopback`, anew at each start. All four dialects of the loopback service; try:",
      "#   pushscope collect --config loopback.yaml",
      "",
    ]
    if let receipts {
      let host = receipts.endpoint.host == "::1" ? "[::1]" : "127.0.0.1"
      // YAML takes what begins with a bracket for a list.
      let quote = host.hasPrefix("[") ? "'" : ""
      lines += [
        "collector:",
        "  receipts:",
        "    listen: \(quote)\(host):\(receipts.endpoint.port)\(quote)",
        "    certificate_file: server.pem",
        "    key_file: server.key",
        "    secret_file: receipts.secret",
        "",
      ]
    }
    lines += ["targets:"]
    lines += target(
      "apns", provider: "apns",
      [
        "endpoint: \(origin)", "topic: com.example.app", "push_type: alert", "priority: 10", "expiration: 0",
        "device_token_file: apns.token",
        "credentials: { signing_key_file: AuthKey_\(LoopbackCredentials.signingKeyID).p8, "
          + "key_id: \(LoopbackCredentials.signingKeyID), team_id: \(LoopbackCredentials.teamID) }",
      ])
    lines += target(
      "fcm", provider: "fcm",
      [
        "endpoint: \(origin)", "device_token_file: fcm.token", "priority: high", "ttl: 60s",
        "credentials: { service_account_file: service-account.json }",
      ])
    lines += target(
      "webpush", provider: "webpush",
      [
        "subscription_file: subscription.json", "ttl: 60s", "urgency: high",
        "credentials: { vapid_key_file: vapid.pem, subject: mailto:ops@example.com }",
      ])
    lines += target(
      "ntfy", provider: "ntfy",
      [
        "endpoint: \(origin)", "topic: \(LoopbackCredentials.ntfyTopic)", "subscribe: true",
        "credentials: { token_file: ntfy.token }",
      ], expectsReceipts: true)
    return lines.joined(separator: "\n") + "\n"
  }

  private func target(
    _ name: String, provider: String, _ own: [String], expectsReceipts: Bool? = nil
  ) -> [String] {
    var lines = ["  - name: \(name)", "    provider: \(provider)"] + own.map { "    " + $0 }
    lines += ["    ca_file: ca.pem", "    schedule: { arrivals: poisson, rate: 4/s }"]
    if expectsReceipts ?? (receipts != nil) { lines.append("    receipt_deadline: 10s") }
    return lines
  }
}
