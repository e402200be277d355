import Foundation
import TestKit
import TestTraits
import Testing

@Suite("Secrets appear in no output", .ownThread, .serialized, .enabled(if: Programs.has("openssl")))
struct SecretTests {
  /// Secrets that must appear in no file but their own.
  private static let marks = [
    "S3CRETHEADER", "S3CRETPATH", "S3CRETQUERY", "S3CRETSUBSCRIPTION", "S3CRETTOKEN", "S3CRETPASSWORD",
    "5ec2e75ec2e7", "S3CRETREGISTRATION", "0123456789abcdef0123456789abcdef",
  ]

  /// A point on P-256 and 16 bytes, as in a browser's subscription (RFC 8291, appendix A).
  private static let keys = """
    {"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}
    """

  private func targets(port: Int, closed: Int) -> String {
    let common = "ca_file: loopback/ca.pem, schedule: { rate: 50/s }, timeout: 2s"
    return """
      targets:
        - { name: hook, provider: http, endpoint: 'https://127.0.0.1:\(port)/S3CRETPATH?k=S3CRETQUERY', \(common),
            headers: { authorization: 'Bearer ${HEADER}', x-device: '${HEADER}' } }
        - { name: closed, provider: http, endpoint: 'https://127.0.0.1:\(closed)/S3CRETPATH', \(common) }
        - { name: browser, provider: webpush, subscription_file: subscription.json, \(common) }
        - { name: public, provider: ntfy, endpoint: 'https://127.0.0.1:\(port)', topic: probe, \(common),
            credentials: { token_file: ntfy.token } }
        - { name: private, provider: ntfy, endpoint: 'https://127.0.0.1:\(closed)', topic: probe, \(common),
            credentials: { username: me, password: '${PASSWORD}' } }
      """
  }

  /// Targets whose tokens are made first; only examined by `doctor`.
  private func signing(port: Int) -> String {
    """
      - { name: ios, provider: apns, endpoint: 'https://127.0.0.1:\(port)', ca_file: loopback/ca.pem,
          device_token_file: device.token, topic: com.example.app,
          credentials: { signing_key_file: key.p8, key_id: ABC123DEFG, team_id: DEF123GHIJ } }
      - { name: android, provider: fcm, endpoint: 'https://127.0.0.1:\(port)', ca_file: loopback/ca.pem,
          device_token: '${REGISTRATION}', credentials: { service_account_file: account.json } }
    """
  }

  private func openssl(_ arguments: String...) throws {
    let result = try run("openssl", arguments)
    guard result.status == 0 else { throw NeverHappened(what: "openssl", seen: result.error) }
  }

