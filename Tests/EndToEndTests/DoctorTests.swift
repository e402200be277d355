import Foundation
import TestKit
import TestTraits
import Testing

@Suite("pushscope doctor", .ownThread, .serialized, .enabled(if: Programs.has("openssl")))
struct DoctorTests {
  private func doctor(
    _ installation: Installation, _ arguments: [String] = []
  ) throws -> (status: Int32, lines: [String], error: String) {
    let result = try run(
      Programs.pushscope,
      ["doctor", "--config", installation.configuration, "--store", installation.store] + arguments)
    return (result.status, result.output.split(separator: "\n").map(String.init), result.error)
  }

  /// A Python server for HTTP/1.1 over TLS with this certificate.
  private func startServer(
    certificate: String, key: String, _ arguments: [String] = []
  ) throws -> (RunningProcess, port: Int) {
    let server = try RunningProcess(
      Programs.python,
      [Programs.scripts + "/http1_server.py", "--cert", certificate, "--key", key] + arguments)
    let port = try eventually("the server listens", seen: { server.standardError }) {
      server.standardOutput.split(separator: "\n").first.flatMap { Int($0.dropFirst("listening ".count)) }
    }
    return (server, port)
  }

  /// Writes a configuration with one target, next to the installation's certificates.
  private func write(_ installation: Installation, target: String) throws {
    try installation.directory.write("pushscope.yaml", "targets:\n  - { name: t, \(target) }\n")
  }

  @Test(
    "against the loopback service everything is fine, and sends only where asked", .timeLimit(.minutes(10)))
  func loopback() throws {
    let installation = try Installation()
    let service = try installation.startLoopback(
      scenario: "answers: { delay: 1ms }", extra: ["--script", installation.directory.file("script.jsonl")])
    let quiet = try doctor(installation)
    #expect(quiet.status == 0, "\(quiet.lines) \(quiet.error)")
    #expect(!quiet.lines.contains { $0.hasPrefix("fail") })
    for step in ["config", "clock", "store", "terminal", "listen", "key", "dns", "connect", "tls", "alpn"] {
      #expect(quiet.lines.contains { $0.contains("  \(step)  ") }, "\(step)")
    }
    #expect(quiet.lines.contains { $0.hasPrefix("ok    loopback  alpn  HTTP/2") })
    #expect(!quiet.lines.contains { $0.contains("  send  ") })
    let sending = try doctor(installation, ["--send", "--target", "loopback"])
    #expect(sending.status == 0, "\(sending.lines)")
    #expect(sending.lines.contains { $0.hasPrefix("ok    loopback  send  200 in ") })
    #expect(try service.stop() == 0)
    #expect(service.standardError.contains("after 1 request:"))
    #expect(!FileManager.default.fileExists(atPath: installation.store), "it only looks")
  }

