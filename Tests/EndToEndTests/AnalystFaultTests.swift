import Foundation
import Glibc
import Measurement
import TestKit
import TestTraits
import Testing

/// The analyst's process of a collector fails in every way; the collector sends and records as if nothing were.
@Suite("Faults of the analyst end and delay nothing", .ownThread) struct AnalystFaultTests {
  @Test("killed or crashed, it begins again; each alert is told once", .timeLimit(.minutes(10)))
  func kills() throws {
    let subject = try AnalystSubject()
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
    subject.induceNothing()
    try eventually("the objective is told", seen: { subject.collector.standardError }) {
      subject.told.contains("objective fast is breached") ? true : nil
    }
    #expect(subject.collector.standardError.contains("a fault that a test asked for"))
    // As the crash's report names them: where, never what was in memory.
    #expect(subject.collector.standardError.contains("FindingEngine"))
    let last = try subject.analyst(after: former)
    let own = try String(contentsOfFile: "/proc/self/oom_score_adj", encoding: .utf8)
    let usual = try #require(Int(own.dropLast()))
    try eventually("the analyst asks to be ended first") {
      try String(contentsOfFile: "/proc/\(last)/oom_score_adj", encoding: .utf8)
        == "\(min(1000, usual + 500))\n" ? true : nil
    }
    #expect(subject.memoryScoreOfCommand == own, "commands are not ended before others")
    try eventually("checkpoints are kept", seen: { subject.collector.standardError }) {
      try subject.metric(#"pushscope_part_up{part="findings"}"#) == "1" ? true : nil
    }
    try subject.finish()
    let told = try subject.toldAlerts()
    #expect(told.contains { $0.hasPrefix("firing") } && Set(told).count == told.count, "\(told)")
    let crossed = try subject.installation.query(
      "SELECT at, detail FROM event WHERE kind = 'threshold_crossed'")
    #expect(crossed.count == 1, "\(crossed)")
    #expect(try Int(subject.installation.query("SELECT count(*) FROM detector_checkpoint")[0][0]) ?? 0 > 0)
  }

  @Test("what fails again and again is switched off alone, until a reload", .timeLimit(.minutes(10)))
  func switchedOff() throws {
    let subject = try AnalystSubject()
    try subject.induce("trap findings loopback")
    try subject.collector.waitFor(error: "it is switched off for 1 h")
    try eventually("the other parts work", seen: { subject.collector.standardError }) {
      try subject.metric(#"pushscope_part_up{part="objectives"}"#) == "1" ? true : nil
    }
    #expect(try subject.metric(#"pushscope_part_up{part="findings"}"#) == "0")
    let store = ["--store", subject.installation.store]
    let status = try run(Programs.pushscope, ["status"] + store).output
    #expect(status.contains("the search for changes failed and has been switched off for "), "\(status)")
    let json = try run(Programs.pushscope, ["status", "--json"] + store).output
    #expect(json.contains(#""failed_parts""#) && json.contains(#""part": "findings""#), "\(json)")
    #expect(try run(Programs.pushscope, ["status", "--exit-code"] + store).status == 99)
    let doctor = try run(
      Programs.pushscope, ["doctor", "--config", subject.installation.configuration] + store)
    #expect(doctor.output.contains("the search for changes failed and is switched off (SIG"), "\(doctor)")
    try eventually("the objective is told", seen: { subject.collector.standardError }) {
      subject.told.contains("objective fast is breached") ? true : nil
    }
    subject.induceNothing()
    subject.collector.signal(SIGHUP)
    try eventually("it works again", seen: { subject.collector.standardError }) {
      try subject.metric(#"pushscope_part_up{part="findings"}"#) == "1" ? true : nil
    }
    #expect(try !run(Programs.pushscope, ["status"] + store).output.contains("switched off"))
    #expect(try subject.events().count == 3)
    try subject.finish()
  }

  @Test(
    "a process that does not stay up is said to fail, with when it counts as mended",
    .enabled(if: CompressedClock.isAvailable), .timeLimit(.minutes(10)))
  func unsteady() throws {
    let subject = try AnalystSubject(clockRate: 6)
    var former: Int32?
    for _ in 0..<6 {
      let analyst = try subject.analyst(after: former)
      kill(analyst, SIGKILL)
      former = analyst
    }
    let longest = "SELECT (retry_at - since) / 1000000 FROM failed_part WHERE part = 'analyst'"
    try eventually("ten minutes run from the sixth failure", seen: { subject.collector.standardError }) {
      try subject.installation.query(longest).contains { (Int($0[0]) ?? 0) > 625 } ? true : nil
    }
    #expect(try subject.events().count == 5)
    let status = try run(
      Programs.pushscope, ["status", "--store", subject.installation.store],
      environment: subject.clock?.environment ?? [:])
    #expect(status.output.contains("failed again and again (SIGKILL) in the last"), "\(status)")
    try subject.finish()
  }

  @Test(
    "one that hangs or is stopped is killed after a minute", .enabled(if: CompressedClock.isAvailable),
    .timeLimit(.minutes(10)),
    arguments: [
      "hang findings loopback", "stop objectives fast",
    ])
  func hangs(_ fault: String) throws {
    let subject = try AnalystSubject(clockRate: 6)
    let analyst = try subject.analyst()
    try subject.induce(fault)
    try eventually("it is killed", within: .seconds(120), seen: { subject.collector.standardError }) {
      try subject.events().contains { $0.contains("it said nothing for 1 min") } ? true : nil
    }
    subject.induceNothing()
    _ = try subject.analyst(after: analyst)
    try subject.finish()
  }

  @Test("it ends with its collector, also when that is killed while it is stopped", .timeLimit(.minutes(10)))
  func orphan() throws {
    let subject = try AnalystSubject()
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
    .timeLimit(.minutes(10)))
  func ends() throws {
    let subject = try AnalystSubject(duration: "4s")
    let analyst = try subject.analyst()
    for number in [SIGINT, SIGTERM, SIGHUP] { kill(analyst, number) }
    #expect(try subject.collector.waitForExit() == 0)
    #expect(!subject.collector.standardError.contains("the analyst"))
    let seen = try subject.installation.query(
      "SELECT d.through > max(s.planned_at) - 2000000 FROM detector d, sample s")
    #expect(seen == [["1"]])
    subject.service.signal(SIGTERM)
  }

  @Test("analyst: off does the same in one process", .timeLimit(.minutes(10))) func off() throws {
    let subject = try AnalystSubject(analyst: "off")
    try eventually("the objective is told", seen: { subject.collector.standardError }) {
      subject.told.contains("objective fast is breached") ? true : nil
    }
    let listed = try Programs.run("pgrep", ["-P", "\(subject.collector.pid)", "-f", " analyst"])
    #expect(listed.output.isEmpty)
    #expect(try subject.metric(#"pushscope_part_up{part="findings"}"#) == "1")
    try subject.finish()
    #expect(try Int(subject.installation.query("SELECT count(*) FROM detector_checkpoint")[0][0]) ?? 0 > 0)
  }
}
