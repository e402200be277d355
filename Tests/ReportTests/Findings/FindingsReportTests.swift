import Analysis
import Formats
import Foundation
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import Report

@Suite struct FindingsReportTests {
  private static let start = RecordedStore.start

  /// A finding of `ios` that began so many seconds after the fixture's start.
  private func record(
    _ id: String, at seconds: Int64, lasting length: Int64? = 60, incident: String? = nil,
    target: String = "ios",
    status: FindingStatus? = nil, run: RunID? = nil, _ change: (inout FindingRecord) -> Void = { _ in }
  ) -> FindingRecord {
    var generator = SeededGenerator(seed: 1)
    let start = Self.start.advanced(byMicroseconds: seconds * 1_000_000)
    var record = FindingRecord(
      id: id, incident: incident ?? id, run: run ?? RunID(at: Self.start, using: &generator), target: target,
      variant: "", provider: "apns", endpoint: "https://api.push.apple.com:443", device: "phone",
      metric: .delivery, kind: .slower, status: status ?? (length == nil ? .open : .closed),
      startedAt: start, detectedAt: start.advanced(byMicroseconds: 12_000_000),
      seenUntil: start.advanced(byMicroseconds: 90_000_000))
    record.startedLow = start.advanced(byMicroseconds: -2_000_000)
    record.startedHigh = start.advanced(byMicroseconds: 1_000_000)
    record.endedAt = length.map { start.advanced(byMicroseconds: $0 * 1_000_000) }
    record.quantile = 0.5
    record.before = 180_000
    record.after = 1_900_000
    record.afterLow = 1_600_000
    record.afterHigh = 2_200_000
    record.cause = .providerDelivery
    record.scope = "apns"
    record.causes = [.providerDelivery]
    record.evidence = "accept unchanged (41 ms)"
    record.samples = 240
    record.effectiveSamples = 61.5
    record.statistic = 40.25
    record.threshold = 24.5
    record.window = 8_000_000
    change(&record)
    return record
  }

  private func detector(_ target: String, age: Int64, of learning: Int64?) -> WatchedSeries {
    WatchedSeries(
      DetectorRecord(
        target: target, variant: "", provider: "apns", endpoint: "", through: Self.start, cursor: 0,
        age: age * 1_000_000, learning: learning.map { $0 * 1_000_000 }), [])
  }

