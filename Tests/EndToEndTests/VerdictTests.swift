import Foundation
import TestKit
import TestTraits
import Testing

@Suite("Gates, comparisons, findings and annotations from the command line", .ownThread, .serialized)
struct VerdictTests {
  private typealias Outcome = (status: Int32, output: String, error: String)

  private func pushscope(_ arguments: [String], _ installation: Installation) throws -> Outcome {
    try run(Programs.pushscope, arguments + ["--store", installation.store])
  }

  @Test(
    "the file of --junit is refused before the run; one that cannot be written at its end costs no verdict")
  func unwritableJUnit() throws {
    let installation = try Installation(rate: "100/s")
    let service = try installation.startLoopback(scenario: "answers: { delay: 1ms }\n")
    let gate = ["--count", "50", "--gate", "accept within 1us share 50%", "--junit"]
    let refused = try installation.collect(gate + [installation.directory.file("none/gate.xml")])
    #expect(try refused.waitForExit() == 73)
    #expect(refused.standardError.contains("none/gate.xml does not exist"), "\(refused.standardError)")
    #expect(!FileManager.default.fileExists(atPath: installation.store))
    let full = try installation.collect(gate + ["/dev/full"])
    #expect(try full.waitForExit() == 99)
    #expect(full.standardOutput.contains("gate breached"), "\(full.standardOutput)")
    #expect(full.standardError.contains("no space left for /dev/full"), "\(full.standardError)")
    try service.stop()
  }

  @Test("exit codes say passed, breached or undecided", .timeLimit(.minutes(10)))
  func exitCodes() throws {
    let installation = try Installation(rate: "100/s", target: ["receipt_deadline: 30s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 30ms }\n")
    for name in ["before", "after"] {
      #expect(try installation.collect(["--count", "300", "--run-name", name]).waitForExit() == 0)
    }
    try service.stop()
    func expect(
      _ code: Int32, _ arguments: String..., says words: String? = nil,
      location: SourceLocation = #_sourceLocation
    ) throws {
      let outcome = try pushscope(arguments, installation)
      #expect(
        outcome.status == code, "\(arguments): \(outcome.output)\(outcome.error)", sourceLocation: location)
      if code == 64 || code == 66 {
        #expect(outcome.error.hasPrefix("pushscope: ") && outcome.output.isEmpty, sourceLocation: location)
      }
      if let words {
        #expect((outcome.output + outcome.error).contains(words), "\(outcome)", sourceLocation: location)
      }
    }
    // All 300 arrive, after 30 ms or more: this machine may be busy.
    try expect(0, "gate", "--within", "20s", "--share", "60%", says: "gate met")
    try expect(99, "gate", "--within", "10ms", "--share", "50%", says: "gate breached")
    try expect(98, "gate", "--within", "20s", "--share", "99.9%", says: "3688 independent probes")
    try expect(
      0, "gate", "--within", "20s", "--share", "99.9%", "--undecided", "pass",
      says: "by --undecided pass it counts as met")
    try expect(
      99, "gate", "--within", "20s", "--share", "99.9%", "--undecided", "fail",
      says: "by --undecided fail it counts as breached")
    try expect(
      99, "gate", "within 1ms share 50%", "accept within 20s share 60%", says: "1 breached, 1 met of 2")
    try expect(0, "gate", "delivery.p50<20s", "--run", "before", "--target", "loopback", "--independent")
    try expect(0, "gate", "within 20s share 60%", "--since", "-1h")
    try expect(0, "gate", "lost<60%", "failed<60%", "refused<60%", "in_time(20s)>60%", says: "4 met of 4")
    try expect(99, "gate", "in_time(1ms)>50%", "lost<60%", says: "1 breached, 1 met of 2")
    try expect(98, "gate", "failed<0.1%", says: "3688 independent probes of which none is")
    try expect(64, "gate", "lost>1%", says: "at character 5")
    try expect(64, "gate", says: "there is no gate")
    try expect(64, "gate", "--within", "2s", says: "--share")
    try expect(64, "gate", "--within", "2", "--share", "99%", says: "is not a duration; write")
    try expect(64, "gate", "delivery.p99<250", says: "at character 14")
    try expect(64, "gate", "delivery within 2s share 100%", says: "out of range")
    try expect(66, "gate", "delivery.p50<20s", "--run", "none", says: "there is no run")
    try expect(66, "gate", "delivery.p50<20s", "--until", "-1h", says: "nothing is settled")

    try expect(0, "compare", "before", "after", says: "delivery p50")
    try expect(66, "compare", "--before", "-1h..-30m", "--after", "-30m..now", says: "in common")
    try expect(0, "compare", "before", "after", "--metric", "lost", "--fail-if", "lossier")
    try expect(98, "compare", "before", "after", "--quantile", "p99.9", "--fail-if", "slower")
    try expect(64, "compare", "before", says: "give two runs")
    try expect(64, "compare", "before", "before", says: "same on both sides")
    try expect(64, "compare", "--before", "-2h..-1h", "--after", "-90m..now", says: "overlap")
    try expect(64, "compare", "--before", "-1h..-2h", "--after", "-1h..now", says: "ends before it begins")
    try expect(64, "compare", "before", "after", "--metric", "speed", says: "there is no metric")
    try expect(
      64, "compare", "before", "after", "--metric", "lost", "--fail-if", "slower", says: "judges latencies")
    try expect(66, "compare", "before", "none", says: "there is no run")
    try expect(66, "compare", "before/none", "after", says: "no target")

    try expect(0, "slowest", "--count", "3", says: "3 of 300 notifications with a latency")
    try expect(0, "slowest", "--run", "before", "--metric", "accept", "--json", says: "\"sentence\": \"")
    try expect(64, "slowest", "--count", "0", says: "out of range")
    try expect(64, "slowest", "--metric", "path", says: "PINGs")
    try expect(66, "findings", "evidence", "nothing", says: "there is no finding")
    try expect(0, "runs", "show", "latest", says: "in time")
    try expect(64, "findigs", says: "there is no command \"findigs\"; did you mean \"findings\"?")
    try expect(64, "store", "chexk", says: "there is no command \"chexk\"; did you mean \"check\"?")
    try expect(64, "help", "summry", says: "did you mean \"summary\"?")
    try expect(64, "help", "runs", "shw", says: "did you mean \"show\"?")
    try expect(64, "help", "summary", "x", says: "pushscope summary has no subcommands")
    try expect(64, "findings", "--since", "yesterday", says: "like -1h")
    try expect(0, "findings", "--fail-on", "any", says: "Nothing found")
    try expect(66, "findings", "show", "nothing", says: "there is no finding")
    try expect(66, "findings", "hide", "nothing")
  }

