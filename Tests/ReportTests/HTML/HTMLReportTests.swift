import Formats
import Foundation
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import Report

@Suite struct HTMLReportTests {
  private static let loopback = TargetDescription(
    name: "ios", provider: "loopback", receiptDeadline: 5_000_000, askedRate: 4)

  /// The report of a store, made an hour after the fixture's start in a zone east of UTC.
  private func html(
    _ fixture: RecordedStore, _ selection: RowSelection = RowSelection(), depth: RollupThreshold = .standard
  ) throws -> String {
    let sink = MemorySink()
    let zone = LocalTime { _ in 19_800_000_000 }
    let now = RecordedStore.start.advanced(byMicroseconds: 3_600_000_000)
    try HTMLReport(fixture.reader(), selection, depth: depth, at: now, in: zone).write(to: sink)
    return sink.text
  }

  /// A run of `count` notifications, four a second: each hundredth lost, the others delivered after 40 ms and more.
  private func fixture(
    count: Int64 = 400, isEnded: Bool = true
  ) throws -> (fixture: RecordedStore, run: RunRegistration) {
    let fixture = try RecordedStore()
    let run = try fixture.begin(0, name: "nightly", [Self.loopback])
    let samples = (1...count).map { number -> Sample in
      let sent = Sample.planned(run.targets[0].id, number).accepted(lag: 10, service: 500)
      return number % 100 == 0 ? sent.ended(.lost, status: 200) : sent.delivered(after: 40_000 + number * 100)
    }
    try fixture.commit(run.run, samples)
    if isEnded { try fixture.end(run, after: count / 4) }
    return (fixture, run)
  }

  /// Reads the page with Python's parser: unclosed or crossed elements, headings, what could be loaded or run.
  private func structure(_ html: String) throws -> [String: [String]] {
    let output = try Python.run(
      """
      import html.parser, json, sys
      void = {"meta", "br", "link", "img", "input", "hr"}
      class Reader(html.parser.HTMLParser):
          def __init__(self):
              super().__init__(convert_charrefs=True)
              self.open, self.found = [], {k: [] for k in ("problems", "headings", "links", "actions", "ids", "text", "scripts")}
          def handle_starttag(self, tag, attributes):
              names = [name for name, _ in attributes]
              if len(names) != len(set(names)): self.found["problems"].append("an attribute twice in " + tag)
              for name, value in attributes:
                  if name in ("href", "src", "action", "data", "poster", "srcset", "xlink:href"): self.found["links"].append(value or "")
                  if name.startswith("on"): self.found["actions"].append(name)
                  if name == "id": self.found["ids"].append(value)
                  if name == "style" and "url" in value: self.found["links"].append(value)
              if tag == "th" and "scope" not in names: self.found["problems"].append("a heading without scope")
              if tag == "svg" and not {"role", "aria-label"} <= set(names): self.found["problems"].append("a chart without a label")
              if tag not in void: self.open.append(tag)
          def handle_startendtag(self, tag, attributes):
              self.handle_starttag(tag, attributes)
              if tag not in void: self.open.pop()
          def handle_endtag(self, tag):
              if not self.open or self.open[-1] != tag: self.found["problems"].append(f"</{tag}> in {self.open[-3:]}")
              else: self.open.pop()
          def handle_data(self, data):
              if self.open and self.open[-1] == "script": self.found["scripts"].append(data)
              elif self.open and self.open[-1] == "style":
                  if "url(" in data or "@import" in data: self.found["links"].append("in the style sheet")
              else:
                  if self.open and self.open[-1] in ("h1", "h2", "h3"): self.found["headings"].append(data)
                  self.found["text"].append(data)
      reader = Reader()
      reader.feed(open(sys.argv[1], encoding="utf-8").read())
      reader.close()
      reader.found["problems"] += [f"<{tag}> is not closed" for tag in reader.open]
      print(json.dumps(reader.found))
      """, input: Array(html.utf8))
    return try JSONDecoder().decode([String: [String]].self, from: Data(output.utf8))
  }

