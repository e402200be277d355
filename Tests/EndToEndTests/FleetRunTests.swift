import Foundation
import Glibc
import TestKit
import TestTraits
import Testing

/// Real collectors and the engine of ClickHouse: what is collected is in the fleet, whoever is killed meanwhile.
@Suite("Forwarding to a fleet", .ownThread, .enabled(if: FleetEngine.isAvailable))
struct FleetRunTests {
  private let installation: Installation
  private let fleetEngine: FleetEngine
  private var port: Int { fleetEngine.port }

  init() throws {
    installation = try Installation(rate: "100/s", target: ["receipt_deadline: 20s"])
    fleetEngine = try FleetEngine(in: installation.directory)
    let configuration = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    try installation.directory.write("pushscope.yaml", configuration + fleetEngine.configuration)
  }

  private func fleet(_ arguments: [String]) throws -> (status: Int32, output: String, error: String) {
    try run(Programs.pushscope, arguments + ["--config", installation.configuration])
  }

  /// What is written when a collector ends is forwarded, too, as long as that takes some seconds; a busy engine takes longer.
  private func forwardTheRest(of collector: RunningProcess) throws {
    guard collector.standardError.contains("in the store for the next start") else { return }
    #expect(try fleet(["forward", "--once", "--store", installation.store]).status == 0)
  }

  @Test(
    "collectors are killed, the engine is away and back: everything is there once", .timeLimit(.minutes(10)))
  func killed() throws {
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    // Nobody answers: collecting goes on.
    let first = try installation.collect([])
    try first.waitFor(error: "nothing is lost, and it is tried again")
    try installation.waitFor("delivered", over: 100, by: first)
    var engine = try fleetEngine.start()
    let setup = try fleet(["fleet", "setup", "--no-users"])
    #expect(setup.status == 0 && setup.output.contains("schema version 3"), "\(setup)")
    try first.waitFor(error: "rows are forwarded again")
    try eventually("rows arrive") {
      Int(try fleetEngine.ask("SELECT count() FROM pushscope.sample_view").first?.first ?? "") ?? 0 > 100
    }
    try first.kill()

    let second = try installation.collect([])
    try installation.waitFor("delivered", over: 300, by: second)
    try engine.kill()
    let before = try installation.states()["delivered"] ?? 0
    try installation.waitFor("delivered", over: before + 100, by: second)
    engine = try fleetEngine.start()
    #expect(try second.stop() == 0)
    let late = try fleet(["forward", "--once", "--store", installation.store])
    #expect(late.status == 0, "\(late)")
    try fleetEngine.expectAgreement(with: installation)
    let again = try fleet(["forward", "--once", "--store", installation.store])
    #expect(again.output.contains(": 0 rows forwarded"), "\(again)")

    let status = try fleet(["fleet", "status", "--store", installation.store])
    #expect(status.status == 0 && status.output.contains("all rows are forwarded"), "\(status)")
    #expect(status.output.contains("region=eu-west"))
    #expect(try fleetEngine.ask("SELECT DISTINCT labels['region'] FROM pushscope.sample") == [["eu-west"]])
    try engine.kill()
    #expect(try fleet(["forward", "--once", "--store", installation.store]).status == 69)
    #expect(try fleet(["fleet", "status", "--store", installation.store]).status == 69)
    try service.stop()
  }

  @Test("reports read the fleet, with a configuration that has nothing else", .timeLimit(.minutes(10)))
  func reports() throws {
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    let engine = try fleetEngine.start()
    #expect(try fleet(["fleet", "setup", "--no-users"]).status == 0)
    let collector = try installation.collect(["--count", "300"])
    #expect(try collector.waitForExit() == 0)
    try forwardTheRest(of: collector)
    let status = try fleet(["fleet", "status", "--store", installation.store])
    #expect(status.output.contains("all rows are forwarded"), "\(status)")
    let reader = try installation.directory.write(
      "reader.yaml", "fleet: { url: 'http://127.0.0.1:\(port)', reader: { user: pushscope_reader } }\n")
    func report(_ arguments: [String]) throws -> (status: Int32, output: String, error: String) {
      try run(Programs.pushscope, arguments + ["--fleet", "--config", reader])
    }
    for table in ["samples", "receipts", "events", "runs", "histogram", "summary", "findings", "log"] {
      let local = try run(
        Programs.pushscope, ["export", table, "--run", "latest", "--store", installation.store])
      let remote = try report(["export", table, "--run", "latest"])
      #expect(remote.status == 0 && remote.output == local.output, "\(table): \(remote.error)")
    }
    let summary = try report(["summary", "--label", "region=eu-west", "--by", "region"])
    #expect(summary.status == 0 && summary.output.contains("\"region=eu-west\""), "\(summary)")
    #expect(summary.output.contains("300 planned, 300 sent"), "\(summary)")
    #expect(try report(["summary", "--label", "region=us"]).output == "no runs here\n")
    #expect(try report(["runs", "list"]).output.contains("completed"))
    let state = try report(["status", "--by", "region"])
    #expect(state.status == 0 && state.output.contains("region=eu-west loopback  ended"), "\(state)")
    #expect(try report(["status", "--exit-code"]).status == 0)
    #expect(try report(["findings"]).status == 0)
    let missing = try report(["summary", "--run", "nope"])
    #expect(missing.status == 66 && missing.error.contains("there is no run \"nope\""), "\(missing)")
    for wrong in [["--label", "region"], ["--store", installation.store]] {
      #expect(try report(["summary"] + wrong).status == 64)
    }
    #expect(try run(Programs.pushscope, ["summary", "--by", "region"]).status == 64)
    try engine.kill()
    #expect(try report(["summary"]).status == 69)
    try service.stop()
  }

