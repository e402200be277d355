import Foundation
import Glibc
import Measurement
import TestKit
import TestTraits
import Testing

/// The analyst's process of a collector fails in every way; the collector sends and records as if nothing were.
@Suite("Faults of the analyst end and delay nothing", .ownThread) struct AnalystFaultTests {
  /// A collector with an endpoint, an objective and an alert command, and what induces faults in its analyst.
  private struct Subject {
    let installation: Installation
    let service: RunningProcess
    let collector: RunningProcess
    private let port: Int

    /// - Parameter analyst: the value of the key of the same name.
    init(rate: String = "20/s", analyst: String = "on", scenario: String? = nil, duration: String? = nil)
      throws
    {
      installation = try Installation(rate: rate, target: ["receipt_deadline: 3s"])
      port = try FreePort.take()
      let told = installation.directory.file("told")
      let script = try installation.directory.write("page", "#!/bin/sh\ncat >>\(told)\necho >>\(told)\n")
      chmod(script, 0o700)
      let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
      try installation.directory.write(
        "pushscope.yaml",
        text.replacing("collector:\n", with: "collector:\n  analyst: \(analyst)\n", maxReplacements: 1)
          + """
          service: { listen: 127.0.0.1:\(port) }
          objectives:
            - { name: fast, target: loopback, metric: delivery, within: 1ms, share: 99%, window: 1h }
          alerts: { command: [ \(script) ] }

          """)
      service = try installation.startLoopback(scenario: scenario)
      collector = try installation.collect(
        duration.map { ["--duration", $0] } ?? [],
        environment: ["PUSHSCOPE_TEST_FAULT": installation.directory.file("fault")])
    }

    var fault: String { installation.directory.file("fault") }

    func induce(_ text: String) throws { try installation.directory.write("fault", text + "\n") }

    /// The alerts that the command was told, by the words of their messages.
    var told: String {
      (try? String(contentsOfFile: installation.directory.file("told"), encoding: .utf8)) ?? ""
    }