  @Test func nothing() {
    #expect(FindingsReport([]).lines() == ["Nothing found; no collector watched for changes."])
    #expect(
      FindingsReport(
        [], series: [detector("ios", age: 240, of: 172_800), detector("web", age: 200_000, of: nil)]
      ).lines() == [
        "learning: 4 min of 2 d (ios)",
        "Nothing found. What would have been seen is not known for this store.",
      ])
  }

  @Test("series that are equally far learned are one line")
  func learning() {
    let many = (0..<14).map { detector("t\($0)", age: 70, of: 172_800) }
    #expect(
      FindingsReport([], series: many + [detector("web", age: 240, of: 172_800)]).lines() == [
        "learning: 70 s of 2 d (t0, t1, t2, t3 and 10 more)", "learning: 4 min of 2 d (web)",
        "Nothing found. What would have been seen is not known for this store.",
      ])
  }

  @Test("a sentence each")
  func aLineEach() {
    let lossy = record("bbbb2222", at: 300, lasting: nil) {
      $0.kind = Stored(.losing)
      $0.metric = Stored(.lost)
      $0.quantile = nil
      ($0.before, $0.after, $0.afterLow, $0.afterHigh) = (nil, nil, nil, nil)
      ($0.shareBefore, $0.shareAfter, $0.shareLow, $0.shareHigh) = (0.01, 0.12, 0.08, 0.17)
      $0.cause = .undecided(.lossPlace)
      $0.scope = nil
      $0.evidence = ""
    }
    #expect(
      FindingsReport([record("aaaa1111", at: 0), lossy]).lines(today: Self.start) == [
        "id        status  what (times in UTC)",
        "aaaa1111  closed  Notifications to ios arrived slower from 12:00:00 to 12:01:00: half within 1.90 s (before 180 ms). It was apns, after it accepted: its devices got them later.",
        "bbbb2222  open    12.0 % of the notifications to ios get lost since 12:05:00 (before 1 %). It is not known whether apns loses them, the device phone does not get them, or our receipt listener misses them. A second device reached through apns, and a second provider to the device phone, would tell.",
        "", "2 incidents of 2 findings, 1 open",
      ])
  }

  @Test("findings of one incident stand together; closed ones that repeat are one line")
  func folded() {
    var records = (0..<4).map { record("aaaa000\($0)", at: Int64($0) * 75) }
    records.append(
      record("cccc0000", at: 226, incident: "aaaa0003") {
        $0.metric = Stored(.accept)
        $0.cause = nil
      })
    records.append(record("dddd0000", at: 300, lasting: nil))
    let lines = FindingsReport(records).lines()
    #expect(lines.count == 7)
    #expect(lines[1].contains("aaaa0003"))
    #expect(lines[1].contains(", for the 4th time, about every 75 s since 12:00:00: "), "\(lines[1])")
    #expect(lines[2].contains("cccc0000") && lines[2].contains("with aaaa0003"))
    #expect(lines[3].contains("dddd0000") && lines[3].contains("open"))
    #expect(lines[5] == "5 incidents of 6 findings, 1 open")
    #expect(lines[6] == "Of incidents that repeat the last is listed; --each lists all of them.")
    let each = FindingsReport(records).lines(isFolded: false)
    #expect(each.count == 9 && each.last == lines[5])
    #expect((0..<4).allSatisfy { each[$0 + 1].contains("aaaa000\($0)") } && !each[4].contains("time, "))
  }

  @Test(
    "ordinals",
    arguments: [
      (1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (22, "22nd"),
      (113, "113th"),
    ])
  func ordinal(count: Int, text: String) { #expect(OrdinalText.text(count) == text) }

  @Test("what --fail-on counts")
  func failing() {
    let rules = FindingsReport.FailureRule.allCases
    func fails(_ records: [FindingRecord], provisional: Bool = false) -> [Bool] {
      rules.map { FindingsReport(records).fails(on: $0, countsProvisional: provisional) }
    }
    #expect(fails([]) == [false, false])
    #expect(fails([record("a", at: 0)]) == [false, true])
    #expect(fails([record("a", at: 0, lasting: nil)]) == [true, true])
    #expect(fails([record("a", at: 0, lasting: nil, status: .lasting)]) == [true, true])
    let young = record("a", at: 0, lasting: nil, status: .provisional)
    #expect(fails([young]) == [false, false] && fails([young], provisional: true) == [true, true])
    #expect(fails([record("a", at: 0) { $0.kind = Stored(.faster) }]) == [false, false])
    #expect(fails([record("a", at: 0, lasting: nil) { $0.isHidden = true }]) == [false, false])
    #expect(fails([record("a", at: 0, status: .withdrawn)]) == [false, false])
    #expect(
      fails([daily("a")]) == [false, false] && fails([daily("a")], provisional: true) == [false, false])
  }

  private func daily(_ id: String) -> FindingRecord {
    record(id, at: 0, lasting: nil, status: .daily) {
      ($0.startedLow, $0.startedHigh) = (nil, nil)
      ($0.window, $0.samples, $0.effectiveSamples) = (9_000_000_000, 10, 9)
      $0.seenUntil = $0.startedAt.advanced(byMicroseconds: 9 * 86_400_000_000 + 9_000_000_000)
    }
  }

  @Test("a daily pattern stands alone, is not open and no incident, and goes on until it does not come")
  func dailyPatterns() {
    let both = FindingsReport([daily("a"), record("b", at: 0)])
    #expect(
      both.lines().count == 5 && both.lines().last == "1 incident of 1 finding, 0 open; 1 daily pattern")
    #expect(
      both.lines().contains { $0.hasPrefix("a") && $0.contains("daily") && $0.contains("every day from") })
    #expect(
      FindingsReport([daily("a")]).lines().suffix(2) == [
        "1 daily pattern", "No change found.",
      ])
    let folded = FindingRepetition.fold(FindingIncident.group([daily("a"), daily("c"), record("b", at: 0)]))
    #expect(folded.count == 3 && folded.allSatisfy { $0.period == nil })
    let late = FindingSelection(since: daily("a").seenUntil.advanced(byMicroseconds: 1))
    #expect(late.includes(daily("a")) && !daily("a").isOpen)
    var ended = daily("a")
    ended.endedAt = ended.seenUntil
    #expect(!late.includes(ended))
    let fields = FindingDetails.lines(daily("a"))
    #expect(fields.contains { $0.hasPrefix("days") && $0.contains("it came on 9 of 10 days") })
    #expect(fields.contains { $0.hasPrefix("when") && $0.contains("first ") && $0.contains("last ") })
  }

  @Test("a new normal and a gradual change have no end and no certain start")
  func times() {
    let gradual = record("a", at: 0, lasting: nil) {
      $0.isGradual = true
      ($0.startedLow, $0.startedHigh) = (nil, nil)
    }
    #expect(FindingWords.time(of: gradual) == "getting worse since about 2026-03-01 12:00:00")
    let normal = record("a", at: 0, lasting: nil, status: .closed) { $0.isNewNormal = true }
    #expect(FindingWords.time(of: normal) == "2026-03-01 12:00:00 ± 2 s, the new normal")
    let open = record("a", at: 0, lasting: nil)
    #expect(FindingWords.time(of: open) == "since 2026-03-01 12:00:00 ± 2 s")
    let sudden = record("a", at: 0, lasting: nil) {
      ($0.startedLow, $0.startedHigh) = ($0.startedAt, $0.startedAt)
    }
    #expect(FindingWords.time(of: sudden) == "since 2026-03-01 12:00:00")
    let end = open.startedAt.advanced(byMicroseconds: 600_000_000)
    #expect(
      FindingWords.time(of: open, stoppedAt: end)
        == "2026-03-01 12:00:00 ± 2 s, open when recording stopped at 12:10:00")
    #expect(
      FindingsReport([open], ends: RecordingEnds(targets: [open.target: end])).lines()[1]
        .contains("until recording stopped at"))
  }

  /// A run of 25 s, of which the last notification was planned 1 s before its end.
  private func shortRun() throws -> (fixture: RecordedStore, run: RunID) {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, [TargetDescription(name: "ios", provider: "apns", receiptDeadline: 1, askedRate: 4)])
    try fixture.commit(
      run.run,
      (1...97).map {
        Sample.planned(run.targets[0].id, $0).accepted(lag: 10, service: 500).delivered(after: 40_000)
      })
    try fixture.end(run, after: 25)
    return (fixture, run.run)
  }

  @Test("a provisional finding that its run ended was open then; one that ended before has an end")
  func endedByTheRun() throws {
    let (fixture, run) = try shortRun()
    try fixture.save([
      record("aaaa1111", at: 5, lasting: 10, status: .provisional, run: run),
      record("bbbb2222", at: 16, lasting: 10, status: .provisional, run: run) { $0.kind = Stored(.losing) },
      record("cccc3333", at: 16, lasting: 10, run: run) { $0.kind = Stored(.failing) },
    ])
    let lines = try FindingsReport(fixture.reader(), RowSelection(), at: Self.start).lines(today: Self.start)
    #expect(
      lines[1].contains("aaaa1111  provisional  ") && lines[1].contains(" from 12:00:05 to 12:00:15: "),
      "\(lines)")
    #expect(
      lines[2].contains("bbbb2222  provisional  ")
        && lines[2].contains(" from 12:00:16 until recording stopped at 12:00:25"), "\(lines)")
    #expect(
      lines[3].contains("cccc3333  closed  ") && lines[3].contains(" from 12:00:16 to 12:00:26"), "\(lines)")
    let reader = try fixture.reader()
    let cutOff = try FindingDetails.find("bbbb", in: reader)
    let ends = try RecordingEnds([cutOff], in: reader, at: Self.start)
    #expect(
      FindingDetails.lines(cutOff, stoppedAt: ends[cutOff]).contains {
        $0.hasPrefix("when") && $0.hasSuffix("open when recording stopped at 12:00:25")
      })
  }

  @Test("what a reload removed was recorded until then")
  func removedByAReload() throws {
    let (fixture, run) = try shortRun()
    let removed = Self.start.advanced(byMicroseconds: 24_000_000)
    try #require(fixture.collector).record(
      [
        Event(
          at: removed, kind: .configReloaded,
          detail: "SIGHUP; " + ReloadedTargets(ended: ["ios"]).words.joined(separator: "; "))
      ], run: run)
    let cutOff = record("bbbb2222", at: 16, lasting: 10, status: .provisional, run: run)
    let open = record("dddd4444", at: 18, lasting: nil, run: run)
    try fixture.save([cutOff, open])
    let ends = try RecordingEnds([cutOff, open], in: fixture.reader(), at: Self.start)
    #expect(ends[cutOff] == removed && ends[open] == removed)
  }

  @Test("learning counts recorded time, and no more")
  func recordedTime() throws {
    let (fixture, _) = try shortRun()
    var changes = FindingChanges()
    changes.detectors = [DetectorChange(detector("ios", age: 40, of: 172_800).detector)]
    try fixture.save(changes)
    let series = try FindingsReport.watched(fixture.reader(), RowSelection())
    #expect(series.map(\.age) == [.seconds(25)])
    #expect(
      try FindingsReport(fixture.reader(), RowSelection(), at: Self.start).lines().first
        == "learning: 25 s of 2 d (ios)")
    #expect(try FindingsReport.watched(fixture.reader(), RowSelection(targets: ["web"])).isEmpty)
  }

  @Test("everything about one: series, statistic, legs, verdicts, what would decide")
  func details() {
    let lines = FindingDetails.lines(
      record("aaaa1111", at: 0) {
        $0.verdicts = [
          Verdict(
            cause: .undecided(.pathOrProvider), scope: "apns", evidence: "service rose",
            wouldDecide: "PING",
            targets: ["ios", "ipad"])
        ]
        $0.legs = [
          LegsRecord(
            target: "ios", quantile: 0.5, before: 180_000, total: 1_720_000, totalLow: 1_500_000,
            totalHigh: 2_000_000,
            parts: [
              LegsRecord.Part(leg: .sentToReceived, change: 1_700_000, low: nil, high: nil),
              LegsRecord.Part(leg: .lag, change: .nan, low: 0, high: 20),
            ])
        ]
        $0.events = ["annotation: deploy 412\u{1B}[2J"]
      })
    let text = lines.joined(separator: "\n")
    for words in [
      "40.3 nats over a threshold of 24.5, in a window of 8 s", "240, worth 62 independent ones",
      "targets: ios, ipad", "would decide: PING", "delivery, p50", "1.50 to 2.00 s", "sent to received",
      "at its start: annotation: deploy 412␛[2J", "https://api.push.apple.com:443",
    ] { #expect(text.contains(words), "\(words) in \(text)") }
    #expect(!text.contains("\u{1B}"))
  }

  @Test("what was refused and what was not sent because of it are two numbers")
  func refusals() throws {
    let finding = record("aaaa1111", at: 0) {
      ($0.metric, $0.kind, $0.quantile) = (Stored(.refused), Stored(.refused), nil)
      ($0.before, $0.after, $0.afterLow, $0.afterHigh) = (nil, nil, nil, nil)
      ($0.shareBefore, $0.shareAfter) = (0, 0.981)
      $0.verdicts = [
        Verdict(
          cause: .providerErrors, scope: "fcm", evidence: "5 refused by fcm", wouldDecide: nil,
          targets: ["ios", "web"],
          refusals: [
            .init(target: "ios", refused: 3, notSent: 375), .init(target: "web", refused: 2, notSent: 0),
          ])
      ]
    }
    let text = FindingDetails.lines(finding).joined(separator: "\n")
    #expect(
      text.contains(
        "apns refused 3 notifications to ios from 2026-03-01 12:00:00 to 12:01:00; because of that"),
      "\(text)")
    #expect(text.contains("we paused and did not send 375."), "\(text)")
    #expect(text.contains("refused 3, not sent 375: 0 % → 98.1 %"), "\(text)")
    let json = finding.json.text
    #expect(json.filter { !$0.isWhitespace }.hasSuffix(#""refused":3,"not_sent":375}"#), "\(json)")
  }

  @Test("legs of another metric or quantile explain nothing")
  func otherLegs() {
    func shown(_ metric: SeriesMetric?, _ quantile: Double) -> Bool {
      let finding = record("aaaa1111", at: 0) {
        $0.metric = Stored(.accept)
        $0.legs = [
          LegsRecord(
            target: "ios", metric: metric, quantile: quantile, before: 1, total: 2, totalLow: nil,
            totalHigh: nil,
            parts: [LegsRecord.Part(leg: .lag, change: 2, low: nil, high: nil)])
        ]
      }
      return FindingDetails.lines(finding).contains { $0.contains("accept, p50") }
    }
    #expect(shown(.accept, 0.5))
    // An earlier version looked at deliveries only.
    for (metric, quantile) in [(.accept, 0.9), (.delivery, 0.5), (nil, 0.5)] as [(SeriesMetric?, Double)] {
      #expect(!shown(metric, quantile))
    }
  }

  @Test("all causes with their evidence, and what would decide each")
  func causes() throws {
    let finding = record("aaaa1111", at: 0) {
      $0.causes = [.providerProcessing, .undecided(.init(rawValue: "provider or device"))]
      $0.verdicts = [
        Verdict(
          cause: .providerProcessing, scope: "apns", evidence: "service 41 ms → 120 ms, path quiet",
          wouldDecide: nil, targets: ["ios"]),
        Verdict(
          cause: .undecided(.init(rawValue: "provider or device")), scope: nil,
          evidence: "transit 140 ms → 900 ms",
          wouldDecide: "a second device at apns", targets: ["ios"]),
      ]
    }
    let lines = FindingDetails.lines(finding)
    let place = try #require(lines.firstIndex(of: "2 causes:"))
    #expect(
      lines[place...].starts(with: [
        "2 causes:", "  processing at the provider (apns): service 41 ms → 120 ms, path quiet",
        "    targets: ios",
        "  undecided: provider or device; transit 140 ms → 900 ms", "    targets: ios",
        "    would decide: a second device at apns",
      ]), "\(lines)")
    #expect(
      FindingsReport([finding]).lines()[1].hasSuffix(
        "It was apns: it answered later while the network to it was as fast as before."))
    #expect(FindingsReport([finding]).json.text.contains("a second device at apns"))
    // What only repeats the figures is not said twice.
    let plain = record("bbbb2222", at: 0) {
      $0.cause = .undecided(.tooLittleBefore)
      ($0.scope, $0.evidence) = (nil, "delivery p50 180 ms → 1.90 s")
    }
    #expect(FindingText(plain).causes.map(\.sentence) == ["undecided: too little before it"])
  }

  @Test("those that repeat stand where the last of them was")
  func order() {
    let report = FindingsReport(
      [record("aaaa0000", at: 0), record("bbbb0000", at: 100, target: "web"), record("aaaa0001", at: 200)])
    #expect(report.lines()[1].hasPrefix("bbbb0000"))
    #expect(report.lines()[2].hasPrefix("aaaa0001"))
    #expect(report.lines()[2].contains("2nd time, 3 min 20 s after the first: "))
  }

  @Test("the table and the JSON, from a store", .enabled(if: Python.isUsable))
  func stored() throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, [TargetDescription(name: "ios", provider: "apns", receiptDeadline: 1, askedRate: 4)])
    try fixture.save([
      record("aaaa1111", at: 0, run: run.run) {
        $0.evidence = "=1+1,\n\"quoted\""
        $0.causes = [.providerDelivery, .device]
      },
      record("bbbb2222", at: 60, status: .withdrawn, run: run.run),
    ])
    let rows = try Python.run(
      """
      import csv, sys
      rows = list(csv.DictReader(open(sys.argv[1], newline="")))
      print([row["id"] + " " + row["status"] for row in rows], rows[0]["started_low"], rows[0]["after_us"], rows[0]["causes"], rows[0]["share_low"] == "", rows[0]["evidence"])
      """, input: Array(fixture.export(.findings).utf8))
    #expect(
      rows
        == "['aaaa1111 closed', 'bbbb2222 withdrawn'] 2026-03-01T11:59:58.000000Z 1900000 provider-delivery;device True '=1+1,␊\"quoted\"\n"
    )
    let report = try FindingsReport(fixture.reader(), RowSelection(), at: Self.start)
    let names = try Python.run(
      """
      import json, sys
      report = json.load(open(sys.argv[1]))
      print(list(report), len(report["findings"]), report["findings"][0]["causes"], ",".join(report["findings"][0]))
      """, input: Array(report.json.text.utf8))
    #expect(
      names == "['learning', 'findings'] 1 ['provider-delivery', 'device'] "
        + ExportTable.findings.columns.joined(separator: ",") + ",legs,verdicts,refused,not_sent\n")
    #expect(try FindingDetails.find("aaaa", in: fixture.reader()).id == "aaaa1111")
    for unknown in ["", "cccc"] {
      #expect(throws: ReportError.self) { try FindingDetails.find(unknown, in: fixture.reader()) }
    }
  }
}
