import Findings
import Formats
import Foundation
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import Report

@Suite struct GateReportTests {
  private let fixture: RecordedStore

  init() throws { fixture = try RecordedStore() }

  /// A run of one target with so many notifications of each kind, mixed evenly.
  private func record(
    _ number: Int = 0, target: String = "ios", receipts: Bool = true, fast: Int, slow: Int = 0, lost: Int = 0,
    missed: Int = 0, open: Int = 0
  ) throws {
    let run = try fixture.begin(
      number,
      [
        TargetDescription(
          name: target, provider: "loopback", receiptDeadline: receipts ? 30_000_000 : nil, askedRate: 4)
      ])
    let id = try #require(run[target]).id
    let total = fast + slow + lost + missed + open
    var left = [fast, slow, lost, missed, open]
    let samples = (0..<total).map { index -> Sample in
      // The kind that is most behind its share.
      let shares = [fast, slow, lost, missed, open]
      let kind = (0..<5).filter { left[$0] > 0 }.max {
        func lag(_ kind: Int) -> Double {
          Double(shares[kind]) * Double(index + 1) / Double(total) - Double(shares[kind] - left[kind])
        }
        return lag($0) < lag($1)
      }
      left[kind ?? 0] -= 1
      var sample = Sample.planned(id, Int64(index + 1))
      sample.plannedAt = sample.plannedAt.advanced(byMicroseconds: Int64(number) * 3_600_000_000)
      sample.plannedMonotonic += Int64(number) * 3_600_000_000
      let accepted = sample.accepted(lag: 50, service: Int64(2_000 + index * 7 % 100))
      switch kind {
      case 1: return accepted.delivered(after: 5_000_000)
      case 2: return accepted.ended(.lost, status: 200)
      case 3: return sample.ended(.missed, reason: "lag")
      case 4: return sample.sent(lag: 60)
      default: return receipts ? accepted.delivered(after: Int64(40_000 + index * 13 % 1_000)) : accepted
      }
    }
    try fixture.commit(run.run, samples)
  }

  private func report(_ gates: String..., isIndependent: Bool = false) throws -> GateReport {
    try GateReport(
      gates.map { try Gate(parsing: $0) }, fixture.reader(), RowSelection(), isIndependent: isIndependent)
  }

  @Test("the share in time is of all that was planned and is settled")
  func planned() throws {
    try record(fast: 900, slow: 20, lost: 30, missed: 50, open: 40)
    let report = try report("within 2s share 99%", "within 2s share 95% over accepted", "within 2s share 85%")
    guard case .share(let planned) = report.results[0].figure,
      case .share(let accepted) = report.results[1].figure
    else { return }
    #expect((planned.events, planned.count) == (900, 1_000))
    #expect((accepted.events, accepted.count) == (900, 950))
    #expect(report.results.map(\.decision) == [.breached, .undecided, .met])
    #expect(report.decision == .breached)
    #expect(report.results.allSatisfy { $0.settled == 1_000 && $0.metric == .delivery })
  }

  @Test(
    "without a failure 72, 368 and 3 688 independent probes are needed",
    arguments: [("95%", 71, 72), ("99%", 367, 368), ("99.9%", 3_687, 3_688)])
  func needed(share: String, tooFew: Int, enough: Int) throws {
    try record(0, target: "few", fast: tooFew)
    try record(1, target: "many", fast: enough)
    for isIndependent in [false, true] {
      let report = try report("within 2s share \(share)", isIndependent: isIndependent)
      #expect(report.results.map(\.target) == ["few", "many"])
      #expect(report.results.map(\.decision) == [.undecided, .met])
      #expect(report.results[0].hint?.contains("\(enough) independent probes without a failure") == true)
      #expect(report.decision == .undecided)
    }
  }

