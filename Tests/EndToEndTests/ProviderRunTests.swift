import Foundation
import HTTPTestKit
import TestKit
import TestTraits
import Testing

@Suite(
  "Runs of the real dialects against servers that share no code with us", .ownThread, .serialized,
  .enabled(if: Python.has("hypercorn, jwt, http_ece") && Programs.has("openssl", "sqlite3")),
  .timeLimit(.minutes(10)))
struct ProviderRunTests {
  /// A server script of Tests/Support, and an installation whose target is that server.
  private final class Scene {
    let installation: Installation
    let server: RunningProcess
    let port: Int

    /// - Parameters:
    ///   - certificates: whether the script takes `--cert` and `--key`.
    ///   - arguments: makes further arguments in the installation's directory.
    init(_ script: String, certificates: Bool = true, arguments: (Installation) throws -> [String]) throws {
      let installation = try Installation()
      self.installation = installation
      _ = try Certificates(in: installation.directory)
      let folder = installation.directory.file("loopback")
      let identity = ["--cert", "\(folder)/server.pem", "--key", "\(folder)/server.key"]
      let path = Programs.scripts + "/\(script)"
      let server = try RunningProcess(
        Programs.python, ["-u", path] + (certificates ? identity : []) + arguments(installation))
      self.server = server
      port = try eventually("\(script) listens", seen: { server.standardError }) {
        server.standardOutput.split(separator: "\n").first { $0.hasPrefix("listening ") }
          .flatMap { Int($0.dropFirst(10)) }
      }
    }

    deinit { server.signal(SIGKILL) }

    /// Runs a target to its end.
    /// - Returns: the collector's exit status and its standard error.
    func collect(_ target: [String], _ arguments: [String]) throws -> (status: Int32, error: String) {
      let lines = ["targets:", "  - name: probe"] + target.map { "    " + $0 }
      try installation.directory.write("pushscope.yaml", lines.joined(separator: "\n") + "\n")
      let collector = try installation.collect(arguments)
      return (try collector.waitForExit(), collector.standardError)
    }

    func lines(_ word: String) -> [String] {
      server.standardOutput.split(separator: "\n").map(String.init).filter { $0.hasPrefix(word + " ") }
    }
  }

  private static func openssl(_ arguments: String...) throws {
    let result = try run("openssl", arguments)
    guard result.status == 0 else { throw NeverHappened(what: "openssl \(arguments[0])", seen: result.error) }
  }

  private static let schedule = "schedule: { rate: 50/s }"

