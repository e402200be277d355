import Foundation
import Testing

/// The service worker of Examples/Devices, run by Node against a real collector.
@Suite("Device examples", .serialized)
struct DeviceExampleTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// What a browser gives a service worker, as far as the example needs it.
  private static let browser = """
    const fs = require("fs");
    const listeners = {};
    globalThis.self = {
      addEventListener: (name, listener) => { listeners[name] = listener; },
      registration: { showNotification: async () => {} },
    };
    const source = fs.readFileSync(process.argv[1], "utf8").replace(/https:\\/\\/receipts[^"]*/, process.argv[2]);
    (0, eval)(source);
    const probe = { v: 1, id: process.argv[3], mac: process.argv[4], at: 0 };
    listeners.push({
      data: { json: () => ({ pushscope: probe }) },
      waitUntil: (work) => work.then(() => process.exit(0), () => process.exit(1)),
    });
    """

  /// There is no compiler for the Android one on Linux without a JDK; it is read, not run.
  @Test(
    "compilers take the examples",
    arguments: [
      ("node", ["--check"], "web/service-worker.js"), ("swiftc", ["-parse"], "ios/NotificationService.swift"),
    ])
  func isWellFormed(compiler: String, arguments: [String], example: String) throws {
    guard let tool = Programs.find(compiler) else {
      #expect(!Programs.has(compiler), "\(compiler) is not installed")
      return
    }
    let file = Self.root.appendingPathComponent("Examples/Devices/\(example)").path
    let result = try run(tool, arguments + [file])
    #expect(result.status == 0, "\(result.error)")
  }

  @Test(
    "the service worker exchanges clocks and posts its receipt",
    .enabled(if: Programs.has("node")), .timeLimit(.minutes(3)))
  func serviceWorker() throws {
    let station = try Station(rate: "2/s", target: ["receipt_deadline: 120s"])
    let service = try station.startLoopback(scenario: "deliveries: { lost: 100% }\n")
    let collector = try station.collect([])
    try eventually("a notification waits for its receipt", seen: { collector.standardError }) {
      try (station.states()["in_flight"] ?? 0) > 0 ? true : nil
    }
    let id = try #require(
      try station.query("SELECT notification_id FROM sample_view WHERE state = 'in_flight' LIMIT 1").first?
        .first)
    let collectorID = try #require(try station.query("SELECT collector FROM meta").first?.first)
    let mac = try run(
      try #require(Programs.find("sh")),
      [
        "-c",
        "printf '1|\(collectorID)|\(id)' | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef -binary"
          + " | basenc --base64url | tr -d '='",
      ]
    ).output.trimmingCharacters(in: .whitespacesAndNewlines)
    let worker = Self.root.appendingPathComponent("Examples/Devices/web/service-worker.js").path
    let result = try run(
      try #require(Programs.find("node")),
      ["-e", Self.browser, worker, "https://127.0.0.1:\(station.receiptsPort)", id, mac],
      environment: ["NODE_EXTRA_CA_CERTS": station.directory.file("loopback/ca.pem")])
    #expect(result.status == 0, "\(result.error)")
    let rows = try station.query(
      "SELECT device, same_clock, abs(offset_us) <= offset_error_us FROM receipt")
    #expect(rows == [["my-browser", "0", "1"]])
    #expect(try station.query("SELECT count(*) FROM clock_exchange") == [["3"]])
    collector.signal(SIGTERM)
    try collector.waitForExit()
    service.signal(SIGTERM)
    try service.waitForExit()
  }
}