    /// The id of the analyst's process, other than a former one.
    func analyst(after former: Int32? = nil) throws -> Int32 {
      try eventually("the analyst runs", within: .seconds(150), seen: { collector.standardError }) {
        let listed = try? Programs.run("pgrep", ["-P", "\(collector.pid)", "-f", " analyst"])
        return (listed?.output).flatMap { Int32($0.split(separator: "\n").first ?? "") }
          .flatMap { $0 == former ? nil : $0 }
      }
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
      let rows = try installation.query("SELECT count(*), max(id & 1099511627775) FROM sample")
      #expect(rows[0][0] == rows[0][1], "no sequence number is missing")
      #expect(
        try installation.query("SELECT count(*) FROM sample_view WHERE state IN ('planned', 'in_flight')")
          == [["0"]])
      service.signal(SIGTERM)
    }
  }

  @Test("killed or crashed, it begins again; each alert is told once", .timeLimit(.minutes(4)))
  func kills() throws {
    let subject = try Subject()
    try subject.installation.waitFor("delivered", over: 40, by: subject.collector)
    var former: Int32?
    for _ in 0..<3 {
      let analyst = try subject.analyst(after: former)
      kill(analyst, SIGKILL)
      former = analyst
    }
    try subject.induce("trap findings loopback")
    try eventually("the search for changes fails", seen: { subject.collector.standardError }) {
      try subject.events().contains { $0.contains("the search for changes failed at \"loopback\" (SIG") }
        ? true : nil
    }
    try? FileManager.default.removeItem(atPath: subject.fault)
    try eventually("the objective is told", seen: { subject.collector.standardError }) {
      subject.told.contains("objective fast is breached") ? true : nil
    }
    #expect(subject.collector.standardError.contains("a fault that a test asked for"))
    // As the crash's report names them: where, never what was in memory.
    #expect(subject.collector.standardError.contains("FindingEngine"))
    _ = try subject.analyst(after: former)
    try eventually("checkpoints are kept", seen: { subject.collector.standardError }) {
      try subject.metric(#"pushscope_part_up{part="findings"}"#) == "1" ? true : nil
    }
    try subject.finish()
    #expect(subject.told.components(separatedBy: #""status":"firing""#).count - 1 <= 3)
    #expect(
      try subject.installation.query("SELECT count(*) FROM event WHERE kind = 'threshold_crossed'") == [["1"]]
    )
    #expect(try Int(subject.installation.query("SELECT count(*) FROM detector_checkpoint")[0][0]) ?? 0 > 0)
  }

  @Test("what fails again and again is switched off alone, until a reload", .timeLimit(.minutes(4)))
  func switchedOff() throws {
    let subject = try Subject()
    try subject.induce("trap findings loopback")
    try subject.collector.waitFor(error: "it is switched off for 1 h")
    try eventually("the other parts work", seen: { subject.collector.standardError }) {
      try subject.metric(#"pushscope_part_up{part="objectives"}"#) == "1" ? true : nil
    }
    #expect(try subject.metric(#"pushscope_part_up{part="findings"}"#) == "0")
    let store = ["--store", subject.installation.store]
    let words = "the search for changes failed and is switched off (SIG"
    #expect(try run(Programs.pushscope, ["status"] + store).output.contains(words))
    let doctor = try run(
      Programs.pushscope, ["doctor", "--config", subject.installation.configuration] + store)
    #expect(doctor.output.contains(words))
    try eventually("the objective is told", seen: { subject.collector.standardError }) {
      subject.told.contains("objective fast is breached") ? true : nil
    }
    try? FileManager.default.removeItem(atPath: subject.fault)
    subject.collector.signal(SIGHUP)
    try eventually("it works again", seen: { subject.collector.standardError }) {
      try subject.metric(#"pushscope_part_up{part="findings"}"#) == "1" ? true : nil
    }
    #expect(try !run(Programs.pushscope, ["status"] + store).output.contains("switched off"))
    #expect(try subject.events().count == 3)
    try subject.finish()
  }

  @Test(
    "one that hangs or is stopped is killed after a minute", .timeLimit(.minutes(5)),
    arguments: [
      "hang findings loopback", "stop objectives fast",
    ])
  func hangs(_ fault: String) throws {
    let subject = try Subject()
    let analyst = try subject.analyst()
    try subject.induce(fault)
    try eventually("it is killed", within: .seconds(120), seen: { subject.collector.standardError }) {
      try subject.events().contains { $0.contains("it said nothing for 1 min") } ? true : nil
    }
    try? FileManager.default.removeItem(atPath: subject.fault)
    _ = try subject.analyst(after: analyst)
    try subject.finish()
  }

  @Test("it ends with its collector, also when that is killed while it is stopped", .timeLimit(.minutes(2)))
  func orphan() throws {
    let subject = try Subject()
    let analyst = try subject.analyst()
    kill(analyst, SIGSTOP)
    try subject.collector.kill()
    try eventually("it is gone") {
      let state = try? String(contentsOfFile: "/proc/\(analyst)/stat", encoding: .utf8)
      return state == nil || state?.contains(") Z ") == true ? true : nil
    }
    subject.service.signal(SIGTERM)
  }

  @Test(
    "signals for the group are the collector's alone, and the end waits for the last round",
    .timeLimit(.minutes(2)))
  func ends() throws {
    let subject = try Subject(duration: "4s")
    let analyst = try subject.analyst()
    for number in [SIGINT, SIGTERM, SIGHUP] { kill(analyst, number) }
    #expect(try subject.collector.waitForExit() == 0)
    #expect(!subject.collector.standardError.contains("the analyst"))
    let seen = try subject.installation.query(
      "SELECT d.through > max(s.planned_at) - 2000000 FROM detector d, sample s")
    #expect(seen == [["1"]])
    subject.service.signal(SIGTERM)
  }

  @Test("analyst: off does the same in one process", .timeLimit(.minutes(3))) func off() throws {
    let subject = try Subject(analyst: "off")
    try eventually("the objective is told", seen: { subject.collector.standardError }) {
      subject.told.contains("objective fast is breached") ? true : nil
    }
    let listed = try Programs.run("pgrep", ["-P", "\(subject.collector.pid)", "-f", " analyst"])
    #expect(listed.output.isEmpty)
    #expect(try subject.metric(#"pushscope_part_up{part="findings"}"#) == "1")
    try subject.finish()
    #expect(try Int(subject.installation.query("SELECT count(*) FROM detector_checkpoint")[0][0]) ?? 0 > 0)
  }

  /// An episode a minute, so that there is something to find.
  private static let episodes = """
    deliveries: { delay: { distribution: lognormal, median: 30ms, sigma: 0.3 } }
    episodes:
      - name: slow delivery
        from: 150s
        for: 40s
        every: 2m
        deliveries: { delay: { distribution: lognormal, median: 150ms, sigma: 0.3 } }

    """

  @Test(
    "after ten minutes of faults the store says what it says without any", .enabled(if: TestLength.isLong),
    .timeLimit(.minutes(25)))
  func manyFaults() throws {
    let subject = try Subject(rate: "40/s", scenario: Self.episodes, duration: "10m")
    var random = SeededGenerator(seed: 37)
    var former: Int32?
    let end = ContinuousClock.now + .seconds(560)
    while ContinuousClock.now < end {
      let analyst = try subject.analyst(after: former)
      usleep(UInt32.random(in: 100_000...8_000_000, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0: kill(analyst, SIGSTOP)
      case 1:
        // It need not come to that unit of work.
        try subject.induce("trap findings loopback")
        usleep(3_000_000)
        try? FileManager.default.removeItem(atPath: subject.fault)
        continue
      default: kill(analyst, SIGKILL)
      }
      former = analyst
      // Too many at one place would switch a part off, as they should.
      usleep(20_000_000)
    }
    #expect(try subject.collector.waitForExit(within: .seconds(180)) == 0)
    let rows = try subject.installation.query("SELECT count(*), max(id & 1099511627775) FROM sample")
    #expect(rows[0][0] == rows[0][1])
    let late = try subject.installation.query("SELECT count(*) FROM sample_view WHERE state = 'missed'")
    #expect(late == [["0"]])
    let store = ["--store", subject.installation.store]
    let kept = try run(Programs.pushscope, ["findings", "--json"] + store).output
    let anew = try run(Programs.pushscope, ["findings", "--json", "--recompute"] + store).output
    #expect(Self.stretches(kept) == Self.stretches(anew))
    #expect(!Self.stretches(kept).isEmpty)
    subject.service.signal(SIGTERM)
  }

  /// What was found, without what an alarm's moment makes different.
  private static func stretches(_ json: String) -> [String] {
    guard let list = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]] else {
      return []
    }
    return list.map {
      "\($0["target"] ?? "") \($0["metric"] ?? "") \($0["kind"] ?? "") \($0["started_at"] ?? "")"
    }.sorted()
  }
}
