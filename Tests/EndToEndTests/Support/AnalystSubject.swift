import Foundation
import Glibc
import TestKit
import Testing

/// A collector with an endpoint, an objective and an alert command, and what induces faults in its analyst.
struct AnalystSubject {
  let installation: Installation
  let service: RunningProcess
  let collector: RunningProcess
  /// `nil`: nothing is forwarded.
  let fleet: FleetEngine?
  let clock: CompressedClock?
  private let engine: RunningProcess?
  private let port: Int

  /// - Parameters:
  ///   - analyst: the value of the key of the same name.
  ///   - deadline: of receipts, on the collector's clock. One that a busy machine's delays exceed makes losses of them.
  ///   - clockRate: how many times as fast the clock of collector and service runs.
  init(
    rate: String = "20/s", deadline: String = "3s", analyst: String = "on", scenario: String? = nil,
    duration: String? = nil, clockRate: Int = 1, hasFleet: Bool = false
  ) throws {
    installation = try Installation(rate: rate, target: ["receipt_deadline: \(deadline)"])
    let directory = installation.directory
    port = try FreePort.take()
    let told = directory.file("told")
    let script = try directory.write(
      "page", "#!/bin/sh\ncat >>\(told)\necho >>\(told)\ncat /proc/self/oom_score_adj >\(told)-memory\n")
    chmod(script, 0o700)
    clock = clockRate == 1 ? nil : try CompressedClock(rate: clockRate, in: directory)
    fleet = hasFleet ? try FleetEngine(in: directory) : nil
    let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    try directory.write(
      "pushscope.yaml",
      text.replacing("collector:\n", with: "collector:\n  analyst: \(analyst)\n", maxReplacements: 1)
        + """
        service: { listen: 127.0.0.1:\(port) }
        objectives:
          - { name: fast, target: loopback, metric: delivery, within: 1ms, share: 99%, window: 1h }
        alerts: { command: [ \(script) ] }

        """ + (fleet?.configuration ?? ""))
    let environment = clock?.environment ?? [:]
    engine = try fleet?.start()
    if hasFleet {
      let setup = try run(
        Programs.pushscope, ["fleet", "setup", "--no-users", "--config", installation.configuration])
      #expect(setup.status == 0, "\(setup)")
    }
    // The scenario's episodes count from the start of the service: nothing slow comes between the two.
    service = try installation.startLoopback(scenario: scenario, environment: environment)
    collector = try installation.collect(
      duration.map { ["--duration", $0] } ?? [],
      environment: environment.merging(["PUSHSCOPE_TEST_FAULT": directory.file("fault")]) { $1 })
  }

  var fault: String { installation.directory.file("fault") }

  func induce(_ text: String) throws { try installation.directory.write("fault", text + "\n") }
  func induceNothing() { try? FileManager.default.removeItem(atPath: fault) }

  /// The messages that the command was told.
  var told: String {
    (try? String(contentsOfFile: installation.directory.file("told"), encoding: .utf8)) ?? ""
  }

  /// Each alert that was told with its status, as often as it was told.
  func toldAlerts() throws -> [String] {
    try told.split(separator: "\n").flatMap { line in
      let message = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      return (message["alerts"] as? [[String: Any]] ?? []).map {
        "\($0["status"] ?? "") \($0["fingerprint"] ?? "") \($0["startsAt"] ?? "")"
      }
    }
  }

  /// By how much the kernel prefers to end the command that was told, where memory is short.
  var memoryScoreOfCommand: String? {
    try? String(contentsOfFile: installation.directory.file("told-memory"), encoding: .utf8)
  }

  /// The id of the analyst's process, other than a former one.
  func analyst(after former: Int32? = nil) throws -> Int32 {
    try eventually("the analyst runs", within: .seconds(150), seen: { collector.standardError }) {
      running.flatMap { $0 == former ? nil : $0 }
    }
  }

  /// The id of the analyst's process, where one runs.
  var running: Int32? {
    let listed = try? Programs.run("pgrep", ["-P", "\(collector.pid)", "-f", " analyst"])
    return (listed?.output).flatMap { Int32($0.split(separator: "\n").first ?? "") }
  }

  func metric(_ name: String) throws -> String? {
    let page = try Programs.run("curl", ["-s", "--max-time", "5", "http://127.0.0.1:\(port)/metrics"])
    return page.output.split(separator: "\n").first { $0.hasPrefix(name) }.map {
      String($0.split(separator: " ").last ?? "")
    }
  }

  func events() throws -> [String] {
    try installation.query("SELECT detail FROM event WHERE kind = 'part_failed' ORDER BY at").map { $0[0] }
  }

  /// Ends the collector, and checks that nothing is missing.
  func finish() throws {
    #expect(try collector.stop() == 0)
    try expectEveryRow()
    service.signal(SIGTERM)
  }

  /// No sequence number is missing, and everything is settled.
  func expectEveryRow() throws {
    let rows = try installation.query("SELECT count(*), max(id & 1099511627775) FROM sample")
    #expect(rows[0][0] == rows[0][1], "no sequence number is missing")
    #expect(
      try installation.query(
        "SELECT count(*) FROM sample_view WHERE state IN ('planned', 'in_flight')") == [["0"]])
  }
}