  /// The middle lines of a PEM file, each a secret of its own.
  private func lines(ofKey file: String) throws -> [String] {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("-----") && $0.count > 20 }
  }

  @Test("no output contains a secret", .timeLimit(.minutes(10)))
  func nothingWritten() throws {
    let installation = try Installation()
    let service = try installation.startLoopback(scenario: "answers: { delay: 1ms }")
    let directory = installation.directory
    let environment = [
      "HEADER": "S3CRETHEADER", "PASSWORD": "S3CRETPASSWORD", "REGISTRATION": "S3CRETREGISTRATION",
    ]
    try directory.write("ntfy.token", "tk_S3CRETTOKEN\n")
    try directory.write("device.token", String(repeating: "5ec2e7", count: 12) + "\n")
    try directory.write(
      "subscription.json",
      #"{"endpoint":"https://127.0.0.1:\#(installation.loopbackPort)/S3CRETSUBSCRIPTION","keys":\#(Self.keys)}"#
    )
    try openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", directory.file("sec1.pem"))
    try openssl(
      "pkcs8", "-topk8", "-nocrypt", "-in", directory.file("sec1.pem"), "-out", directory.file("key.p8"))
    try openssl(
      "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", directory.file("rsa.pem"))
    let pem = try String(contentsOfFile: directory.file("rsa.pem"), encoding: .utf8)
    let account = try JSONSerialization.data(withJSONObject: [
      "type": "service_account", "project_id": "p", "private_key_id": "1", "private_key": pem,
      "client_email": "probe@p.iam.gserviceaccount.com", "token_uri": "https://127.0.0.1:1/token",
    ])
    try directory.write("account.json", String(decoding: account, as: UTF8.self))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory.file("key.p8"))
    let secrets =
      try Self.marks + lines(ofKey: directory.file("key.p8")) + lines(ofKey: directory.file("rsa.pem"))

    let receipts = try #require(
      try String(contentsOfFile: installation.configuration, encoding: .utf8).components(
        separatedBy: "targets:"
      )
      .first)
    let sending = receipts + targets(port: installation.loopbackPort, closed: try FreePort.take())
    try directory.write("pushscope.yaml", sending + "\n")
    var written: [(String, Data)] = []
    func note(_ name: String, _ result: (status: Int32, output: String, error: String)) {
      written.append((name + " stdout", Data(result.output.utf8)))
      written.append((name + " stderr", Data(result.error.utf8)))
    }
    let collected = try run(
      Programs.pushscope,
      [
        "collect", "--config", installation.configuration, "--store", installation.store, "--count", "20",
        "--allow-above-provider-limit",
      ],
      environment: environment)
    #expect(collected.status == 0, "\(collected.error)")
    note("collect", collected)
    for table in ["samples", "receipts", "events", "log", "runs", "histogram", "summary"] {
      for format in ["csv", "jsonl"] {
        note(
          "export \(table)",
          try run(Programs.pushscope, ["export", table, "--store", installation.store, "--format", format]))
      }
    }
    note("summary", try run(Programs.pushscope, ["summary", "--store", installation.store, "--json"]))

    // Then every target, also those that sign, is examined and sent to.
    try directory.write("pushscope.yaml", sending + "\n" + signing(port: installation.loopbackPort) + "\n")
    let doctor = try run(
      Programs.pushscope,
      ["doctor", "--config", installation.configuration, "--store", installation.store, "--send"],
      environment: environment)
    #expect(
      doctor.output.contains("  ios  key  ") && doctor.output.contains("  android  token  "),
      "\(doctor.output)")
    note("doctor", doctor)
    // Mistakes next to secrets are reported.
    try directory.write("pushscope.yaml", sending.replacing("timeout: 2s", with: "timeout: ${HEADER}") + "\n")
    let refused = try run(
      Programs.pushscope, ["doctor", "--config", installation.configuration], environment: environment)
    #expect(refused.status == 78)
    note("refused", refused)

    try service.stop()
    written.append(("loopback stdout", Data(service.standardOutput.utf8)))
    written.append(("loopback stderr", Data(service.standardError.utf8)))
    for suffix in ["", "-wal", "-shm", ".lock"] {
      if let data = FileManager.default.contents(atPath: installation.store + suffix) {
        written.append(("store\(suffix)", data))
      }
    }
    #expect(try installation.query("SELECT count(*) FROM sample_view").first?.first == "100")
    #expect(written.contains { $0.0 == "store" } && written.reduce(0) { $0 + $1.1.count } > 20_000)
    for (name, data) in written {
      for secret in secrets {
        #expect(data.range(of: Data(secret.utf8)) == nil, "\(secret.prefix(12))… is in \(name)")
      }
      // Nor in the encodings of headers and JSON.
      let basic = Data("me:S3CRETPASSWORD".utf8).base64EncodedData()
      #expect(data.range(of: basic) == nil, "\(name)")
    }
  }

  /// The sender's credentials of every provider, from the loopback service's files and tokens.
  private func loopbackSecrets(_ installation: Installation) throws -> [String] {
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: installation.directory.file("loopback/\(name)"), encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
    func object(_ name: String) throws -> [String: Any] {
      try JSONSerialization.jsonObject(with: Data(text(name).utf8)) as? [String: Any] ?? [:]
    }
    let account = try #require(try object("service-account.json")["private_key"] as? String)
    let subscription = try object("subscription.json")
    let keys = try #require(subscription["keys"] as? [String: String])
    let endpoint = try #require(subscription["endpoint"] as? String)
    var secrets = try ["apns.token", "fcm.token", "ntfy.token", "receipts.secret"].map(text)
    secrets += try ["AuthKey_LOOPBACK01.p8", "vapid.pem"].flatMap {
      try lines(ofKey: installation.directory.file("loopback/\($0)"))
    }
    secrets += account.split(separator: "\n").map(String.init).filter {
      $0.count > 20 && !$0.hasPrefix("-----")
    }
    secrets += keys.values + [String(try #require(endpoint.split(separator: "/").last))]
    #expect(secrets.count > 30 && secrets.allSatisfy { $0.count >= 16 })
    // Derived tokens: access tokens, and the beginning of every JSON Web Token.
    return secrets + ["ya29.loopback.", "eyJhbGciOi", "eyJ0eXAiOi", "vapid t=", "Bearer ", "bearer "]
  }

  @Test(
    "nor when all the dialects are spoken, refused, renewed and looked at while it happens",
    .timeLimit(.minutes(10)))
  func everyDialect() throws {
    let installation = try Installation()
    let service = try installation.startLoopback(
      scenario: """
        seed: 3
        answers: { delay: 2ms, errors: [{ reason: BadDeviceToken, probability: 10% }] }
        deliveries: { delay: 10ms }
        tokens: { revoked: [3s] }
        """)
    let secrets = try loopbackSecrets(installation)
    var written: [(String, Data)] = []
    let configuration = installation.directory.file("loopback/loopback.yaml")
    let collector = try RunningProcess(
      Programs.pushscope,
      [
        "collect", "--config", configuration, "--store", installation.store, "--rate", "20/s", "--count",
        "140",
      ])
    try eventually("tokens are revoked and renewed", seen: { collector.standardError }) {
      let count = try? installation.query(
        "SELECT count(*) FROM event_view WHERE kind = 'token_refreshed' AND detail LIKE '%renewed%'")
      return (Int(count?.first?.first ?? "") ?? 0) >= 2 ? true : nil
    }
    // During a run much of the data is in the WAL and not yet in the store file.
    for suffix in ["", "-wal", "-shm", ".lock"] {
      if let data = FileManager.default.contents(atPath: installation.store + suffix) {
        written.append(("store\(suffix) while it is written", data))
      }
    }
    #expect(written.contains { $0.0.hasPrefix("store-wal") })
    #expect(try collector.waitForExit(within: .seconds(120)) == 0, "\(collector.standardError)")
    written.append(("collect", Data((collector.standardOutput + collector.standardError).utf8)))
    let states = try installation.query("SELECT DISTINCT target, state FROM sample_view")
    for target in ["apns", "fcm", "webpush", "ntfy"] {
      #expect(states.contains([target, "delivered"]) && states.contains([target, "rejected"]), "\(target)")
    }
    for table in ["samples", "receipts", "events", "log", "runs", "histogram", "summary"] {
      for format in ["csv", "jsonl"] {
        let result = try run(
          Programs.pushscope, ["export", table, "--store", installation.store, "--format", format])
        written.append(("export \(table)", Data((result.output + result.error).utf8)))
      }
    }
    for arguments in [
      ["summary", "--store", installation.store], ["summary", "--store", installation.store, "--json"],
      ["runs", "list", "--store", installation.store],
      ["dashboard", "--plain", "--store", installation.store],
      ["doctor", "--config", configuration, "--store", installation.store, "--send"],
    ] {
      let result = try run(Programs.pushscope, arguments)
      written.append((arguments[0], Data((result.output + result.error).utf8)))
    }
    try service.stop()
    written.append(("loopback", Data((service.standardOutput + service.standardError).utf8)))
    written.append(("store", try #require(FileManager.default.contents(atPath: installation.store))))
    #expect(written.reduce(0) { $0 + $1.1.count } > 100_000)
    for (name, data) in written {
      for secret in secrets {
        #expect(data.range(of: Data(secret.utf8)) == nil, "\(secret.prefix(12))… is in \(name)")
      }
    }
  }
}
