import Analysis
import Findings
import Formats
import Foundation
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Report
@testable import Store

@Suite struct ComparisonReportTests {
  private let fixture: RecordedStore

  init() throws { fixture = try RecordedStore() }

  /// A run, `number` hours after the start, with noise of its own; each variant takes turns.
  /// - Parameters:
  ///   - scale: of the latencies of a variant.
  ///   - lost: every so many is lost.
  private func record(
    _ number: Int, name: String, targets: [String] = ["ios"], variants: [String] = [], count: Int = 2_000,
    lost: Int? = nil, scale: (Int) -> Double = { _ in 1 }
  ) throws {
    let run = try fixture.begin(
      number, name: name,
      targets.map {
        TargetDescription(
          name: $0, provider: "loopback", receiptDeadline: 30_000_000, askedRate: 4, variants: variants)
      })
    var generator = SeededGenerator(seed: UInt64(100 + number))
    for name in targets {
      let target = try #require(run[name])
      let samples = (0..<count).map { index -> Sample in
        let variant = target.variants.isEmpty ? 0 : index % target.variants.count
        var sample = Sample.planned(
          target.id, Int64(index + 1), variant: target.variants.isEmpty ? .none : target.variants[variant])
        sample.plannedAt = sample.plannedAt.advanced(byMicroseconds: Int64(number) * 3_600_000_000)
        let accepted = sample.accepted(lag: 50, service: .random(in: 2_000...3_000, using: &generator))
        if let lost, index % lost == 0 { return accepted.ended(.lost, status: 200) }
        let latency = Double.random(in: 40_000...80_000, using: &generator) * scale(variant)
        return accepted.delivered(after: Int64(latency))
      }
      try fixture.commit(run.run, samples)
    }
    try fixture.end(run, after: Int64(count) / 4 + 1)
  }

  private func compare(
    _ a: String, _ b: String, _ plan: ComparisonPlan = ComparisonPlan()
  ) throws -> ComparisonReport {
    let reader = try fixture.reader()
    return try ComparisonReport(
      ComparisonSide(a, in: reader), ComparisonSide(b, in: reader), plan, in: reader)
  }

  private func code(_ a: String, _ b: String) throws -> ReportError.Code {
    try #require(throws: ReportError.self) { try compare(a, b) }.code
  }