  @Test("collect ends with the verdict on its run, also after a signal", .timeLimit(.minutes(10)))
  func collect() throws {
    let installation = try Installation(rate: "100/s", target: ["receipt_deadline: 30s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 20ms }\n")
    func end(_ arguments: [String], stopAfter count: Int? = nil) throws -> Outcome {
      let before = try installation.states()["delivered"] ?? 0
      let collector = try installation.collect(arguments)
      if let count {
        try eventually("something is delivered", seen: { collector.standardError }) {
          try (installation.states()["delivered"] ?? 0) - before >= count ? true : nil
        }
        collector.signal(SIGINT)
      }
      let status = try collector.waitForExit()
      return (status, collector.standardOutput, collector.standardError)
    }
    let junit = installation.directory.file("gate.xml")
    let passed = try end([
      "--count", "200", "--gate", "within 20s share 60%", "--gate", "accept within 20s share 60%", "--junit",
      junit,
    ])
    #expect(passed.status == 0 && passed.output.contains("gate met: 2 met of 2"), "\(passed)")
    let breached = try end(["--gate", "within 5ms share 50%", "--junit", junit], stopAfter: 100)
    #expect(breached.status == 99 && breached.output.contains("gate breached"), "\(breached)")
    let parsed = try run(
      Programs.python,
      [
        "-c",
        """
        import sys, xml.dom.minidom
        suite = xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("testsuite")[0]
        print(suite.getAttribute("tests"), suite.getAttribute("failures"), suite.getElementsByTagName("failure")[0].getAttribute("type"))
        """, junit,
      ])
    #expect(parsed.output == "1 1 breached\n", "\(parsed)")
    let undecided = try end(["--count", "5", "--gate", "within 20s share 99%"])
    #expect(undecided.status == 98, "\(undecided)")
    #expect(try end(["--count", "5", "--gate", "within 20s share 99%", "--undecided", "pass"]).status == 0)
    let misspelled = try end(["--count", "5", "--gate", "delivery p99<2s"])
    #expect(misspelled.status == 64 && misspelled.error.contains("at character"), "\(misspelled)")
    #expect(try end(["--count", "5", "--junit", junit]).status == 64)
    try service.stop()
  }

  @Test("an annotation is an event, with and without a collector", .timeLimit(.minutes(10)))
  func annotations() throws {
    let installation = try Installation()
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 1ms }\n")
    let collector = try installation.collect(["--run-name", "noted"])
    try eventually("something is recorded", seen: { collector.standardError }) {
      try (installation.states()["delivered"] ?? installation.states()["accepted"] ?? 0) > 5 ? true : nil
    }
    #expect(try pushscope(["annotate", "deploy 412"], installation).status == 0)
    #expect(try pushscope(["annotate", "=1+1\u{1B}[2J", "--target", "loopback"], installation).status == 0)
    #expect(try pushscope(["annotate", "x", "--target", "none"], installation).status == 66)
    #expect(
      try pushscope(["annotate", "x", "--target", "loopback", "--at", "-1d"], installation).status == 66)
    #expect(try pushscope(["annotate", " "], installation).status == 64)
    let future = try pushscope(["annotate", "deploy 413", "--at", "2100-01-01"], installation)
    #expect(future.status == 64 && future.error.contains("in the future"), "\(future)")
    #expect(try collector.stop() == 0)
    #expect(
      try pushscope(["annotate", "long ago", "--at", "2026-03-01T12:00:00Z"], installation).status == 0)
    #expect(try pushscope(["annotate", "afterwards", "--run", "noted"], installation).status == 0)
    let events = try pushscope(["export", "events", "--run", "noted"], installation).output
    let notes = events.split(separator: "\r\n").filter { $0.contains(",annotation,") }
    #expect(notes.count == 3 && !events.contains("\u{1B}"), "\(events)")
    #expect(notes.contains { $0.hasSuffix("deploy 412") })
    #expect(notes.contains { $0.contains(",loopback,annotation,") && $0.hasSuffix("'=1+1␛[2J") })
    let all = try pushscope(["export", "events"], installation).output
    #expect(all.contains(",2026-03-01T12:00:00.000000Z,,annotation,,,1,long ago"), "\(all)")
    try service.stop()
  }
}