  @Test("APNs with a provider token: push types and priorities alternate") func apnsToken() throws {
    let scene = try Scene("apns_server.py") { installation in
      let key = installation.directory.file("key.p8")
      try Self.openssl(
        "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
      try Self.openssl("pkey", "-in", key, "-pubout", "-out", installation.directory.file("public.pem"))
      try installation.directory.write("device.token", String(repeating: "ab", count: 32) + "\n")
      return ["--public-key", installation.directory.file("public.pem")]
    }
    let target = [
      "provider: apns", "endpoint: https://127.0.0.1:\(scene.port)", "ca_file: loopback/ca.pem",
      "topic: com.example.app", "priority: [10, 5]", "device_token_file: device.token", Self.schedule,
      "credentials: { signing_key_file: key.p8, key_id: KEYKEYKEY1, team_id: TEAMTEAM12 }",
    ]
    let end = try scene.collect(target, ["--count", "20"])
    #expect(end.status == 0, "\(end.error)")
    #expect(try scene.installation.states() == ["accepted": 20])
    #expect(scene.lines("push").count { $0.hasPrefix("push alert 10 com.example.app ") } == 10)
    #expect(scene.lines("push").count { $0.hasPrefix("push alert 5 com.example.app ") } == 10)
    #expect(scene.lines("refused") == [])
    let tokens = try scene.installation.query("SELECT detail FROM event_view WHERE kind = 'token_refreshed'")
    #expect(tokens == [["APNs provider token made"]])
  }

  @Test("APNs with a client certificate: presented on request") func apnsCertificate() throws {
    let scene = try Scene("apns_server.py") { installation in
      let certificate = installation.directory.file("push.pem")
      let key = installation.directory.file("push.key")
      try Self.openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/UID=com.example.app/CN=Apple Push Services", "-keyout", key, "-out", certificate)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
      try installation.directory.write("device.token", String(repeating: "ab", count: 32) + "\n")
      return ["--clients", certificate]
    }
    let target = [
      "provider: apns", "endpoint: https://127.0.0.1:\(scene.port)", "ca_file: loopback/ca.pem",
      "topic: com.example.app", "push_type: background", "device_token_file: device.token", Self.schedule,
      "credentials: { certificate_file: push.pem, private_key_file: push.key }",
    ]
    let end = try scene.collect(target, ["--count", "10"])
    #expect(end.status == 0, "\(end.error)")
    #expect(try scene.installation.states() == ["accepted": 10])
    #expect(scene.lines("push").allSatisfy { $0.hasPrefix("push background 5 com.example.app ") })
  }

  @Test("FCM: a token is fetched before the first message, timed separately, and appears in no output")
  func fcm() throws {
    let scene = try Scene("fcm_server.py") { installation in
      let key = installation.directory.file("key.pem")
      try Self.openssl("genpkey", "-algorithm", "RSA", "-out", key)
      try Self.openssl("pkey", "-in", key, "-pubout", "-out", installation.directory.file("public.pem"))
      try installation.directory.write("fcm.token", "a-device-of-nobody\n")
      return ["--public-key", installation.directory.file("public.pem")]
    }
    let account = [
      "type": "service_account", "project_id": "probe-1", "private_key_id": "k1",
      "private_key": try String(
        contentsOfFile: scene.installation.directory.file("key.pem"), encoding: .utf8),
      "client_email": "probe@probe-1.iam.gserviceaccount.com",
      "token_uri": "https://127.0.0.1:\(scene.port)/token",
    ]
    let text = String(decoding: try JSONEncoder().encode(account), as: UTF8.self)
    try scene.installation.directory.write("account.json", text)
    let target = [
      "provider: fcm", "endpoint: https://127.0.0.1:\(scene.port)", "ca_file: loopback/ca.pem",
      "device_token_file: fcm.token", Self.schedule, "credentials: { service_account_file: account.json }",
    ]
    let end = try scene.collect(target, ["--count", "15"])
    #expect(end.status == 0, "\(end.error)")
    #expect(try scene.installation.states() == ["accepted": 15])
    #expect(scene.lines("token").count == 1)
    let tokens = try scene.installation.query("SELECT detail FROM event_view WHERE kind = 'token_refreshed'")
    #expect(tokens.count == 1 && tokens[0][0].contains(" ms (dns "), "\(tokens)")
    for file in try FileManager.default.contentsOfDirectory(atPath: scene.installation.directory.path)
    where file.hasPrefix("pushscope.sqlite") {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: scene.installation.directory.file(file)))
      for secret in ["ya29.", "a-device-of-nobody", "BEGIN PRIVATE"] {
        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) is in \(file)")
      }
    }
    #expect(!end.error.contains("ya29."))
  }

  @Test("FCM: a refused service account ends the run before anything is sent") func fcmRefused() throws {
    let scene = try Scene("fcm_server.py") { installation in
      try Self.openssl("genpkey", "-algorithm", "RSA", "-out", installation.directory.file("key.pem"))
      try Self.openssl("genpkey", "-algorithm", "RSA", "-out", installation.directory.file("other.pem"))
      try Self.openssl(
        "pkey", "-in", installation.directory.file("other.pem"), "-pubout", "-out",
        installation.directory.file("public.pem"))
      try installation.directory.write("fcm.token", "a-device-of-nobody\n")
      return ["--public-key", installation.directory.file("public.pem")]
    }
    let account = [
      "type": "service_account", "project_id": "probe-1",
      "private_key": try String(
        contentsOfFile: scene.installation.directory.file("key.pem"), encoding: .utf8),
      "client_email": "probe@probe-1.iam.gserviceaccount.com",
      "token_uri": "https://127.0.0.1:\(scene.port)/token",
    ]
    let text = String(decoding: try JSONEncoder().encode(account), as: UTF8.self)
    try scene.installation.directory.write("account.json", text)
    let target = [
      "provider: fcm", "endpoint: https://127.0.0.1:\(scene.port)", "ca_file: loopback/ca.pem",
      "device_token_file: fcm.token", Self.schedule, "credentials: { service_account_file: account.json }",
    ]
    let end = try scene.collect(target, ["--count", "15"])
    #expect(end.status == 78)
    #expect(end.error.contains("invalid_grant") && end.error.contains("clock"), "\(end.error)")
    #expect(try scene.installation.query("SELECT count(*) FROM sample_view") == [["0"]])
    #expect(scene.lines("sent") == [])
  }

  @Test(
    "Web Push through Prosody's UnifiedPush, decrypted and acknowledged by a device",
    .enabled(if: Self.hasProsody))
  func webPush() throws {
    let scene = try Scene("prosody_device.py", certificates: false) {
      try [$0.directory.path, "--ports"] + FreePort.arguments(2)
    }
    let key = scene.installation.directory.file("vapid.pem")
    try Self.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    let target = [
      "provider: webpush", "subscription_file: subscription.json", "ttl: 60s", Self.schedule,
      "credentials: { vapid_key_file: vapid.pem, subject: \"mailto:ops@example.com\" }",
    ]
    let end = try scene.collect(target, ["--count", "15"])
    #expect(end.status == 0, "\(end.error)")
    #expect(try scene.installation.states() == ["accepted": 15])
    let sent = try scene.installation.query("SELECT notification_id FROM sample_view ORDER BY sequence")
    try eventually("the device has received them") { scene.lines("push").count == 15 ? true : nil }
    #expect(Set(scene.lines("push")) == Set(sent.map { "push \($0[0])" }))
  }

  private static let hasProsody =
    Programs.has("prosody")
    && Programs.hasUnifiedPush
}