  @Test(
    "every provider's token, encryption and message is taken by a service that verifies them",
    .timeLimit(.minutes(10)))
  func everyProvider() throws {
    let installation = try Installation()
    let service = try installation.startLoopback(scenario: "answers: { delay: 1ms }")
    let result = try run(
      Programs.pushscope,
      [
        "doctor", "--config", installation.directory.file("loopback/loopback.yaml"), "--store",
        installation.store,
        "--send",
      ])
    try service.stop()
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(result.status == 0, "\(result.output) \(result.error)")
    for name in ["apns", "fcm", "webpush", "ntfy"] {
      #expect(lines.contains { $0.hasPrefix("ok    \(name)  send  20") }, "\(name): \(result.output)")
    }
    #expect(lines.contains { $0.hasPrefix("ok    fcm  token  an access token for ") })
    #expect(
      lines.contains {
        $0.hasPrefix("ok    fcm  send  200 in ") && $0.hasSuffix("validated and not delivered")
      })
    #expect(lines.contains { $0.hasPrefix("note  fcm  priority  Google delivers high priority as normal") })
  }

  @Test(
    "with a number it sends as the collector does, and the table has no secret in it",
    .timeLimit(.minutes(10)))
  func trial() throws {
    let installation = try Installation()
    let service = try installation.startLoopback(
      scenario: "answers: { delay: 1ms }\ndeliveries: { delay: 20ms }")
    let configuration = installation.directory.file("loopback/loopback.yaml")
    let result = try run(
      Programs.pushscope, ["doctor", "--config", configuration, "--store", installation.store, "--send", "1"])
    try service.stop()
    #expect(result.status == 0, "\(result.output) \(result.error)")
    let table =
      result.output.components(separatedBy: "\n\n").last?.split(separator: "\n").map(String.init) ?? []
    #expect(table.count == 6, "\(table)")
    #expect(table.first?.wholeMatch(of: /pushscope \d+\.\d+\.\d+, \d{4}-.+Z/) != nil, "\(table)")
    for name in ["apns", "fcm", "webpush", "ntfy"] {
      let row = table.first { $0.hasPrefix(name) } ?? ""
      #expect(row.contains("delivered") && row.contains("another server") && row.contains(" ms"), "\(row)")
    }
    // Nothing of the credentials' files, no address and no topic.
    for file in try FileManager.default.contentsOfDirectory(atPath: installation.directory.file("loopback"))
    where !file.hasSuffix(".yaml") {
      let text = try String(contentsOfFile: installation.directory.file("loopback/" + file), encoding: .utf8)
      for word in text.split(whereSeparator: { $0.isWhitespace || "\",".contains($0) }) where word.count >= 12
      {
        #expect(!table.contains { $0.contains(word) }, "\(file)")
      }
    }
    for word in ["127.0.0.1", ":\(installation.loopbackPort)", installation.directory.path] {
      #expect(!table.contains { $0.contains(word) }, "\(word)")
    }
    #expect(!FileManager.default.fileExists(atPath: installation.store), "the user's store is not touched")
  }

  @Test("a closed port is reported with a remedy, exit 69", .timeLimit(.minutes(10)))
  func closedPort() throws {
    let installation = try Installation()
    try write(installation, target: "provider: http, endpoint: 'http://127.0.0.1:\(FreePort.take())/x'")
    let result = try doctor(installation)
    #expect(result.status == 69)
    let line = try #require(result.lines.last)
    #expect(line.hasPrefix("fail  t  connect  ") && line.contains("check host and port"), "\(line)")
    #expect(!line.contains("/x"))
  }

  @Test("an unknown host name is reported, exit 69", .timeLimit(.minutes(10)))
  func noSuchName() throws {
    let installation = try Installation()
    // Reserved: no DNS server resolves it (RFC 2606).
    try write(installation, target: "provider: http, endpoint: 'https://nowhere.invalid/x'")
    let result = try doctor(installation)
    #expect(result.status == 69)
    let line = try #require(result.lines.last)
    #expect(line.hasPrefix("fail  t  dns  nowhere.invalid cannot be looked up"), "\(line)")
  }

  @Test("an expired certificate is reported as expired, exit 69", .timeLimit(.minutes(10)))
  func expired() throws {
    let installation = try Installation()
    _ = try Certificates(in: installation.directory)
    let folder = installation.directory.file("loopback")
    let made = try run(
      Programs.python,
      [
        Programs.scripts + "/expired_certificate.py", "\(folder)/ca.pem", "\(folder)/ca.key",
        "\(folder)/old.pem",
        "\(folder)/old.key",
      ])
    #expect(made.status == 0, "\(made.error)")
    let (server, port) = try startServer(certificate: "\(folder)/old.pem", key: "\(folder)/old.key")
    try write(
      installation, target: "provider: http, endpoint: 'https://127.0.0.1:\(port)/', ca_file: loopback/ca.pem"
    )
    let result = try doctor(installation)
    server.signal(SIGTERM)
    #expect(result.status == 69)
    let line = try #require(result.lines.last)
    #expect(line.hasPrefix("fail  t  tls  ") && line.contains("expired"), "\(line)")
    #expect(line.contains("this machine's clock"))
  }

  @Test("a server without HTTP/2 is accepted for a webhook, and refused for APNs", .timeLimit(.minutes(10)))
  func noHTTP2() throws {
    let installation = try Installation()
    _ = try Certificates(in: installation.directory)
    let folder = installation.directory.file("loopback")
    let (server, port) = try startServer(certificate: "\(folder)/server.pem", key: "\(folder)/server.key")
    try write(
      installation, target: "provider: http, endpoint: 'https://127.0.0.1:\(port)/', ca_file: loopback/ca.pem"
    )
    let hook = try doctor(installation, ["--send"])
    #expect(hook.status == 0, "\(hook.lines)")
    #expect(hook.lines.contains { $0.hasPrefix("note  t  alpn  ") })
    #expect(hook.lines.contains { $0.hasPrefix("ok    t  send  200") })
    try write(
      installation,
      target: "provider: loopback, endpoint: 'https://127.0.0.1:\(port)', ca_file: loopback/ca.pem")
    let loopback = try doctor(installation, ["--send"])
    server.signal(SIGTERM)
    #expect(loopback.status == 69)
    #expect(try #require(loopback.lines.last).hasPrefix("fail  t  alpn  the server does not support HTTP/2"))
    let (silent, silentPort) = try startServer(
      certificate: "\(folder)/server.pem", key: "\(folder)/server.key", ["--no-alpn"])
    defer { silent.signal(SIGTERM) }
    try write(
      installation,
      target: "provider: loopback, endpoint: 'https://127.0.0.1:\(silentPort)', ca_file: loopback/ca.pem")
    let unnamed = try doctor(installation, ["--send"])
    #expect(unnamed.status == 69)
    #expect(
      try #require(unnamed.lines.last).hasPrefix("fail  t  alpn  the server negotiates no protocol (no ALPN)")
    )
  }

  @Test("a redirect is reported, and not followed", .timeLimit(.minutes(10)))
  func redirect() throws {
    let installation = try Installation()
    _ = try Certificates(in: installation.directory)
    let folder = installation.directory.file("loopback")
    let (server, port) = try startServer(
      certificate: "\(folder)/server.pem", key: "\(folder)/server.key",
      ["--redirect", "https://push.example.com:8443/s3cret"])
    defer { server.signal(SIGTERM) }
    try write(
      installation, target: "provider: http, endpoint: 'https://127.0.0.1:\(port)/', ca_file: loopback/ca.pem"
    )
    let result = try doctor(installation, ["--send"])
    #expect(result.status == 69)
    let line = try #require(result.lines.last)
    #expect(
      line.hasPrefix("fail  t  send  redirected with 301 to https://push.example.com:8443; set"), "\(line)")
  }

  @Test("doctor and collect refuse the same, and both report every problem", .timeLimit(.minutes(10)))
  func limits() throws {
    let installation = try Installation()
    func write(_ more: String) throws {
      try installation.directory.write(
        "pushscope.yaml",
        """
        targets:
          - { name: a, provider: ntfy, endpoint: 'https://ntfy.sh', topic: probe\(more) }
          - { name: b, provider: ntfy, endpoint: 'https://ntfy.sh', topic: probe, schedule: { every: 1s }\(more) }
          - { name: c, provider: http, endpoint: 'http://127.0.0.1:1' }
        """)
    }
    try write("")
    let collected = try run(
      Programs.pushscope,
      ["collect", "--count", "1", "--config", installation.configuration, "--store", installation.store])
    #expect(collected.status == 78)
    for words in ["target a: ", "target b: ", "250 messages a day", "one request each 5 s"] {
      #expect(collected.error.contains(words), "\(collected.error)")
    }
    #expect(!collected.error.contains("target c"))
    // It ends before it resolves ntfy.sh.
    try write(", ca_file: pushscope.yaml")
    let result = try doctor(installation)
    #expect(result.status == 78)
    #expect(result.lines.count { $0.hasPrefix("fail  a  rate  the schedule asks for ") } == 1)
    #expect(result.lines.count { $0.hasPrefix("fail  b  rate  the schedule asks for ") } == 2)
    #expect(!result.lines.contains { $0.contains("  c  rate  ") })
  }

  @Test(
    "keys of no use are named with their file before anything is connected to, exit 78",
    .timeLimit(.minutes(10)))
  func keys() throws {
    let installation = try Installation()
    try installation.directory.write("device.token", String(repeating: "5ec2e7", count: 12) + "\n")
    let apns =
      "provider: apns, endpoint: 'https://127.0.0.1:1', topic: com.example.app, device_token_file: device.token,"
      + " credentials: { signing_key_file: key.p8, key_id: ABC123DEFG, team_id: DEF123GHIJ }"
    for (content, words) in [
      ("nonsense", "no -----BEGIN line"), ("-----BEGIN PRIVATE KEY-----\nMIG", "a part of it is missing"),
    ] {
      try installation.directory.write("key.p8", content)
      try write(installation, target: apns)
      for command in [["doctor"], ["collect", "--count", "1"]] {
        let result = try run(
          Programs.pushscope,
          command + ["--config", installation.configuration, "--store", installation.store])
        #expect(result.status == 78, "\(result.output) \(result.error)")
        let said = result.output + result.error
        #expect(
          said.contains("key.p8") && said.contains(words) && said.contains("Apple's developer site"),
          "\(said)")
        #expect(!said.contains("  connect  "))
      }
    }
    try installation.directory.write("account.json", "{\"type\": \"service_account\", \"project_id\": ")
    try write(
      installation,
      target:
        "provider: fcm, endpoint: 'https://127.0.0.1:1', device_token_file: device.token, credentials: { service_account_file: account.json }"
    )
    let cut = try doctor(installation)
    #expect(cut.status == 78)
    #expect(try #require(cut.lines.last).contains("account.json\" is not JSON: it does not end with a brace"))
  }

  @Test("a client certificate is examined: its key, its expiration, its app", .timeLimit(.minutes(10)))
  func clientCertificate() throws {
    let installation = try Installation()
    _ = try Certificates(in: installation.directory)
    let folder = installation.directory.file("loopback")
    let (server, port) = try startServer(certificate: "\(folder)/server.pem", key: "\(folder)/server.key")
    defer { server.signal(SIGTERM) }
    try installation.directory.write("device.token", String(repeating: "5ec2e7", count: 12) + "\n")
    for name in ["push", "other"] {
      let made = try run(
        "openssl",
        [
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "9",
          "-subj", "/UID=com.example.app/CN=Apple Push Services", "-keyout",
          installation.directory.file("\(name).key"), "-out", installation.directory.file("\(name).pem"),
        ])
      #expect(made.status == 0)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: installation.directory.file("\(name).key"))
    }
    func target(topic: String = "com.example.app", certificate: String = "push.pem") -> String {
      "provider: apns, endpoint: 'https://127.0.0.1:\(port)', ca_file: loopback/ca.pem, topic: \(topic),"
        + " device_token_file: device.token,"
        + " credentials: { certificate_file: \(certificate), private_key_file: push.key }"
    }
    try write(installation, target: target())
    let good = try doctor(installation)
    #expect(
      good.lines.contains {
        $0.hasPrefix("ok    t  key  the certificate of Apple Push Services and its key")
      },
      "\(good.lines)")
    #expect(
      good.lines.contains { $0.hasPrefix("note  t  certificate  it expires in 8 days") }, "\(good.lines)")
    try write(installation, target: target(topic: "com.example.another"))
    let another = try doctor(installation)
    #expect(
      another.lines.contains {
        $0.hasPrefix(
          "fail  t  certificate  it is for the app com.example.app, and the topic is com.example.anoth")
      }, "\(another.lines)")
    // Unusable certificates: no connection is opened, and a run does not start.
    let old = try run(
      Programs.python,
      [
        Programs.scripts + "/expired_certificate.py", "\(folder)/ca.pem", "\(folder)/ca.key",
        installation.directory.file("old.pem"), installation.directory.file("old.key"),
      ])
    #expect(old.status == 0, "\(old.error)")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: installation.directory.file("old.key"))
    for (wrong, words) in [
      (target(certificate: "other.pem"), "is not the key of the certificate"),
      (target(certificate: "push.key"), "has no PEM block of the expected kind"),
      (target(certificate: "nowhere.pem"), "there is no file"),
      (target(certificate: "old.pem").replacing("push.key", with: "old.key"), "the certificate expired at 2"),
    ] {
      try write(installation, target: wrong)
      for command in [["doctor"], ["collect", "--count", "1"]] {
        let result = try run(
          Programs.pushscope,
          command + ["--config", installation.configuration, "--store", installation.store])
        let said = result.output + result.error
        #expect(result.status == 78 && said.contains(words), "\(words): \(said)")
        #expect(!said.contains("  connect  "))
      }
    }
  }
}