  @Test("a run like the one before is the same, a slower one slower")
  func runs() throws {
    try record(0, name: "before")
    try record(1, name: "same")
    try record(2, name: "slow") { _ in 1.5 }
    let same = try compare("before", "same")
    #expect(same.pairs.count == 1 && !same.pairs[0].isPaired)
    #expect(same.pairs[0].latencies.map(\.verdict).allSatisfy { $0 == .same })
    #expect(same.decision(.slower) == .met && same.decision(.lossier) == .met)
    let slow = try compare("before", "slow")
    let median = try #require(slow.pairs[0].latencies.first { $0.metric == .delivery && $0.quantile == .p50 })
    #expect(median.verdict == .higher && median.words(tolerance: 0.1) == "slower")
    #expect(median.comparison.ratioInterval.low < 1.5 && median.comparison.ratioInterval.high > 1.5)
    #expect(slow.decision(.slower) == .breached && slow.decision(.lossier) == .met)
    #expect(try compare("slow", "before").decision(.slower) == .met)
    #expect(
      try compare("before", "slow", ComparisonPlan(tolerance: 0.9)).pairs[0].latencies.allSatisfy {
        $0.verdict == .same
      })
    #expect(
      try compare("before", "slow", ComparisonPlan(metrics: [.accept])).decision(.slower) == .met)
  }

  @Test(
    "how many independent probes an interval is worth stands with it, unless they are taken for independent")
  func weights() throws {
    try record(0, name: "before")
    try record(1, name: "after")
    let lines = try compare("before", "after").lines
    let median = try #require(lines.firstIndex { $0.hasPrefix("  delivery p50") })
    #expect(lines[median + 1].components(separatedBy: " of 2000").count == 3, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("  lost") && $0.components(separatedBy: ", n ").count == 3 })
    #expect(
      lines.contains("  intervals of A and B from this window alone: what is slower than it is not in them"))
    let independent = try compare("before", "after", ComparisonPlan(isIndependent: true)).lines.joined()
    #expect(!independent.contains(" of 2000") && !independent.contains("window alone"))
  }

  @Test func lossier() throws {
    try record(0, name: "before")
    try record(1, name: "after", lost: 10)
    let report = try compare("before", "after")
    let lost = try #require(report.pairs[0].shares.first { $0.share == .lost })
    #expect(lost.verdict == .higher && lost.words == "lossier")
    #expect(abs((lost.comparison.difference ?? 0) - 0.1) < 1e-9)
    #expect(report.decision(.lossier) == .breached && report.decision(.slower) == .met)
  }

  @Test("too few cannot tell; one quantile that can is enough")
  func few() throws {
    try record(0, name: "before", count: 4)
    try record(1, name: "after", count: 4)
    let report = try compare("before", "after")
    #expect(report.pairs[0].latencies.allSatisfy { $0.verdict == .cannotTell })
    #expect(report.pairs[0].latencies[0].words(tolerance: 0.1).hasPrefix("cannot tell (effective n "))
    #expect(report.decision(.slower) == .undecided)
    #expect(report.pairs[0].latencies.allSatisfy { $0.change == "–" })
    for member in ["value_us", "difference_us", "ratio"] {
      #expect(report.json.text.contains("\"\(member)\": null"), "\(member)")
    }
    try record(2, name: "some", count: 150)
    try record(3, name: "more", count: 150)
    let some = try compare("some", "more")
    #expect(some.pairs[0].latencies.contains { $0.verdict == .cannotTell })
    let tail = try #require(some.pairs[0].latencies.first { $0.quantile == .p99 })
    #expect(tail.comparison.before.isUndetermined && tail.comparison.after.isUndetermined)
    #expect(some.decision(.slower) == .met)
    #expect(try compare("some", "more", ComparisonPlan(quantiles: [.p999])).decision(.slower) == .undecided)
  }

  /// Two runs of one target whose notifications are on one of two networks in turn, of which the second one got slower.
  private func recordNetworks() throws {
    for number in 0..<2 {
      let run = try fixture.begin(
        number, name: ["before", "after"][number],
        [TargetDescription(name: "ios", provider: "fcm", receiptDeadline: 30_000_000, askedRate: 4)])
      let target = try #require(run["ios"])
      var generator = SeededGenerator(seed: UInt64(200 + number))
      let samples = (1...3_000).map { index -> Sample in
        // The third of each run is on one network only, and rare.
        let network = index % 100 == 0 ? 2 + number : index % 2
        var sample = Sample.planned(target.id, Int64(index))
        sample.plannedAt = sample.plannedAt.advanced(byMicroseconds: Int64(number) * 3_600_000_000)
        sample.context = DeviceContextID(rawValue: Int64(network + 1))
        let scale = number == 1 && network == 1 ? 2.0 : 1
        return sample.accepted(lag: 50, service: 2_000)
          .delivered(after: Int64(Double.random(in: 40_000...80_000, using: &generator) * scale))
      }
      let contexts = ["wifi", "cellular", "none", "ethernet"].enumerated().map { place, network in
        var context = DeviceContext()
        context[.network] = network
        return StoredDeviceContext(id: DeviceContextID(rawValue: Int64(place + 1)), context: context)
      }
      try fixture.write(WriteBatch(run: run.run, inserted: samples, contexts: number == 0 ? contexts : []))
      try fixture.end(run, after: 751)
    }
  }

  @Test("by a key each value is compared with itself, and what is on one side only is named")
  func byKey() throws {
    try recordNetworks()
    var plan = ComparisonPlan(metrics: [.delivery], shares: [.lost], quantiles: [.p50])
    #expect(try compare("before", "after", plan).decision(.slower) == .breached)
    plan.by = BreakdownKeys([.context(.network)])
    let report = try compare("before", "after", plan)
    #expect(report.pairs.map(\.values) == [["wifi"], ["cellular"]])
    #expect(report.pairs.map { $0.latencies.map(\.verdict) } == [[.same], [.higher]])
    // Every hundredth is on a network of its own, and would have an even number.
    #expect(
      report.pairs.map { [$0.settled.first, $0.settled.second] } == [[1_470, 1_470], [1_500, 1_500]])
    #expect(report.onlyFirst == ["ios, network none"] && report.onlySecond == ["ios, network ethernet"])
    #expect(report.decision(.slower) == .breached)
    let text = report.lines.joined(separator: "\n")
    #expect(text.contains("\nios, network cellular: 1500 and 1500 settled\n"))
    #expect(text.contains("only in A: ios, network none\nonly in B: ios, network ethernet\n"))
    #expect(text.contains("Each network is compared with itself") && !text.contains("window alone"))
    #expect(report.json.text.contains("\"network\": \"wifi\""))
    // What got lost reported no network: its share would be 0 or 1 whatever happened.
    #expect(report.pairs.allSatisfy { $0.shares.isEmpty } && report.decision(.lossier) == .undecided)
    #expect(text.contains("lost, failed and refused are not compared"))

    // What has no latency on a side is not said to be unsettled.
    plan.metrics = [.shown]
    plan.shares = []
    #expect(try compare("before", "after", plan).lines.contains("  no latency is known on both sides"))
    (plan.metrics, plan.shares) = ([.delivery], [.lost])

    // Of two keys each combination; values that say nothing do not keep the others from being judged.
    plan.by = BreakdownKeys([.target, .fresh])
    let whole = try compare("before", "after", plan)
    #expect(whole.pairs.map(\.values) == [["ios", "false"]])
    #expect(whole.pairs.allSatisfy { $0.shares.map(\.share) == [.lost] } && whole.decision(.lossier) == .met)
  }

  @Test("values of which none is on both sides cannot be compared")
  func byKeyInVain() throws {
    try recordNetworks()
    var plan = ComparisonPlan()
    plan.by = BreakdownKeys([.hour])
    let error = #expect(throws: ReportError.self) { try compare("before", "after", plan) }
    #expect(error?.code == .nothingInCommon)
    #expect(error?.message.contains("ios, hour 12:00") == true, "\(error?.message ?? "")")
  }

  @Test("variants that take turns are compared in pairs")
  func variants() throws {
    try record(0, name: "ab", variants: ["priority=10", "priority=5"]) { $0 == 0 ? 1 : 1.3 }
    let report = try compare("ab/ios/priority=10", "ab/ios/priority=5")
    #expect(report.pairs.count == 1 && report.pairs[0].isPaired)
    let median = try #require(
      report.pairs[0].latencies.first { $0.metric == .delivery && $0.quantile == .p50 })
    let isFirstFaster = report.pairs[0].first == "ios/priority=10"
    #expect(isFirstFaster && median.verdict == .higher)
    #expect(
      !(try compare("ab/ios/priority=10", "ab/ios/priority=5", ComparisonPlan(isIndependent: true))).pairs[0]
        .isPaired)
  }

  @Test("targets and variants are matched by name; what has no counterpart is said")
  func matching() throws {
    try record(0, name: "a", targets: ["ios", "android", "old"], count: 50)
    try record(1, name: "b", targets: ["ios", "android", "new"], count: 50)
    let report = try compare("a", "b")
    #expect(
      report.pairs.map(\.first) == ["android", "ios"] && report.pairs.map(\.second) == ["android", "ios"])
    #expect(report.onlyFirst == ["old"] && report.onlySecond == ["new"])
    #expect(try compare("a/ios", "b/android").pairs.map(\.second) == ["android"])
    #expect(report.lines.contains("only in A: old"))
    try record(2, name: "c", targets: ["web", "tv"], count: 50)
    #expect(try code("a", "c") == .nothingInCommon)
    #expect(try code("a", "a") == .sameOnBothSides)
    #expect(try code("a", "a/ios") == .sameOnBothSides)
  }

  @Test("targets without a variant in common are compared as wholes")
  func wholes() throws {
    try record(0, name: "a", targets: ["ios"], variants: ["priority=10", "priority=5"])
    try record(1, name: "b", targets: ["ios", "android"]) { _ in 1.5 }
    let report = try compare("a/ios", "b/android")
    let pair = try #require(report.pairs.first)
    #expect(report.pairs.count == 1 && pair.first == "ios" && pair.second == "android")
    #expect(pair.settled == (2_000, 2_000) && pair.latencies.first?.verdict == .higher)
    #expect(report.lines.contains { $0.contains("variants") && $0.contains("priority=10; priority=5") })
    // Also where the one target of two runs that both have lists values in one of them only.
    let runs = try compare("b", "a")
    #expect(runs.pairs.map(\.first) == ["ios"] && runs.onlyFirst == ["android"] && runs.onlySecond.isEmpty)
    #expect(runs.pairs.first?.mixed.second == ["priority=10", "priority=5"])
    // A variant that both have is compared with itself.
    try record(2, name: "c", targets: ["ios"], variants: ["priority=10"])
    #expect(try compare("a/ios", "c/ios").pairs.map(\.first) == ["ios/priority=10"])
  }

  @Test("an address names a run first; names may contain slashes")
  func addresses() throws {
    try record(0, name: "nightly/1", targets: ["eu/ios", "eu"], variants: ["a/b", "c"], count: 40)
    try record(1, name: "after", targets: ["eu/ios"], variants: ["a/b", "c"], count: 40)
    func titles(_ address: String) throws -> [String] {
      try ComparisonSide(address, in: fixture.reader()).series.map(\.title)
    }
    #expect(try titles("nightly/1/eu/ios/a/b") == ["eu/ios/a/b"])
    #expect(try titles("nightly/1/eu") == ["eu/a/b", "eu/c"])
    #expect(try titles("latest/eu/ios") == ["eu/ios/a/b", "eu/ios/c"])
    #expect(try code("nightly", "after") == .noSuchRun)
    #expect(try code("nightly/1/us", "after") == .noSuchTarget)
    #expect(try code("nightly/1/eu/ios/d", "after") == .noSuchTarget)
    #expect(try code("", "after") == .noSuchRun)
    // A target alone is a usual mistake.
    #expect { try titles("eu/ios") } throws: {
      "\($0)"
        == "there is no run \"eu/ios\"; see pushscope runs list; a target of the newest run is named latest/NAME"
    }
  }

  @Test("stretches of time, over the runs that they touch")
  func stretches() throws {
    try record(0, name: "before")
    try record(1, name: "after") { _ in 2 }
    let reader = try fixture.reader()
    func time(_ from: Int64, _ to: Int64) -> Range<WallTime> {
      RecordedStore.start.advanced(
        byMicroseconds: from * 60_000_000)..<RecordedStore.start.advanced(byMicroseconds: to * 60_000_000)
    }
    let report = try ComparisonReport(
      ComparisonSide(time(0, 60), in: reader), ComparisonSide(time(60, 120), in: reader), in: reader)
    #expect(report.pairs[0].settled == (2_000, 2_000))
    #expect(report.decision(.slower) == .breached)
    let nothing = try #require(throws: ReportError.self) {
      try ComparisonReport(
        ComparisonSide(time(0, 60), in: reader), ComparisonSide(time(200, 220), in: reader), in: reader)
    }
    #expect(nothing.code == .nothingInCommon)
    #expect(
      nothing.message.hasSuffix(
        "nothing was recorded in 2026-03-01 15:20:00 to 2026-03-01 15:40:00 UTC"), "\(nothing)")
    let halves = try ComparisonReport(
      ComparisonSide(time(0, 4), targets: ["ios"], in: reader),
      ComparisonSide(time(4, 8), targets: ["ios"], in: reader), in: reader)
    #expect(halves.pairs[0].settled == (960, 960) && halves.decision(.slower) == .met)
  }

  @Test(
    "JSON is read by a parser that is not ours, and hostile names do nothing",
    .enabled(if: Python.isUsable))
  func hostile() throws {
    try record(0, name: "\u{1B}[2J\u{202E}a", targets: ["<b>\u{7}"], count: 200)
    try record(1, name: "b", targets: ["<b>\u{7}"], count: 200)
    let report = try compare("\u{1B}[2J\u{202E}a", "b")
    #expect(!report.lines.joined().unicodeScalars.contains(where: EscapedText.isHarmful))
    let read = try Python.run(
      """
      import json, sys
      report = json.load(open(sys.argv[1]))
      pair = report["compared"][0]
      print(len(pair["latencies"]), len(pair["shares"]), pair["latencies"][0]["verdict"], pair["latencies"][0]["a"]["counted"])
      """, input: Array(report.json.text.utf8))
    #expect(read.hasSuffix(" 200\n") && read.hasPrefix("6 3 "))
  }
}
