import Foundation
import TestKit
import Testing

/// Files that targets of all kinds need in an installation's directory: keys, tokens, a subscription.
struct ProviderFiles {
  static let providers = ["apns", "fcm", "webpush", "ntfy", "http", "loopback"]
  /// Providers that also use HTTP/1.1.
  static let providersOfHTTP1 = ["fcm", "webpush", "ntfy", "http"]

  /// A point on P-256 and 16 bytes, as in a browser's subscription (RFC 8291, appendix A).
  static let point =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
  static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

  let directory: TemporaryDirectory

  /// - Parameter tokenPort: port of the endpoint of FCM's access tokens.
  init(in installation: Installation, tokenPort: Int = 1) throws {
    directory = installation.directory
    _ = try Certificates(in: directory)
    try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file("key.p8"))
    try openssl("genpkey", "-algorithm", "RSA", "-out", file("rsa.pem"))
    for key in ["key.p8", "rsa.pem"] { try close(key) }
    try directory.write("device.token", String(repeating: "ab", count: 32) + "\n")
    try directory.write("fcm.token", "a-device-of-nobody\n")
    try directory.write("subscription.json", Self.subscription())
    try writeAccount("account.json", tokenURI: "https://127.0.0.1:\(tokenPort)/token")
  }

  func file(_ name: String) -> String { directory.file(name) }

  /// Writes a file that only its owner may read.
  func close(_ name: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file(name))
  }

  func openssl(_ arguments: String...) throws {
    let result = try run("openssl", arguments)
    guard result.status == 0 else { throw NeverHappened(what: "openssl \(arguments[0])", seen: result.error) }
  }

  static func subscription(
    endpoint: String = "https://127.0.0.1:1/s", point: String = point, secret: String = secret
  ) -> String {
    #"{"endpoint":"\#(endpoint)","keys":{"p256dh":"\#(point)","auth":"\#(secret)"}}"#
  }

  /// A service account's file.
  func writeAccount(_ name: String, tokenURI: String, key: String = "rsa.pem") throws {
    let account = [
      "type": "service_account", "project_id": "probe-1", "private_key_id": "k1",
      "private_key": try String(contentsOfFile: file(key), encoding: .utf8),
      "client_email": "probe@probe-1.iam.gserviceaccount.com", "token_uri": tokenURI,
    ]
    try directory.write(name, String(decoding: try JSONEncoder().encode(account), as: UTF8.self))
  }

  /// A target as a line of YAML.
  static func target(
    _ name: String, _ provider: String, port: Int, account: String = "account.json", more: [String] = []
  ) -> String {
    let path = ["http", "webpush"].contains(provider) ? "/probe" : ""
    let own =
      switch provider {
      case "apns":
        [
          "topic: com.example.app", "device_token_file: device.token",
          "credentials: { signing_key_file: key.p8, key_id: KEYKEYKEY1, team_id: TEAMTEAM12 }",
        ]
      case "fcm": ["device_token_file: fcm.token", "credentials: { service_account_file: \(account) }"]
      case "webpush": ["subscription_file: subscription.json"]
      case "ntfy": ["topic: probe"]
      default: [String]()
      }
    let all =
      [
        "name: \(name)", "provider: \(provider)", "endpoint: 'https://127.0.0.1:\(port)\(path)'",
        "ca_file: loopback/ca.pem",
      ] + own + more
    return "  - { \(all.joined(separator: ", ")) }"
  }
}
