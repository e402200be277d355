import Foundation
import HTTPTestKit
import TestKit
import TestTraits
import Testing

/// Push services that are in public use, with devices that share no code with this project: a user needs a configuration, a
/// device that posts receipts, and the store.
@Suite(
  "Runs through public push services to devices and back", .ownThread, .serialized, .timeLimit(.minutes(10)))
struct PublicServicesTests {
  /// An installation with certificates, and the processes that use it.
  private final class Scene {
    let installation: Installation
    let credentials: String
    private var processes: [RunningProcess] = []

    init() throws {
      installation = try Installation()
      _ = try Certificates(in: installation.directory)
      credentials = installation.directory.file("loopback")
    }

    deinit { for process in processes { process.signal(SIGKILL) } }

    /// Options of a device: where it posts its receipts and records what it received.
    var device: [String] {
      [
        "--receipts", "https://127.0.0.1:\(installation.receiptsPort)", "--ca", "\(credentials)/ca.pem",
        "--heard", installation.directory.file("heard.jsonl"),
      ]
    }

    func start(_ program: String, _ arguments: [String]) throws -> RunningProcess {
      let process = try RunningProcess(program, arguments)
      processes.append(process)
      return process
    }

    func startDevice(_ script: String, _ arguments: [String], ready: String) throws -> RunningProcess {
      let device = try start(
        Programs.python, ["-u", "\(Programs.scripts)/\(script)"] + arguments + self.device)
      try eventually("\(script) is ready", seen: { device.standardError }) {
        device.standardOutput.contains(ready) ? true : nil
      }
      return device
    }

    func configure(_ target: [String]) throws {
      let lines =
        [
          "collector:",
          "  receipts: { listen: 127.0.0.1:\(installation.receiptsPort), certificate_file: loopback/server.pem,"
            + " key_file: loopback/server.key, secret_file: receipts.secret }",
          "targets:", "  - name: probe", "    ca_file: loopback/ca.pem", "    receipt_deadline: 60s",
        ] + target.map { "    " + $0 }
      try installation.directory.write("pushscope.yaml", lines.joined(separator: "\n") + "\n")
    }

    /// Compares store and exports with the device's record (Tests/Support/check_heard.py).
    func check(_ options: [String]) throws {
      let tables = ["samples", "receipts"].map { installation.directory.file($0 + ".csv") }
      for (table, file) in zip(["samples", "receipts"], tables) {
        let export = try run(
          Programs.pushscope, ["export", table, "--store", installation.store, "--output", file])
        #expect(export.status == 0, "\(export.error)")
      }
      let heard = installation.directory.file("heard.jsonl")
      let result = try run(
        Programs.python,
        ["\(Programs.scripts)/check_heard.py", installation.store, heard] + tables + options)
      #expect(result.status == 0, "\(result.error)")
    }
  }

  private static let hasNchan =
    Programs.has("nginx", "openssl", "sqlite3")
    && (Programs.isContinuousIntegration
      || Nginx.has(module: "ngx_nchan_module"))

  private static let hasProsody =
    Programs.has("prosody", "nghttpx", "openssl", "sqlite3") && Python.has("http_ece")
    && Programs.hasUnifiedPush

  @Test(
    "a webhook: nginx with nchan hands on what is published to a browser's EventSource",
    .enabled(if: hasNchan))
  func nchan() throws {
    let count = 120
    let scene = try Scene()
    let installation = scene.installation
    let port = try FreePort.take()
    let log = installation.directory.file("access.log")
    let configuration = Nginx.configuration(
      port: port, folder: installation.directory.path, certificate: "\(scene.credentials)/server.pem",
      key: "\(scene.credentials)/server.key", modules: ["ngx_nchan_module"],
      lines: """
        access_log \(log);
        location = /publish {
          if ($http_authorization != "Bearer a-long-secret") { return 403; }
          nchan_publisher; nchan_channel_id probe; nchan_message_buffer_length 1000;
        }
        location = /events { nchan_subscriber eventsource; nchan_channel_id probe; }
        """)
    let file = try installation.directory.write("nginx.conf", configuration)
    let nginx = try scene.start("nginx", ["-c", file, "-p", installation.directory.path])
    try FreePort.waitUntilTaken(port, by: nginx)
    let device = try scene.startDevice(
      "nchan_device.py", ["https://127.0.0.1:\(port)/events", "--device", "browser"], ready: "subscribed")

    // nchan answers 201 when a subscriber got the message, and 202 when it was only stored.
    try scene.configure([
      "provider: http", "endpoint: https://127.0.0.1:\(port)/publish?probe={sequence}", "method: PUT",
      "headers: { authorization: \"Bearer ${HOOK_TOKEN}\", content-type: application/json }",
      "body_file: body.json", "success: 201", "schedule: { rate: 100/s }",
    ])
    try installation.directory.write("body.json", #"{ "n": {sequence}, "pushscope": {pushscope} }"# + "\n")
    let collector = try installation.collect(
      ["--count", "\(count)"], environment: ["HOOK_TOKEN": "a-long-secret"])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError) \(device.standardError)")
    #expect(try installation.states() == ["delivered": count], "\(device.standardError)")
    try scene.check(["--count", "\(count)", "--status", "201", "--device", "browser"])

    // The requests in nginx's own log.
    let lines = try eventually("nginx has logged all requests") {
      let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      return lines.count >= count ? lines : nil
    }
    let asked = lines.compactMap { $0.split(separator: "\"").dropFirst().first.map(String.init) }
    #expect(asked.sorted() == (1...count).map { "PUT /publish?probe=\($0) HTTP/2.0" }.sorted())
  }

  @Test(
    "Web Push: Prosody's UnifiedPush behind nghttpx, to a device that decrypts and acknowledges",
    .enabled(if: hasProsody))
  func unifiedPush() throws {
    let count = 80
    let scene = try Scene()
    let installation = scene.installation
    let port = try FreePort.take()
    let device = try scene.startDevice(
      "prosody_device.py",
      [
        installation.directory.path, "--external", "https://127.0.0.1:\(port)/", "--device", "phone",
        "--ports",
      ]
        + FreePort.arguments(2),
      ready: "listening ")
    let backend = try #require(
      device.standardOutput.split(separator: "\n").first { $0.hasPrefix("listening ") }
        .flatMap { Int($0.dropFirst(10)) })
    let proxy = try scene.start(
      "nghttpx",
      Nghttpx.arguments(
        port: port, backend: backend, certificate: "\(scene.credentials)/server.pem",
        key: "\(scene.credentials)/server.key"))
    try FreePort.waitUntilTaken(port, by: proxy)

    // No credentials: a UnifiedPush endpoint needs none.
    try scene.configure([
      "provider: webpush", "subscription_file: subscription.json", "ttl: 60s", "payload_bytes: [600, 4096]",
      "schedule: { rate: 50/s }",
    ])
    let collector = try installation.collect(["--count", "\(count)"])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError) \(device.standardError)")
    #expect(try installation.states() == ["delivered": count], "\(device.standardError)")
    // Prosody answers after the device's acknowledgment, so the device received it earlier.
    try scene.check(["--count", "\(count)", "--status", "201", "--device", "phone", "--heard-first"])
    let sizes = try installation.query(
      "SELECT variant, payload_bytes, count(*) FROM sample_view GROUP BY 1, 2 ORDER BY 2")
    #expect(
      sizes == [
        ["payload_bytes=600", "600", "\(count / 2)"], ["payload_bytes=4096", "4096", "\(count / 2)"],
      ])
    #expect(!device.standardOutput.contains("undecipherable"), "\(device.standardOutput)")
  }
}