  @Test(.enabled(if: Python.isUsable, "needs python3"))
  func isOneWellFormedPageThatLoadsNothing() throws {
    let (fixture, run) = try fixture()
    try fixture.commit(
      run.run,
      events: [
        Event(at: RecordedStore.start, kind: .connected, target: run.targets[0].id, connectionID: 1),
        Event(
          at: RecordedStore.start.advanced(byMicroseconds: 9_000_000), kind: .goaway,
          target: run.targets[0].id,
          detail: "shutdown"),
      ],
      instrument: InstrumentFigures(
        host: "here", scheduleLag: .init(count: 400, median: 9, p99: 71, maximum: 900)))
    let page = try structure(html(fixture))
    #expect(page["problems"] == [])
    #expect(page["actions"] == [])
    #expect(page["links"] == ["#t1"])
    #expect(page["ids"].map { Set($0).count == $0.count } == true)
    #expect(page["scripts"] == [ReportScript.source.html])
    let headings = page["headings"] ?? []
    #expect(headings.first == "99.0\u{A0}% of 400 notifications arrived in time")
    for heading in [
      "At a glance", "ios", "Connections and other events", "Appendix: how these numbers were made",
    ] {
      #expect(headings.contains(heading), "\(heading)")
    }
    let text = (page["text"] ?? []).joined().replacing("\u{A0}", with: " ")
    for words in [
      "1 March 2026, 17:30:00", "UTC+05:30", "2026-03-01 12:00:00 to 12:01:40 UTC", "run “nightly”",
      "400 were due, 400 sent, 400 accepted by the provider", "4 lost (1.0 %)", "396 delivered (99.0 %)",
      "59.9 ms", "GOAWAY",
      "shutdown", "p99", "900 µs", "4 of 400 accepted", "396 of 400 planned",
    ] { #expect(text.contains(words), "\(words)") }
  }

  @Test(.enabled(if: Python.isUsable, "needs python3"))
  func thePolicyKnowsTheScript() throws {
    let hash = try Python.run(
      "import base64, hashlib, sys; print(base64.b64encode(hashlib.sha256(open(sys.argv[1], 'rb').read()).digest()).decode())",
      input: Array(ReportScript.source.html.utf8))
    #expect(hash == ReportScript.hash + "\n")
    #expect(ReportScript.policy.hasPrefix("default-src 'none';"))
  }

  @Test(.enabled(if: Python.isUsable, "needs python3"))
  func hostileTextStaysText() throws {
    let hostile =
      "</title></style><script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp; \u{202E}\u{1B}[2J"
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, name: hostile,
      [
        TargetDescription(
          name: hostile, provider: hostile, receiptDeadline: 5_000_000, askedRate: 4,
          variants: [hostile, "b"])
      ])
    let target = run.targets[0]
    let samples = (Int64(1)...40).map { number -> Sample in
      let sample = Sample.planned(target.id, number, variant: target.variants[Int(number) % 2])
        .accepted(lag: 10, service: 500)
      return number % 7 == 0
        ? sample.ended(.rejected, reason: hostile, status: 400) : sample.delivered(after: 40_000)
    }
    let kinds: [EventKind] = [.connected, .disconnected, .goaway, .retryAfter, .interrupted, .annotation]
    let events = kinds.map {
      Event(at: RecordedStore.start, kind: $0, target: target.id, detail: hostile)
    }
    try fixture.commit(run.run, samples, events: events, instrument: InstrumentFigures(host: hostile))
    try fixture.end(run, after: 10)
    let page = try html(fixture)
    let structure = try structure(page)
    #expect(structure["problems"] == [])
    #expect(structure["scripts"] == [ReportScript.source.html])
    #expect(structure["links"] == ["#t1"])
    #expect(structure["actions"] == [])
    #expect((structure["text"] ?? []).joined().contains("<img src=x onerror=alert(1)>\"'&amp;"))
    #expect(!page.unicodeScalars.contains { $0 != "\n" && EscapedText.isHarmful($0) })
  }