  @Test("a quantile is judged by the end of its interval")
  func quantiles() throws {
    try record(fast: 2_000)
    let report = try report(
      "delivery.p99<40.99ms", "delivery.p50<40.1ms", "delivery.p50<40.5ms", "delivery.p99<50ms")
    #expect(report.results.map(\.decision) == [.undecided, .breached, .undecided, .met])
    #expect(try self.report("delivery.p99.99<1s").results[0].hint?.contains("independent values") == true)
  }

  @Test("few values may breach a gate of a quantile, and do not meet one")
  func minimum() throws {
    try record(fast: 5)
    let independent = try report("delivery.p99<1ms", isIndependent: true)
    #expect(independent.results.map(\.measured) == ["n too small"])
    #expect(independent.results.map(\.decision) == [.undecided])
    #expect(independent.results[0].hint == "an interval of p99 takes 368 independent values")
    #expect(independent.json.text.contains("\"value_us\": null, \"low_us\": null, \"high_us\": null"))
    // Few cannot show that a quantile is below a limit, but all of them above it that it is not.
    #expect(try report("delivery.p99<1ms").decision == .breached)
    #expect(try report("delivery.p99<10s").decision == .undecided)
  }

  @Test("how many take to show a share without a failure is said where there was none")
  func hintOfAShare() throws {
    try record(0, target: "good", fast: 20)
    try record(1, target: "bad", fast: 19, lost: 1)
    let report = try report("within 2s share 95%")
    #expect(report.results.map(\.target) == ["good", "bad"])
    #expect(report.results.map(\.decision) == [.undecided, .undecided])
    #expect(report.results.map { $0.hint == nil } == [false, true])
  }

  @Test("a device that does not report what it shows is not judged by that")
  func nothingIsKnownToBeShown() throws {
    try record(fast: 500)
    let report = try report("unseen<1%")
    #expect(report.results.map(\.decision) == [.undecided])
    #expect(report.results[0].hint == "no device reported whether it showed them")
  }

  @Test("a target without receipts is judged by acceptance, and by delivery not at all")
  func acceptance() throws {
    try record(0, target: "hook", receipts: false, fast: 500)
    let report = try report("within 1s share 95%", "delivery within 1s share 95%")
    #expect(report.results.map(\.metric) == [.accept])
    #expect(report.omissions.map(\.target) == ["hook"])
    #expect(report.decision == .met)
    let none = try self.report("delivery.p50<1s")
    #expect(none.decision == .undecided)
    let error = try #require(throws: ReportError.self) { try none.requireRows() }
    #expect(error.code == .nothingSettled && error.message.contains("expects no receipts"))
  }

  @Test("what nothing is settled of is not passed, whatever the rule")
  func nothing() throws {
    try record(fast: 0, open: 5)
    let report = try report("within 2s share 99%", "delivery.p50<1s")
    #expect(report.results.map(\.decision) == [.undecided, .undecided])
    #expect(report.outcome(undecided: .pass) == .undecided)
    #expect(report.outcome(undecided: .fail) == .breached)
    #expect(report.jUnit(undecided: .pass).contains("errors=\"2\""))
    #expect(throws: ReportError.self) { try report.requireRows() }
  }

  @Test func theRuleDecidesWhatIsUndecided() throws {
    try record(fast: 100)
    let report = try report("within 2s share 99%", "within 2s share 90%")
    #expect(report.outcome(undecided: nil) == .undecided)
    #expect(report.outcome(undecided: .pass) == .met && report.consequence(of: nil) == nil)
    #expect(report.consequence(of: .pass) == "by --undecided pass it counts as met")
    #expect(report.outcome(undecided: .fail) == .breached)
    let met = try self.report("within 2s share 90%")
    #expect(met.outcome(undecided: .fail) == .met)
    let breached = try self.report("within 1ms share 90%")
    #expect(breached.outcome(undecided: .pass) == .breached)
  }