  @Test(
    "the dashboard shows the fleet, live and read only, and keeps what it has while the engine is away",
    .enabled(if: Programs.has("tmux")), .timeLimit(.minutes(10)))
  func dashboard() throws {
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    var engine = try fleetEngine.start()
    #expect(try fleet(["fleet", "setup", "--no-users"]).status == 0)
    let collector = try installation.collect(["--run-name", "from afar"])
    try eventually("rows arrive") {
      Int(try fleetEngine.ask("SELECT count() FROM pushscope.sample").first?.first ?? "") ?? 0 > 100
    }
    let reader = try installation.directory.write(
      "reader.yaml", "fleet: { url: 'http://127.0.0.1:\(port)', reader: { user: pushscope_reader } }\n")
    let line = try fleet(["dashboard", "--fleet", "--once"])
    #expect(line.status == 0 && line.output.contains("live loopback sent"), "\(line)")

    let tmux = try Tmux(columns: 130, rows: 36)
    try tmux.type("\(Programs.pushscope) dashboard --fleet --label region=eu-west --config \(reader)")
    try tmux.press("Enter")
    try tmux.waitUntil("the run goes on") { $0.contains("● live") && $0.contains("from afar") }
    let counts = #/planned ([0-9 ]+) · [0-9.]+ % delivered/#
    func planned(_ screen: String) -> Int {
      screen.firstMatch(of: counts).flatMap { Int($0.1.filter(\.isNumber)) } ?? 0
    }
    try tmux.waitUntil("notifications are in the plot") { planned($0) > 100 }
    let before = planned(try tmux.screen())
    try tmux.waitUntil("more come") { planned($0) > before + 200 }
    for (key, words) in [
      ("s", "runs are started and stopped at their collectors"), ("A", "pushscope annotate writes"),
    ] {
      try tmux.press(key)
      try tmux.waitFor(words)
    }
    try tmux.press("3")
    try tmux.waitUntil("events are listed") { $0.contains("connected") }
    try tmux.press("4")
    try tmux.waitUntil("runs are listed") { $0.contains("recording") }
    try tmux.press("5")
    try tmux.waitUntil("targets are listed") {
      $0.contains("worst first") && $0.contains(#/loopback +[0-9.]+\/s .*[0-9] %/#)
    }

    try engine.kill()
    try tmux.waitUntil("that it is away is said, and what was read stays") {
      $0.contains("fleet not readable since") && planned($0) > before && !$0.contains("collector gone")
    }
    engine = try fleetEngine.start()
    try tmux.waitFor("the fleet answers again")
    let later = planned(try tmux.screen())
    try tmux.waitUntil("it goes on") { planned($0) > later + 100 && !$0.contains("not readable") }
    #expect(try collector.stop() == 0)
    try forwardTheRest(of: collector)
    try tmux.waitUntil("the run has ended") { $0.contains("ended") }
    try tmux.leaveDashboard()

    let missing = try fleet(["dashboard", "--fleet", "--run", "nope", "--once"])
    #expect(missing.status == 66 && missing.error.contains("there is no run \"nope\""), "\(missing)")
    let shown = try fleet(["runs", "show", "from afar", "--fleet"])
    let achieved = shown.output.firstMatch(of: #/achieved ([0-9.]+)\/s/#).flatMap { Double($0.1) }
    #expect(shown.status == 0 && achieved ?? 0 > 10, "\(shown)")
    #expect(try fleet(["findings", "show", "nope", "--fleet"]).status == 66)
    #expect(try fleet(["dashboard", "--label", "a=b", "--once"]).status == 64)
    try engine.kill()
    let away = try fleet(["dashboard", "--fleet", "--once"])
    #expect(away.status != 0 && away.error.contains("127.0.0.1:\(port)"), "\(away)")
    try service.stop()
  }

  @Test("what goes wrong is said with an exit code of its own", .timeLimit(.minutes(10)))
  func refusals() throws {
    // Makes the files that the configuration names.
    let service = try installation.startLoopback()
    let engine = try fleetEngine.start()
    let missing = try fleet(["fleet", "status"])
    #expect(missing.status == 66 && missing.error.contains("run pushscope fleet setup"), "\(missing)")
    #expect(try fleet(["fleet", "schema", "--cluster", "main"]).status == 64)
    let schema = try fleet(["fleet", "schema", "--replicated", "--cluster", "main"])
    #expect(
      schema.status == 0 && schema.output.contains("GRANT ON CLUSTER 'main' INSERT ON `pushscope`.sample"))
    let plain = try installation.directory.write(
      "plain.yaml", "targets: [{ name: a, provider: loopback, endpoint: 'https://127.0.0.1:1' }]\n")
    let none = try run(Programs.pushscope, ["fleet", "status", "--config", plain])
    #expect(none.status == 78 && none.error.contains("no section fleet"), "\(none)")
    let open = try installation.directory.write(
      "open.yaml",
      "targets: [{ name: a, provider: loopback, endpoint: 'https://127.0.0.1:1' }]\n"
        + "fleet: { url: 'http://clickhouse.example.com:8123', writer: { user: w } }\n")
    let unencrypted = try run(Programs.pushscope, ["fleet", "status", "--config", open])
    #expect(unencrypted.status == 78 && unencrypted.error.contains("fleet.url"), "\(unencrypted)")
    try engine.kill()
    try service.stop()
  }
}