  @Test func manyNotificationsTakeNoMoreShapesThanFew() throws {
    let (few, _) = try fixture(count: 1_000)
    let (many, _) = try fixture(count: 20_000)
    let (small, large) = (try html(few), try html(many))
    #expect(small.matches(of: /<title>no\./).count == 1_000)
    #expect(large.matches(of: /<title>no\./).count == NotificationDots.slowest)
    #expect(large.contains("<title>no. 19999, "), "the slowest has its name")
    #expect(large.matches(of: /<path/).count < 200)
    #expect(large.utf8.count < 300_000)
  }

  @Test func lossesHaveTheirTrueSize() throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin(0, [Self.loopback])
    // Each fiftieth is lost, and everything in the sixth tenth.
    let samples = (Int64(1)...10_000).map { number -> Sample in
      let sent = Sample.planned(run.targets[0].id, number).accepted(lag: 10, service: 500)
      return number % 50 == 0 || (5_000..<6_000).contains(number)
        ? sent.ended(.lost, status: 200) : sent.delivered(after: 40_000 + number)
    }
    try fixture.commit(run.run, samples)
    try fixture.end(run, after: 2_500)
    let content = try ReportContent(
      fixture.reader(), RowSelection(), depth: .standard,
      at: RecordedStore.start.advanced(byMicroseconds: 3_600_000_000))
    let target = try #require(content.targets.first)
    let chart = try #require(
      ReportCharts(
        target: target, time: ReportTime(.utc, start: content.start, end: content.end), notes: [],
        stretches: []
      ).scatter())
    let heights = chart.layers.flatMap { layer -> [Double] in
      guard layer.style == "gone", case .boxes(let boxes) = layer.shape else { return [] }
      return boxes.map { $0.y.upperBound - $0.y.lowerBound }
    }
    let most = try #require(heights.max())
    let full = heights.count { $0 > 0.9 * most }
    #expect(heights.count > 60 && full >= 6 && full <= 10, "\(full) of \(heights.count)")
    // The columns at both ends of the outage are in between.
    let small = heights.count { $0 > 0.15 * most && $0 < 0.25 * most }
    #expect(small >= heights.count - full - 2, "\(small) of \(heights.count)")
  }

  /// Dots of losses at one time hide one another; the bars behind them say how many there were.
  @Test func fewNotificationsHaveBarsOfLossesBehindTheirDots() throws {
    let (fixture, _) = try fixture(count: 400)
    let content = try ReportContent(
      fixture.reader(), RowSelection(), depth: .standard, at: RecordedStore.start.advanced(byMicroseconds: 1))
    let target = try #require(content.targets.first)
    #expect(target.dots.isComplete && target.total.counts.withoutLatency > 0)
    let chart = try #require(
      ReportCharts(
        target: target, time: ReportTime(.utc, start: content.start, end: content.end), notes: [],
        stretches: []
      ).scatter())
    let bars = try #require(chart.layers.firstIndex { $0.style == "gone faint" })
    let dots = try #require(chart.layers.firstIndex { $0.style == "dot gone" })
    #expect(bars < dots)
  }

  @Test func rollupsMakeTheSameChartsUpToTheirBuckets() throws {
    let (fixture, _) = try fixture(count: 4_000)
    try fixture.rollUp()
    let exact = try ReportContent(
      fixture.reader(), RowSelection(), depth: .standard, at: RecordedStore.start.advanced(byMicroseconds: 1))
    let rolled = try ReportContent(
      fixture.reader(), RowSelection(), depth: RollupThreshold(rows: 100),
      at: RecordedStore.start.advanced(byMicroseconds: 1))
    let (a, b) = (try #require(exact.targets.first), try #require(rolled.targets.first))
    #expect(b.rolledUpTo != nil)
    #expect(a.rolledUpTo == nil)
    #expect(a.timeline.total == b.timeline.total)
    #expect(a.total.counts == b.total.counts)
    #expect(!b.dots.isComplete)
    let (left, right) = (LevelCounts(a.timeline.counts), LevelCounts(b.timeline.counts))
    #expect(left.total == right.total)
    for quantile in [Quantile.p50, .p90, .p99] {
      let (one, other) = (try #require(left.value(quantile)), try #require(right.value(quantile)))
      #expect(abs(one - other) <= one / 40, "\(quantile.label)")
    }
  }

  @Test func runsOfOneTargetContinueEachOther() throws {
    let fixture = try RecordedStore()
    for number in 0..<2 {
      let run = try fixture.begin(number, [Self.loopback])
      let offset = Int64(number) * 3_600_000_000
      let samples = (1...200).map { index -> Sample in
        var sample = Sample.planned(run.targets[0].id, Int64(index)).accepted(lag: 10, service: 500)
          .delivered(after: 50_000)
        sample.plannedAt = sample.plannedAt.advanced(byMicroseconds: offset)
        return sample
      }
      try fixture.commit(run.run, samples)
      try fixture.end(run, after: 50)
    }
    let content = try ReportContent(
      fixture.reader(), RowSelection(), depth: .standard,
      at: RecordedStore.start.advanced(byMicroseconds: 9_000_000_000))
    #expect(content.runs.count == 2)
    #expect(content.targets.map(\.total.counts.planned) == [400])
    #expect(content.targets.first?.timeline.total.planned == 400)
  }

  /// What was found of the target, and how far its detector has learned.
  private func watch(
    _ fixture: RecordedStore, _ run: RunRegistration, _ statuses: [FindingStatus], learning: Int64? = nil,
    power: [DetectionPower]? = nil, change: (inout FindingRecord) -> Void = { _ in }
  ) throws {
    var changes = FindingChanges()
    for (index, status) in statuses.enumerated() {
      let start = RecordedStore.start.advanced(byMicroseconds: 60_000_000 + Int64(index) * 10_000_000)
      var finding = FindingRecord(
        id: "finding\(index)", incident: "finding\(index)", run: run.run, target: "ios", variant: "",
        provider: "loopback", endpoint: "", device: "phone", metric: .delivery, kind: .slower,
        status: status,
        startedAt: start, detectedAt: start.advanced(byMicroseconds: 5_000_000),
        seenUntil: start.advanced(byMicroseconds: 8_000_000))
      finding.quantile = 0.99
      (finding.before, finding.after, finding.afterLow) = (240_000, 1_210_000, 1_100_000)
      (finding.cause, finding.causes) = (.providerDelivery, [.providerDelivery])
      (finding.scope, finding.evidence) = ("<b>loopback</b>", "accept unchanged")
      if status == .closed { finding.endedAt = start.advanced(byMicroseconds: 8_000_000) }
      change(&finding)
      changes.findings.append(finding)
    }
    changes.detectors = [
      DetectorChange(
        DetectorRecord(
          target: "ios", variant: "", provider: "loopback", endpoint: "",
          through: RecordedStore.start.advanced(byMicroseconds: 100_000_000), cursor: 1, age: 100_000_000,
          learning: learning, power: power))
    ]
    try fixture.save(changes)
  }

  @Test func theAnswerIsWhatChanged() throws {
    let (fixture, run) = try fixture()
    try watch(fixture, run, [.closed, .open])
    let page = try html(fixture)
    let sentence =
      "Notifications to ios arrived slower from 17:31:10 until recording stopped at 17:31:40: 99 of 100 within 1.21 s (before 240 ms)."
    for heading in ["<h1>\(sentence)", "<h3>\(sentence)</h3>"] {
      #expect(page.replacing("\u{A0}", with: " ").contains(heading))
    }
    #expect(
      page.replacing(/<\/?time[^>]*>/, with: "").contains(
        "from 17:31:10 on, still open when recording stopped at 17:31:40"))
    #expect(!page.contains("slower since") && !page.contains("slower, since"))
    #expect(
      page.replacing("\u{A0}", with: " ").contains(
        " Cause: between provider and devices (&lt;b&gt;loopback&lt;/b&gt;): accept unchanged."
      ))
    #expect(page.contains("p99 240\u{A0}ms → 1.21\u{A0}s"))
    let open = try #require(page.range(of: "<article class=\"finding\">"))
    let over = try #require(page.range(of: "<article class=\"finding over\">"))
    #expect(open.lowerBound < over.lowerBound, "open ones come first")
    #expect(page.matches(of: /<path class="stretch"/).count >= 2)
  }

  @Test func whatIsOpenLastsWhileItIsRecorded() throws {
    let (fixture, run) = try fixture(isEnded: false)
    try watch(fixture, run, [.open])
    func heartbeat(after time: Duration) throws {
      fixture.clock.advance(by: RecordedStore.start + time - fixture.clock.wallNow())
      try fixture.commit(run.run)
    }
    try heartbeat(after: .seconds(100))
    let gone = try html(fixture).replacing(/<\/?time[^>]*>/, with: "").replacing("\u{A0}", with: " ")
    #expect(gone.contains("(the collector is gone)") && !gone.contains("still being recorded"))
    #expect(gone.contains("until recording stopped at 17:31:40"))
    try heartbeat(after: .hours(1))
    let page = try html(fixture).replacing(/<\/?time[^>]*>/, with: "")
    #expect(page.contains("(still being recorded)"))
    #expect(page.contains("<h1>Notifications to ios arrive slower since 17:31:00: 99 of 100 within"))
    #expect(page.contains("since 17:31:00"))
    #expect(!page.contains("recording stopped"))
  }

  @Test func whatComesEveryDayIsNoChange() throws {
    let (fixture, run) = try fixture()
    func comesDaily(_ finding: inout FindingRecord) {
      guard finding.status.word == .daily else { return }
      (finding.window, finding.samples, finding.effectiveSamples) = (9_000_000_000, 10, 10)
      finding.startedAt = finding.seenUntil.advanced(byMicroseconds: -9 * 86_400_000_000 - finding.window)
    }
    try watch(fixture, run, [.daily], change: comesDaily)
    // The fixture's zone is UTC+05:30.
    let sentence =
      "Notifications to ios arrived slower every afternoon from 15:01 to 17:31, until recording stopped on 20"
    let page = try html(fixture).replacing("\u{A0}", with: " ").replacing(/<\/?time[^>]*>/, with: "")
    #expect(page.contains("<h1>\(sentence)"))
    #expect(page.contains(": 99 of 100 within 1.21 s instead of 240 ms."))
    #expect(page.contains("What comes every day") && !page.contains("What changed"))
    #expect(
      page.contains("on 10 of 10 days, first ") && page.contains("No change found. What would have been"))
    try watch(fixture, run, [.daily, .closed], change: comesDaily)
    let both = try html(fixture).replacing("\u{A0}", with: " ").replacing(/<\/?time[^>]*>/, with: "")
    #expect(both.contains("<h1>Notifications to ios arrived slower from 17:31:10"))
    #expect(both.contains("<h3>\(sentence)"))
  }

  @Test func thoseThatRepeatAreOne() throws {
    let (fixture, run) = try fixture()
    try watch(fixture, run, [.closed, .closed, .closed])
    let page = try html(fixture)
    #expect(page.contains(", for the 3rd time, about every 10\u{A0}s since "))
    #expect(page.matches(of: /<article/).count == 1)
    #expect(page.contains(", about every 10\u{A0}s; the last from"))
    #expect(page.contains("Times are UTC+05:30."))
  }

  /// Deliveries are slower from 60 s on, by what follows the provider's answer.
  @Test(.enabled(if: Python.isUsable, "needs python3"))
  func theLegsSayWhereTheTimeWent() throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin(0, [Self.loopback])
    let samples = (1...400).map { (number: Int64) -> Sample in
      Sample.planned(run.targets[0].id, number).accepted(lag: 10, service: 500)
        .delivered(after: (number > 240 ? 1_200_000 : 40_000) + number % 7)
    }
    let pings = (0..<10).map { (number: Int64) in
      PingAnswer(
        target: run.targets[0].id, connectionID: 1,
        at: RecordedStore.start.advanced(byMicroseconds: number * 10_000_000), roundTrip: 300 + number)
    }
    try fixture.commit(run.run, samples, pings: pings)
    try fixture.end(run, after: 100)
    try watch(fixture, run, [.open])
    let page = try structure(html(fixture))
    #expect(page["problems"] == [])
    let text = (page["text"] ?? []).joined(separator: " ").replacing("\u{A0}", with: " ")
      .replacing(/\s+/, with: " ")
    #expect(text.contains("Where the time went"), "\(text)")
    #expect(text.contains("Of 160 notifications during what changed, and of 160 in as much time before it"))
    let table = try #require(text.range(of: "p90 during"))
    let rest = text[table.upperBound...]
    for words in ["transit 39.5 ms", "1.20 s", "path (PING)", "lag 10 µs"] {
      #expect(rest.contains(words), "\(words) in \(rest.prefix(600))")
    }
    #expect(text.contains("10 PINGs"))
  }

  @Test func whereNothingChangedItSaysForHowLongWasLooked() throws {
    let (fixture, run) = try fixture()
    #expect(try html(fixture).contains("Nobody looked for changes"))
    try watch(fixture, run, [.withdrawn], learning: 172_800_000_000)
    let young = try html(fixture).replacing("\u{A0}", with: " ")
    #expect(young.contains("<h1>No change found</h1>"))
    #expect(young.contains("Nothing found. What would have been seen is not known for this store."))
    let power = [
      DetectionPower(
        metric: Stored(.delivery), rate: 4, steps: [.init(length: 40_000_000, size: 1.5, delay: 30_000_000)])
    ]
    try watch(fixture, run, [], learning: 172_800_000_000, power: power)
    #expect(
      try html(fixture).replacing("\u{A0}", with: " ").contains(
        "Nothing found in 100 s at 4 notifications a second. This would have been noticed: arriving ×1.5 slower for 40 s or longer. Slower answers, losses, failures and refusals would not have been noticed. Smaller changes are noticed once more is recorded, most of them after two days."
      ))
    try watch(fixture, run, [])
    let old = try html(fixture).replacing("\u{A0}", with: " ")
    #expect(!old.contains("learning") && old.contains("Nothing found in "))
  }

  @Test func whereLittleWasWatchedItCannotTell() throws {
    let (few, run) = try fixture(count: 5)
    try watch(few, run, [], learning: 172_800_000_000)
    let page = try html(few).replacing("\u{A0}", with: " ")
    #expect(page.contains("<h1>Too little to tell: 5 of 5 arrived in time</h1>"))
    #expect(page.contains("Not watched for changes yet: the first 25 s are what later ones"))
    #expect(page.contains("this is a record of 1 s."))
    #expect(!page.contains("Half, 90 %"), "a chart without anything in it")
    // 40 s, of which 15 could be watched, on 25 that they are compared with.
    let (some, second) = try fixture(count: 160)
    try watch(some, second, [], learning: 172_800_000_000)
    #expect(try html(some).contains("<h1>Too little to tell: 159 of 160 arrived in time</h1>"))
  }

  /// A run of two targets: `good` and one of which everything failed.
  private func failing(
    deadlines: [Int64?] = [5_000_000, 5_000_000]
  ) throws -> (fixture: RecordedStore, run: RunRegistration) {
    let fixture = try RecordedStore()
    let names = ["bad", "good"]
    let run = try fixture.begin(
      0,
      zip(names, deadlines).map {
        TargetDescription(name: $0, provider: "loopback", receiptDeadline: $1, askedRate: 4)
      })
    for name in names {
      let id = try #require(run[name]).id
      try fixture.commit(
        run.run,
        (Int64(1)...400).map { number -> Sample in
          let planned = Sample.planned(id, number)
          return name == "bad"
            ? planned.ended(.failed, reason: "connect")
            : planned.accepted(lag: 10, service: 500).delivered(after: 40_000)
        })
    }
    let failures = (Int64(0)..<3).map { number in
      Event(
        at: RecordedStore.start.advanced(byMicroseconds: number * 1_000_000), kind: .failed,
        target: run["bad"]?.id, count: 100, detail: "refused no. \(number)")
    }
    try fixture.commit(run.run, events: failures)
    try fixture.end(run, after: 100)
    return (fixture, run)
  }

  @Test func aPoorShareLeads() throws {
    let (fixture, run) = try failing()
    try watch(fixture, run, [])
    let page = try html(fixture).replacing("\u{A0}", with: " ")
    #expect(page.contains("<h1>0 % of 400 notifications to bad arrived in time</h1>"))
    let alone = try html(fixture, RowSelection(targets: ["bad"])).replacing("\u{A0}", with: " ")
    #expect(alone.contains("<h1>0 % of 400 notifications arrived in time</h1>"))
    #expect(!alone.contains("No connection was opened"))
    let row = try #require(alone.firstMatch(of: /<th scope="row">failed<\/th>.*<\/tr>/))
    #expect(row.0.contains("300") && row.0.contains("refused no. 2"), "\(row.0)")
  }

  @Test(
    "the overview says what its shares are of",
    arguments: [
      ([5_000_000, 5_000_000], "arrived in time"), ([nil, nil], "accepted"),
      ([5_000_000, nil], "arrived in time, or accepted"),
    ] as [([Int64?], String)])
  func overview(deadlines: [Int64?], title: String) throws {
    #expect(try html(failing(deadlines: deadlines).fixture).contains("<th scope=\"col\">\(title)</th>"))
  }

  @Test func whatItsRunEndedWasOpenThen() throws {
    let (fixture, run) = try fixture()
    func ended(_ finding: inout FindingRecord) {
      finding.endedAt = RecordedStore.start.advanced(byMicroseconds: 101_000_000)
    }
    try watch(fixture, run, [.provisional], change: ended)
    let one = try html(fixture).replacing(/<\/?time[^>]*>/, with: "")
    #expect(
      one.contains(
        "<h1>Notifications to ios arrived slower from 17:31:00 until recording stopped at 17:31:40: "))
    #expect(
      one.contains("from 17:31:00 on, still open when recording stopped at 17:31:40"))
    #expect(one.contains("<article class=\"finding provisional\">"))
    try watch(fixture, run, [.provisional, .provisional]) { finding in
      ended(&finding)
      if finding.id == "finding1" { finding.kind = Stored(.faster) }
    }
    #expect(try html(fixture).contains(" Beside that 1 other change was found.</h1>"))
    try watch(fixture, run, [.provisional, .provisional]) { finding in
      finding.endedAt = finding.startedAt.advanced(byMicroseconds: 5_000_000)
      if finding.id == "finding1" { finding.kind = Stored(.faster) }
    }
    #expect(try html(fixture).contains(" Beside that 1 other change was found; both are over.</h1>"))
  }

  @Test func latenciesDoNotExplainLosses() throws {
    let (fixture, run) = try fixture()
    let legs = LegsRecord(
      target: "ios", quantile: 0.99, before: 40_000, total: 7_910, totalLow: nil, totalHigh: nil,
      parts: [LegsRecord.Part(leg: .service, change: 4_770, low: nil, high: nil)])
    try watch(fixture, run, [.open]) { $0.legs = [legs] }
    let slow = try html(fixture)
    #expect(
      slow.contains("Of the change of") && slow.contains("in delivery p99")
        && slow.contains("Where the time went"))
    try watch(fixture, run, [.open]) { finding in
      (finding.kind, finding.metric, finding.quantile, finding.legs) = (
        Stored(.losing), Stored(.lost), nil, [legs]
      )
      (finding.before, finding.after, finding.afterLow) = (nil, nil, nil)
      (finding.shareBefore, finding.shareAfter) = (0.01, 0.3)
    }
    let lossy = try html(fixture)
    #expect(!lossy.contains("Of the change of") && !lossy.contains("Where the time went"))
  }

  @Test func labelsOfLatenciesHaveRoom() throws {
    let (fixture, _) = try fixture()
    let content = try ReportContent(
      fixture.reader(), RowSelection(), depth: .standard, at: RecordedStore.start.advanced(byMicroseconds: 1))
    let charts = ReportCharts(
      target: try #require(content.targets.first),
      time: ReportTime(.utc, start: content.start, end: content.end), notes: [], stretches: [])
    let scatter = try #require(charts.scatter())
    let bands = try #require(charts.bands())
    for chart in [scatter, bands.chart] {
      let places = chart.yTicks.map(\.position).sorted()
      #expect(places.count > 2)
      for (low, high) in zip(places, places.dropFirst()) { #expect((high - low) * chart.height > 1.1) }
    }
    #expect(scatter.yTicks.contains { $0.label == "never" })
  }

  @Test func fractionsOfSecondsHaveTheirHour() {
    let start = RecordedStore.start.advanced(byMicroseconds: 100_000)
    let end = start.advanced(byMicroseconds: 1_500_000)
    let columns = TimeColumns(from: start, to: end, most: 160, least: .microseconds(1))
    let labels = ReportTime(.utc, start: start, end: end).ticks(columns).map(\.label)
    #expect(labels.contains("12:00:00.200"), "\(labels)")
  }

  @Test func timesHaveTheirOffsetWhereClocksAreSet() throws {
    // A minute after the fixture's start, from UTC−04:00 to UTC−05:00.
    let change = RecordedStore.start.advanced(byMicroseconds: 60_000_000)
    let zone = LocalTime { $0 < change ? -14_400_000_000 : -18_000_000_000 }
    let (fixture, _) = try fixture()
    let sink = MemorySink()
    let now = RecordedStore.start.advanced(byMicroseconds: 3_600_000_000)
    try HTMLReport(fixture.reader(), RowSelection(), at: now, in: zone).write(to: sink)
    let page = sink.text.replacing(/<\/?time[^>]*>/, with: "")
    #expect(page.contains("08:00:00 UTC−04:00 to 07:01:40 UTC−05:00, run"))
    #expect(page.contains("UTC−04:00, from 1 March 2026, 07:01, on UTC−05:00"))
    #expect(page.contains("07:01:00 −05:00</span>"))
    #expect(
      try html(fixture).replacing(/<\/?time[^>]*>/, with: "").contains("17:30:00 to 17:31:40 UTC+05:30, run"))
  }

  @Test func figuresAreNotDivided() throws {
    let (fixture, _) = try fixture()
    let page = try html(fixture)
    for cell in page.matches(of: /<td>([^<]*)<small>([^<]*)<\/small><\/td>/) {
      #expect(!cell.1.contains(" ") && !cell.2.contains(" "), "\(cell.0)")
    }
    #expect(page.contains("\u{A0}of\u{A0}"))
  }

  @Test func aTimeWithoutNotificationsSaysSo() throws {
    let (fixture, _) = try fixture()
    let later = RecordedStore.start.advanced(byMicroseconds: 3_000_000_000)
    let page = try html(fixture, RowSelection(since: later))
    #expect(page.contains("Nothing was sent in this time"))
    #expect(!page.contains("At a glance"))
  }
}