  @Test("a share is judged by the end of its interval, and is of what it is said to be of")
  func shares() throws {
    let run = try fixture.begin(
      0, [TargetDescription(name: "ios", provider: "loopback", receiptDeadline: 30_000_000, askedRate: 4)])
    let id = try #require(run["ios"]).id
    // Of 1 000: 900 accepted, of which 30 lost and 15 late; 20 failed; 50 rejected and 10 missed for back-off; 20 missed here.
    try fixture.commit(
      run.run,
      (0..<1_000).map { index in
        let sample = Sample.planned(id, Int64(index + 1))
        let accepted = sample.accepted(lag: 50, service: 2_000)
        switch index * 7 % 1_000 {
        case 0..<30: return accepted.ended(.lost, status: 200)
        case 30..<45: return accepted.delivered(after: 60_000_000).ended(.late, status: 200)
        case 45..<65: return sample.sent(lag: 50).ended(.failed, reason: "timeout")
        case 65..<115: return sample.sent(lag: 50).ended(.rejected, status: 503)
        case 115..<125: return sample.ended(.missed, reason: "backoff")
        case 125..<145: return sample.ended(.missed, reason: "lag")
        default: return accepted.delivered(after: 40_000)
        }
      })
    let report = try report(
      "lost<10%", "lost<5%", "lost<2%", "failed<5%", "refused<10%", "refused<3%", isIndependent: true)
    let figures = report.results.compactMap { result -> ShareInterval? in
      guard case .share(let interval) = result.figure else { return nil }
      return interval
    }
    #expect(figures.map(\.events) == [45, 45, 45, 20, 60, 60])
    #expect(figures.map(\.count) == [900, 900, 900, 1_000, 1_000, 1_000])
    #expect(report.results.map(\.decision) == [.met, .undecided, .breached, .met, .met, .breached])
    #expect(report.lines[1].contains("lost<10%") && report.lines[1].contains("5.0 % (3.7 to 6.6)"))
    #expect(report.lines.last == "gate breached: 2 breached, 1 undecided, 3 met of 6")
    let json = report.json.text
    #expect(json.contains(#""gate": "lost<10%", "target": "ios", "metric": "lost", "verdict": "met""#))
    #expect(json.contains(#""over": "accepted", "below_share": 0.1, "share": 0.05"#))
    #expect(json.contains(#""over": "planned", "below_share": 0.05, "share": 0.02"#))
    #expect(report.jUnit().contains("name=\"lost&lt;2%\""))
  }

  @Test("losses in bursts are not taken for so many independent ones")
  func bursts() throws {
    let run = try fixture.begin(
      0, [TargetDescription(name: "ios", provider: "loopback", receiptDeadline: 30_000_000, askedRate: 4)])
    let id = try #require(run["ios"]).id
    try fixture.commit(
      run.run,
      (0..<4_000).map { index in
        let accepted = Sample.planned(id, Int64(index + 1)).accepted(lag: 50, service: 2_000)
        return (1_000..<1_060).contains(index)
          ? accepted.ended(.lost, status: 200) : accepted.delivered(after: 40_000)
      })
    #expect(try report("lost<2%", isIndependent: true).decision == .met)
    #expect(try report("lost<2%").decision == .undecided)
  }

