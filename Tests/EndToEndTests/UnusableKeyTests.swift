import Foundation
import TestKit
import TestTraits
import Testing

/// Unusable keys, tokens, subscriptions and certificates: `collect` and `doctor` report each in one message that names the
/// file and the remedy, before any connection is opened.
@Suite(
  "Unusable keys", .ownThread, .serialized, .enabled(if: Programs.has("openssl")), .timeLimit(.minutes(10)))
struct UnusableKeyTests {
  private let installation: Installation
  private let files: ProviderFiles
  private let listener: UnansweredListener

  init() throws {
    installation = try Installation()
    files = try ProviderFiles(in: installation)
    listener = try UnansweredListener()
  }

  /// Expects that both commands exit with 78, print these words once, and open no connection.
  private func expectRefused(
    _ what: String, _ provider: String, more: [String] = [], replacing: (String, String) = ("", ""),
    says words: [String],
    location: SourceLocation = #_sourceLocation
  ) throws {
    var target = ProviderFiles.target("t", provider, port: listener.port, more: more)
    if !replacing.0.isEmpty { target = target.replacing(replacing.0, with: replacing.1) }
    try installation.directory.write("pushscope.yaml", "targets:\n\(target)\n")
    for command in [["collect", "--count", "1"], ["doctor"]] {
      let result = try run(
        Programs.pushscope,
        command + ["--config", installation.configuration, "--store", installation.store],
        within: .seconds(20))
      let said = result.output + result.error
      #expect(result.status == 78, "\(what), \(command[0]): \(said)", sourceLocation: location)
      // Each message includes the position in the configuration.
      let lines = said.split(separator: "\n").filter { line in
        (words + ["pushscope.yaml:"]).allSatisfy { line.contains($0) }
      }
      #expect(lines.count == 1, "\(what), \(command[0]): \(said)", sourceLocation: location)
      #expect(
        !said.contains("  connect  ") && said.utf8.count < 4_000, "\(what), \(command[0]): \(said)",
        sourceLocation: location)
    }
    #expect(listener.callers() == 0, "\(what): a connection was made", sourceLocation: location)
  }

  private func pem(_ name: String) throws -> [String] {
    try String(contentsOfFile: files.file(name), encoding: .utf8).split(separator: "\n").map(String.init)
  }

  private func generate(_ name: String, _ algorithm: String, _ option: String? = nil) throws {
    let more = option.map { ["-pkeyopt", $0] } ?? []
    let result = try run(
      "openssl", ["genpkey", "-algorithm", algorithm] + more + ["-out", files.file(name)])
    #expect(result.status == 0, "\(result.error)")
    try files.close(name)
  }

  private func writeBytes(_ name: String, _ bytes: Data) throws {
    try bytes.write(to: URL(fileURLWithPath: files.file(name)))
    try files.close(name)
  }

  /// Files instead of a signing key, and the message for each.
  private func signingKeys() throws -> [(file: String, words: String)] {
    try generate("p384.p8", "EC", "ec_paramgen_curve:P-384")
    try generate("p521.p8", "EC", "ec_paramgen_curve:P-521")
    try generate("koblitz.p8", "EC", "ec_paramgen_curve:secp256k1")
    try generate("edwards.p8", "ED25519")
    try files.openssl(
      "pkcs8", "-topk8", "-in", files.file("key.p8"), "-passout", "pass:x", "-out", files.file("encrypted.p8")
    )
    try files.openssl("pkey", "-in", files.file("key.p8"), "-pubout", "-out", files.file("public.p8"))
    for name in ["encrypted.p8", "public.p8"] { try files.close(name) }
    let good = try pem("key.p8")
    let begin = try #require(good.first)
    let end = try #require(good.last)
    let directory = installation.directory
    try directory.write("cut-in-base64.p8", "\(begin)\n\(good[1].prefix(30))\n")
    try directory.write("cut-within.p8", "\(begin)\n\(good[1].prefix(32))\n\(end)\n")
    try directory.write("cut-begin.p8", String(begin.prefix(12)))
    try directory.write("no-base64.p8", "\(begin)\n!!!!\n\(end)\n")
    try directory.write("nothing-within.p8", "\(begin)\n\(end)\n")
    try directory.write("empty.p8", "")
    try directory.write("certificate.p8", pem("loopback/ca.pem").joined(separator: "\n"))
    try writeBytes("binary.p8", Data((0..<500).map { UInt8($0 * 7 & 0xFF) }))
    try writeBytes("huge.p8", Data(count: 10_000_000))
    try directory.write("readable.p8", good.joined(separator: "\n"))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: files.file("readable.p8"))
    try FileManager.default.createDirectory(
      atPath: files.file("folder.p8"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: files.file("loop.p8"), withDestinationPath: "loop.p8")
    #expect(mkfifo(files.file("pipe.p8"), 0o600) == 0)
    return [
      ("p384.p8", "is a key on the curve P-384 where one on the curve P-256 is needed"),
      ("p521.p8", "is a key on the curve P-521"), ("koblitz.p8", "is a key on the curve secp256k1"),
      ("edwards.p8", "is an Ed25519 key"), ("rsa.pem", "is an RSA key"),
      ("encrypted.p8", "is encrypted with a passphrase; take it off: openssl pkey"),
      ("public.p8", "is a public key where the private one is needed"),
      ("certificate.p8", "is a certificate where a private key is needed"),
      ("cut-in-base64.p8", "a part of it is missing"), ("cut-within.p8", "a part of it is missing"),
      ("cut-begin.p8", "ends within its -----BEGIN line"), ("no-base64.p8", "that are not base64"),
      ("nothing-within.p8", "that are not base64"), ("binary.p8", "is not text"), ("empty.p8", "is empty"),
      ("huge.p8", "is larger than 65536 bytes"),
      ("readable.p8", "others may read it (mode 644); run: chmod 600"),
      ("folder.p8", "is a directory"), ("loop.p8", "symbolic links"), ("pipe.p8", "is not a regular file"),
      ("nowhere.p8", "there is no file"),
    ]
  }

  @Test("APNs: signing keys") func apnsKeys() throws {
    for (file, words) in try signingKeys() {
      try expectRefused(file, "apns", replacing: ("key.p8", file), says: [file, words, "signing_key_file: "])
    }
  }

  @Test("Web Push: VAPID keys") func vapidKeys() throws {
    for (file, words) in try signingKeys() {
      let credentials = "credentials: { vapid_key_file: \(file), subject: 'mailto:ops@example.com' }"
      try expectRefused(file, "webpush", more: [credentials], says: [file, words, "vapid_key_file: "])
    }
  }

  @Test("FCM: service accounts") func accounts() throws {
    try generate("rsa1024.pem", "RSA", "rsa_keygen_bits:1024")
    let text = try String(contentsOfFile: files.file("account.json"), encoding: .utf8)
    let good = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
    let key = try #require(good["private_key"])
    func refuse(_ what: String, _ key: String, _ value: Any?, _ words: String) throws {
      var account: [String: Any] = good
      account[key] = value
      let data = try JSONSerialization.data(withJSONObject: account)
      try installation.directory.write("account.json", String(decoding: data, as: UTF8.self))
      try expectRefused(what, "fcm", says: ["account.json", words])
    }
    for name in ["project_id", "private_key", "client_email", "token_uri"] {
      try refuse("without \(name)", name, nil, "has no \"\(name)\"")
      try refuse("empty \(name)", name, "", "has no \"\(name)\"")
      try refuse("a number as \(name)", name, 7, "has a \"\(name)\" that is not text")
    }
    try refuse("another type", "type", "authorized_user", "is not a service account's file")
    try refuse(
      "an EC key", "private_key", pem("key.p8").joined(separator: "\n"), "that is not an RSA key of 2048 bits"
    )
    try refuse(
      "a short key", "private_key", pem("rsa1024.pem").joined(separator: "\n"),
      "that is not an RSA key of 2048 bits")
    try refuse("a cut key", "private_key", String(key.prefix(600)), "a part of it is missing")
    try refuse(
      "another scheme", "token_uri", "ftp://example.com/token", "\"token_uri\" that is not an https URL")
    try refuse(
      "a header", "token_uri", "https://example.com/\r\nx-a: b", "\"token_uri\" that is not an https URL")
    try refuse("a path", "project_id", "../other", "\"project_id\" that is none")
    for (content, words) in [
      (String(text.prefix(300)), "does not end with a brace"), ("[]", "is JSON, but not an object"),
      ("", "is empty"),
      (String(repeating: "[", count: 60_000), "is not JSON"),
      (String(repeating: " ", count: 70_000), "is larger than"),
    ] {
      try installation.directory.write("account.json", content)
      try expectRefused(String(content.prefix(20)), "fcm", says: ["account.json", words])
    }
  }

  @Test("Web Push: subscriptions") func subscriptions() throws {
    var point = try #require(Data(base64URL: ProviderFiles.point))
    let short = point.dropLast().base64URL
    point[64] ^= 1
    let off = point.base64URL
    let secret = try #require(Data(base64URL: ProviderFiles.secret))
    // The subscription names the endpoint, unless the configuration does.
    let endpoint = "endpoint: 'https://127.0.0.1:\(listener.port)/probe', "
    for (what, content, words) in [
      (
        "a point that is cut", ProviderFiles.subscription(point: short), "\"keys.p256dh\" that is not a point"
      ),
      (
        "a point beside the curve", ProviderFiles.subscription(point: off),
        "\"keys.p256dh\" that is not a point"
      ),
      ("no point", ProviderFiles.subscription(point: "AA"), "\"keys.p256dh\" that is not a point"),
      (
        "15 bytes", ProviderFiles.subscription(secret: secret.dropLast().base64URL),
        "\"keys.auth\" that is not 16 bytes"
      ),
      (
        "17 bytes", ProviderFiles.subscription(secret: (secret + [1]).base64URL),
        "\"keys.auth\" that is not 16 bytes"
      ),
      ("no base64", ProviderFiles.subscription(secret: "!!!!"), "\"keys.auth\" that is not 16 bytes"),
      (
        "another scheme", ProviderFiles.subscription(endpoint: "ftp://127.0.0.1:\(listener.port)/s"),
        "is not an https URL"
      ),
      (
        "a header", ProviderFiles.subscription(endpoint: "https://a.example/\\r\\nx-a: b"),
        "is not an https URL"
      ),
      ("no keys", #"{"endpoint":"https://127.0.0.1:\#(listener.port)/s"}"#, "has no \"keys.p256dh\""),
      ("a cut file", String(ProviderFiles.subscription().prefix(60)), "is not a push subscription"),
    ] {
      try installation.directory.write("subscription.json", content)
      try expectRefused(what, "webpush", replacing: (endpoint, ""), says: ["subscription.json", words])
    }
  }

  @Test("device tokens, passwords and authorities") func others() throws {
    for (content, words) in [
      ("", "is empty"), ("\n \n", "is empty"), ("abcd\nef01\n", "not a single line"),
      ("ab\r\nx-a: b", "not a single line"),
      (String(repeating: "a", count: 9000), "not a single line"),
      (String(repeating: "xyz", count: 20), "does not contain a device token"),
    ] {
      try installation.directory.write("device.token", content)
      try expectRefused("device token", "apns", says: ["device_token_file", words])
    }
    for (content, words) in [
      ("", "is empty"), ("ab cd", "not a single line"), ("ab\ncd", "not a single line"),
    ] {
      try installation.directory.write("fcm.token", content)
      try expectRefused("registration token", "fcm", says: ["device_token_file: ", "fcm.token", words])
      try installation.directory.write("ntfy.token", content)
      try expectRefused(
        "access token", "ntfy", more: ["credentials: { token_file: ntfy.token }"],
        says: ["ntfy.token", words])
    }
    let authority = try pem("loopback/ca.pem").joined(separator: "\n")
    for (content, words) in [
      ("", "is empty"), ("hello", "has no PEM block of the expected kind"),
      (String(authority.prefix(200)), "a part of it is missing"),
      (try pem("key.p8").joined(separator: "\n"), "has no PEM block of the expected kind"),
      ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "holds no certificate"),
    ] {
      try installation.directory.write("authority.pem", content)
      try expectRefused(
        "authority", "http", replacing: ("loopback/ca.pem", "authority.pem"),
        says: ["ca_file", "authority.pem", words])
    }
  }
}

extension Data {
  /// Base64 in the alphabet for URLs, without padding.
  fileprivate var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  fileprivate init?(base64URL text: String) {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    self.init(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
  }
}