@Suite struct TimeColumnsTests {
  @Test(arguments: [1, 999_999, 60_000_000, 5_400_000_000, 86_400_000_000, 86_400_000_000 * 900] as [Int64])
  func coverThePeriodInFewRoundColumns(_ length: Int64) {
    let start = WallTime(microseconds: 1_772_366_412_345_678)
    let columns = TimeColumns(
      from: start, to: start.advanced(byMicroseconds: length), most: 160, least: .microseconds(1))
    #expect(columns.count <= 161)
    #expect(columns.index(of: start) == 0)
    #expect(columns.index(of: start.advanced(byMicroseconds: length - 1)) == columns.count - 1)
    #expect(columns.index(of: columns.end) == nil)
    #expect(columns.start.microseconds % columns.width.microseconds == 0)
    let factor = columns.factor(atMost: 40)
    #expect(columns.merged(by: factor).count <= 40)
    #expect(factor >= 1)
  }
}

@Suite struct LatencyLevelTests {
  @Test func levelsAreTwoPercentApart() {
    var seed = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let value = Int64.random(in: 1...3_500_000_000, using: &seed)
      let level = LatencyLevel.index(of: value)
      #expect(LatencyLevel.edge(level) <= Double(value) * 1.000_001)
      #expect(LatencyLevel.edge(level + 1) * 1.000_001 >= Double(value))
      if value > 100 { #expect(abs(Double(LatencyLevel.middle(level)) / Double(value) - 1) < 0.02) }
    }
    #expect(LatencyLevel.index(of: 0) == 0)
    #expect(LatencyLevel.index(of: .max) == LatencyLevel.count - 1)
  }
}