  @Test("without a loss as many are needed as to show the share of those that were not lost")
  func neededWithoutALoss() throws {
    try record(0, target: "few", fast: 367)
    try record(1, target: "many", fast: 368)
    let report = try report("lost<1%", isIndependent: true)
    #expect(report.results.map(\.decision) == [.undecided, .met])
    #expect(
      report.results[0].hint
        == "to show that less than 1 % are lost takes 368 independent probes of which none is")
  }

  @Test("a target without receipts loses none, and is judged by what fails")
  func sharesWithoutReceipts() throws {
    try record(0, target: "hook", receipts: false, fast: 500)
    let report = try report("lost<1%", "failed<1%")
    #expect(report.omissions.map { $0.gate.text() } == ["lost<1%"])
    #expect(report.results.map { $0.gate.text() } == ["failed<1%"] && report.decision == .met)
    let none = try self.report("lost<1%")
    let error = try #require(throws: ReportError.self) { try none.requireRows() }
    #expect(error.message.contains("hook cannot be judged by lost<1%: it expects no receipts"))
  }

  @Test("deliveries that are known within bounds are in time for certain, perhaps, or not")
  func bounds() throws {
    let run = try fixture.begin(
      0, [TargetDescription(name: "far", provider: "loopback", receiptDeadline: 30_000_000, askedRate: 4)])
    let id = try #require(run["far"]).id
    // 2.1 s ± 0.3 s: any of them may have been in time.
    try fixture.commit(
      run.run,
      (1...1_000).map {
        Sample.planned(id, $0).accepted(lag: 50, service: 2_000).delivered(
          after: 2_100_000 + $0, error: 300_000)
      })
    #expect(
      try report("within 2s share 90%", "delivery.p50<2s").results.map(\.decision) == [
        .undecided, .undecided,
      ])
    #expect(try report("within 3s share 90%", "delivery.p50<3s").results.map(\.decision) == [.met, .met])
    #expect(
      try report("within 1s share 90%", "delivery.p50<1s").results.map(\.decision) == [.breached, .breached])
  }

  @Test func aLineForEachGateAndOneForTheWhole() throws {
    try record(fast: 990, lost: 10)
    let lines = try report("within 2s share 95%", "delivery.p50<1ms", isIndependent: true).lines
    #expect(
      lines == [
        "verdict   target  gate                          measured                n",
        "met       ios     delivery within 2s share 95%  99.0 % (98.2 to 99.52)  n 1000, taken for independent",
        "breached  ios     delivery.p50<1ms              40.5 ms (40.5 to 40.5)  n 990, taken for independent",
        "gate breached: 1 breached, 1 met of 2",
      ])
  }

  @Test(
    "JUnit's XML is read by a parser that is not ours, whatever the names", .enabled(if: Python.isUsable))
  func xml() throws {
    let hostile = "<a&b>\"'\u{1B}]]>\u{FFFE} 日本"
    try record(0, target: hostile, fast: 1_000)
    try record(1, target: "plain", receipts: false, fast: 100)
    let gates = try ["within 2s share 99%", "delivery.p99<1ms", "within 1ms share 99%"].map {
      try Gate(parsing: $0)
    }
    let report = try GateReport(gates, fixture.reader(), RowSelection())
    let script = """
      import sys, xml.etree.ElementTree as tree
      root = tree.parse(sys.argv[1]).getroot()
      suite = root.find("testsuite")
      for case in suite:
        if case.tag == "testcase":
          print(case.get("classname"), case.get("name"), *[child.tag + ":" + str(child.get("type")) for child in case])
      print(root.get("tests"), suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped"))
      """
    let shown = EscapedText.make(hostile)
    #expect(
      try Python.run(script, input: Array(report.jUnit().utf8)).split(separator: "\n").map(String.init) == [
        "\(shown) delivery within 2s share 99% system-out:None",
        "\(shown) delivery.p99<1ms failure:breached system-out:None",
        "\(shown) delivery within 1ms share 99% failure:breached system-out:None",
        "plain accept within 2s share 99% error:undecided system-out:None",
        "plain accept within 1ms share 99% failure:breached system-out:None",
        "plain delivery.p99<1ms skipped:None",
        "6 6 3 1 1",
      ])
    #expect(report.jUnit(undecided: .pass).contains("errors=\"0\""))
    #expect(report.jUnit(undecided: .fail).contains("failures=\"4\""))
    let verdict = try Python.run(
      "import json, sys; gates = json.load(open(sys.argv[1])); print(gates['verdict'], len(gates['gates']), len(gates['not_judged']))",
      input: Array(report.json.text.utf8))
    #expect(verdict == "breached 5 1\n")
    #expect(!report.lines.joined().contains("\u{1B}"))
  }
}
