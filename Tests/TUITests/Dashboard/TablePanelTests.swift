import Analysis
import ConstraintAnimation
import Findings
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("The panels of targets and findings")
struct TablePanelTests {
  /// Three targets of which the second loses most and the third is the slowest.
  static func snapshot() -> Snapshot {
    var snapshot = SampleRun(targets: ["ios", "android", "web"]).snapshot
    let window = SampleRun.start..<snapshot.now
    let losses = [3, 40, 3]
    let tails: [Int64] = [900_000, 700_000, 4_200_000]
    snapshot.panels.targets = TargetTable(
      window: window,
      rows: snapshot.targets.enumerated().map { index, target in
        var counts = StateCounts()
        counts.add(.delivered, isSent: true, isAccepted: true, count: 400 - losses[index])
        counts.add(.lost, isSent: true, isAccepted: true, count: losses[index])
        counts.add(.inFlight, isSent: true, isAccepted: true, count: 5)
        return TargetTable.Row(
          target: target.id, metric: .delivery, counts: counts,
          median: QuantileInterval(
            independent: .known(value: 180_000, low: 171_000, high: 192_000), value: 180_000, count: 400),
          tail: QuantileInterval(
            independent: index == 0
              ? .tooFew(needs: 368)
              : .known(value: tails[index], low: tails[index] / 2, high: tails[index] * 2),
            value: tails[index], count: 400))
      })
    snapshot.panels.findings = findings()
    return snapshot
  }

  /// An open finding, one that is over, and an old one that repeated four times.
  static func findings() -> [FindingRecord] {
    func finding(_ id: String, _ from: Int64, _ to: Int64?, _ change: (inout FindingRecord) -> Void)
      -> FindingRecord
    {
      let start = SampleRun.start.advanced(byMicroseconds: from * 1_000_000)
      var record = FindingRecord(
        id: id, incident: id, run: RunID("01978f5e-2f40-7000-8000-000000000001") ?? RunsPanelTests.id(0),
        target: "android", variant: "", provider: "fcm", endpoint: "https://fcm.example", device: "pixel",
        metric: .delivery, kind: .slower, status: to == nil ? .open : .closed, startedAt: start,
        detectedAt: start.advanced(byMicroseconds: 5_000_000),
        seenUntil: SampleRun.start.advanced(byMicroseconds: 105_000_000))
      record.endedAt = to.map { SampleRun.start.advanced(byMicroseconds: $0 * 1_000_000) }
      (record.quantile, record.before, record.after) = (0.5, 180_000, 1_600_000)
      (record.afterLow, record.afterHigh) = (1_400_000, 1_800_000)
      (record.cause, record.evidence) = (.providerDelivery, "accept unchanged, transit 180 ms → 1.60 s")
      record.scope = "fcm"
      change(&record)
      return record
    }
    let repeated: [FindingRecord] = (0..<4).map { place in
      let start = Int64(2 + 4 * place)
      return finding("cccccc0\(place)", start, start + 2) { $0.target = "ios" }
    }
    let recent: [FindingRecord] = [
      finding("aaaaaaaa", 62, nil) { _ in },
      finding("bbbbbbbb", 20, 40) {
        ($0.metric, $0.kind, $0.quantile, $0.before, $0.after) = (
          Stored(.lost), Stored(.losing), nil, nil, nil
        )
        ($0.shareBefore, $0.shareAfter, $0.shareLow, $0.shareHigh) = (0.01, 0.25, 0.2, 0.3)
        ($0.cause, $0.scope, $0.evidence) = (.undecided(.tooLittleBefore), nil, "")
      },
    ]
    return recent + repeated
  }

  /// A pattern of ten days, which came last in the run.
  static func daily() -> FindingRecord {
    var record = findings()[0]
    (record.id, record.incident, record.target, record.status) = (
      "dddddddd", "dddddddd", "web", Stored(.daily)
    )
    (record.window, record.samples, record.effectiveSamples) = (9_000_000_000, 10, 10)
    record.seenUntil = SampleRun.start.advanced(byMicroseconds: -36_000_000_000)
    record.startedAt = record.seenUntil.advanced(byMicroseconds: -9 * 86_400_000_000 - record.window)
    return record
  }

  @Test("a daily pattern is not open, says its hours, and is as long as its last stretch")
  func dailyPattern() throws {
    var snapshot = Self.snapshot()
    snapshot.panels.findings = [Self.daily()]
    let row = try #require(FindingRows.make(snapshot.panels.findings).first)
    #expect(!row.isOpen && row.status == "daily" && row.length == .seconds(9_000))
    #expect(row.stretch.upperBound == Self.daily().seenUntil)
    var stage = try Stage(columns: 200, rows: 40, motion: .none, snapshot: snapshot)
    stage.press("6")
    stage.frame()
    #expect(
      stage.text.contains("0 open")
        && stage.text.contains("web: slower every day from"))
    #expect(!stage.rows[0].contains("finding"))
  }

  @Test("the rate of an ended run does not count the wait for the last receipts")
  func rateOfEnded() throws {
    var snapshot = Self.snapshot()
    let ended = snapshot.now.advanced(byMicroseconds: 600_000_000)
    snapshot.run?.phase = .ended(at: ended, reason: "duration reached")
    let table = try #require(snapshot.panels.targets)
    snapshot.panels.targets = TargetTable(window: SampleRun.start..<ended, rows: table.rows)
    // 400 were sent in almost 110 s, not in 710.
    for row in TargetRows.make(snapshot) {
      let rate = try #require(row.rate)
      #expect((3.6...3.8).contains(rate), "\(rate)")
    }
  }

  @Test("targets are listed with the worst first: by what was lost, then by the tail")
  func order() throws {
    let rows = TargetRows.make(Self.snapshot())
    #expect(rows.map(\.target.name) == ["android", "web", "ios"])
    #expect(rows.map(\.shareText) == ["90.0 %", "99.3 %", "99.3 %"])
    var unread = Self.snapshot()
    unread.panels.targets = nil
    let before = TargetRows.make(unread)
    #expect(before.map(\.target.name) == ["ios", "android", "web"] && before.allSatisfy { $0.share == nil })
  }

  @Test("a share of all is 100 %, one that lacks a single notification is not")
  func shares() {
    var counts = StateCounts()
    func text(delivered: Int, lost: Int) -> String {
      counts = StateCounts()
      counts.add(.delivered, isSent: true, isAccepted: true, count: delivered)
      counts.add(.lost, isSent: true, isAccepted: true, count: lost)
      let target = DisplayedTarget(
        id: TargetID(rawValue: 1), name: "a", provider: "fcm", expectsReceipts: true, askedRate: 1)
      return TargetRow(
        index: 0, target: target,
        figures: TargetTable.Row(
          target: target.id, metric: .delivery, counts: counts, median: nil, tail: nil), lastEvent: nil,
        rate: nil
      ).shareText
    }
    #expect(text(delivered: 10, lost: 0) == "100 %" && text(delivered: 99_999, lost: 1) == ">99.9 %")
    #expect(text(delivered: 0, lost: 7) == "0 %" && text(delivered: 1, lost: 99_999) == "<0.1 %")
    #expect(text(delivered: 0, lost: 0) == "")
  }

  @Test("Enter shows the chosen target alone and all again, Space takes it out of the plot and puts it back")
  func choosing() throws {
    var stage = try Stage(motion: .none, snapshot: Self.snapshot())
    stage.press("5")
    #expect(
      stage.screen.order.panels.targetWindow
        == stage.screen.context.content.map { $0.window.start..<$0.window.end })
    stage.press(.enter)
    #expect(stage.screen.context.content?.targets == [1])
    stage.press(.enter)
    #expect(stage.screen.context.content?.targets == [0, 1, 2])
    stage.press(.down)
    stage.press(" ")
    #expect(stage.screen.context.content?.targets == [0, 1] && !stage.screen.state.isFrozen)
    stage.frame()
    #expect(stage.rows.last?.contains("web is left out of the plot") == true)
    stage.press(" ")
    #expect(stage.screen.context.content?.targets == [0, 1, 2])
    // A plot without any target would say nothing: then all are back.
    for _ in 0..<3 {
      stage.press(" ")
      stage.press(.up)
    }
    stage.press(.down)
    stage.press(.down)
    stage.press("1")
    #expect(stage.screen.context.content?.targets.isEmpty == false)
    #expect(stage.screen.order.panels.targetWindow == nil)
  }

  @Test("the metric of the quantiles is named, and follows the plot's once that is chosen")
  func metricOfQuantiles() throws {
    var snapshot = Self.snapshot()
    var stage = try Stage(motion: .none, snapshot: snapshot)
    stage.press("5")
    stage.frame()
    #expect(stage.text.contains("targets  delivery latency, this window, worst first"))
    #expect(stage.screen.order.panels.targetMetric == nil)
    stage.press("v")
    #expect(stage.screen.order.panels.targetMetric == .accept)
    let table = try #require(snapshot.panels.targets)
    let last = TargetTable.Row(
      target: table.rows[2].target, metric: .accept, counts: table.rows[2].counts, median: nil, tail: nil)
    snapshot.panels.targets = TargetTable(window: table.window, rows: Array(table.rows.prefix(2)) + [last])
    snapshot.number += 1
    stage.show(snapshot)
    stage.frame()
    #expect(stage.text.contains("delivery latency or accept latency, this window"))
  }

  @Test("a wide histogram has the table of targets beside it, and its buckets are where they are drawn")
  func besideHistogram() throws {
    var stage = try Stage(columns: 200, rows: 60, motion: .none, snapshot: Self.snapshot())
    stage.frames(2)
    #expect(stage.text.contains("worst first") && stage.text.contains("last event"))
    #expect(stage.screen.order.panels.targetWindow != nil)
    let panel = stage.screen.context.panelFrame
    for kind: InputEvent.Kind in [.mouseDown, .mouseUp] {
      stage.mouse(kind, x: panel.x1 - 10, y: panel.y0 + 5)
    }
    #expect(stage.screen.state.plot.selection == nil)
    let narrow = try Stage(columns: 160, rows: 60, motion: .none, snapshot: Self.snapshot())
    #expect(!narrow.text.contains("worst first") && narrow.screen.order.panels.targetWindow == nil)
  }

  @Test("a click chooses a row, and another one on it does what Enter does")
  func clicks() throws {
    var stage = try Stage(motion: .none, snapshot: Self.snapshot())
    stage.press("5")
    stage.frame()
    let panel = stage.screen.context.panelFrame
    for kind: InputEvent.Kind in [.mouseDown, .mouseUp] {
      stage.mouse(kind, x: panel.x0 + 6, y: panel.y0 + 3)
    }
    #expect(stage.screen.state.tables.targets.chosen == stage.screen.context.listed.targets[1].target.id)
    #expect(stage.screen.state.target == nil)
    for kind: InputEvent.Kind in [.mouseDown, .mouseUp] {
      stage.mouse(kind, x: panel.x0 + 6, y: panel.y0 + 3)
    }
    #expect(stage.screen.state.target == 2)
  }

  @Test("open findings come first, then the newest; repeats are one line")
  func findingsOrder() {
    let rows = FindingRows.make(Self.findings())
    #expect(rows.map(\.id) == ["aaaaaaaa", "bbbbbbbb", "cccccc03"])
    #expect(rows.map { $0.repetition.incidents.count } == [1, 1, 4])
    #expect(rows[2].repetition.period == .seconds(4))
  }

  @Test("the chosen finding shades its stretch in plot, log and events until Escape")
  func shade() throws {
    var stage = try Stage(motion: .none, snapshot: Self.snapshot())
    stage.frames(2)
    let before = stage.cells(in: stage.screen.context.plotFrame)
    stage.press("6")
    stage.frame()
    #expect(stage.cells(in: stage.screen.context.plotFrame) != before)
    stage.press(.down)
    stage.frame()
    let context = stage.screen.context
    let start = SampleRun.start.advanced(byMicroseconds: 20_000_000)
    #expect(context.shaded(stage.screen.state) == start..<start.advanced(byMicroseconds: 20_000_000))
    let events = context.events(stage.screen.state).list(width: 100, height: 20)
    #expect(events.shaded.map { context.listed.events[events.visible.lowerBound + $0].row.kind } == [.lost])
    #expect(context.log(stage.screen.state).list(width: 100, height: 30).shaded.count == 2)
    stage.press(.up)
    stage.press("1")
    stage.frame()
    #expect(stage.cells(in: stage.screen.context.plotFrame) != before)
    stage.press(.escape)
    stage.frame()
    #expect(stage.cells(in: stage.screen.context.plotFrame) == before)
  }

  @Test(
    "the lines of a finding's stretch have a sign in every kind of terminal, and selected ones look otherwise",
    arguments: Profile.allCases)
  func stretchSign(_ profile: Profile) throws {
    var stage = try Stage(columns: 120, rows: 40, profile: profile, snapshot: Self.snapshot())
    stage.press("w")
    stage.press("w")
    for key in "6J2" { stage.press(key) }
    stage.frame()
    let frame = stage.screen.context.panelFrame
    let sign = try #require(Unicode.Scalar(stage.screen.appearance.glyphs.stretch))
    func signed() -> [Int] {
      (frame.y0 + 1..<frame.y1).filter { stage.buffer[frame.x0, $0].text == String(Character(sign)) }
    }
    let rows = signed()
    let text = rows.map { stage.rows[$0] }
    #expect(text.count == 2 && text[0].contains("14:02:21") && text[1].contains("14:02:31"), "\(text)")
    #expect(stage.rows[frame.y0].contains("in the finding"))
    stage.press("K")
    stage.frame()
    #expect(signed() == rows && stage.screen.state.plot.selection != nil)
    stage.press(.escape)
    stage.press(.escape)
    stage.frame()
    #expect(signed().isEmpty)
  }

  @Test("Enter goes to the finding, with as much time on either side")
  func goTo() throws {
    var stage = try Stage(motion: .none, snapshot: Self.snapshot())
    stage.press("6")
    stage.press(.down)
    stage.press(.enter)
    let window = try #require(stage.screen.context.content?.window)
    let start = SampleRun.start.advanced(byMicroseconds: 20_000_000)
    #expect(window.start <= start && window.end >= start.advanced(byMicroseconds: 20_000_000))
    #expect(window.duration < .seconds(130))
  }

  /// Findings of every metric, each of another target.
  static func everyMetric() -> Snapshot {
    var snapshot = Self.snapshot()
    let names = snapshot.targets.map(\.name)
    let metrics: [(SeriesMetric, FindingKind)] = [
      (.delivery, .slower), (.accept, .slower), (.lost, .losing), (.failed, .failing), (.refused, .refused),
    ]
    snapshot.panels.findings = metrics.enumerated().map { place, metric in
      var record = Self.findings()[0]
      record.id = "metric0\(place)"
      (record.incident, record.target) = (record.id, names[place % 3])
      (record.metric, record.kind) = (Stored(metric.0), Stored(metric.1))
      record.startedAt = SampleRun.start.advanced(byMicroseconds: Int64(60 - 10 * place) * 1_000_000)
      if metric.0.isShare {
        (record.quantile, record.before, record.after) = (nil, nil, nil)
        (record.shareBefore, record.shareAfter) = (0.01, 0.2)
      }
      return record
    }
    return snapshot
  }

  @Test(
    "Enter shows what the finding is about, of its target and on an axis that reaches it, and says so; back undoes it"
  )
  func metric() throws {
    var stage = try Stage(motion: .none, snapshot: Self.everyMetric())
    stage.press("6")
    // Another target alone, and a range in which nothing of the finding is.
    stage.press("t")
    stage.press("t")
    for _ in 0..<2 { stage.press("y") }
    let expected: [Metric] = [.delivery, .accept, .delivery, .accept, .accept]
    for (place, metric) in expected.enumerated() {
      if place > 0 { stage.press(.down) }
      stage.press("v")
      stage.press(.enter)
      stage.frame()
      let facts = try #require(stage.screen.context.content?.facts)
      #expect(facts.metric == metric, "\(place)")
      #expect(stage.screen.context.content?.targets.contains(place % 3) == true, "\(place)")
      let said = place == 2 ? "the lost ones stand in the band" : place < 2 ? facts.metric.shortTitle : "band"
      #expect(stage.rows.last?.contains(said) == true, "\(stage.rows.last ?? "")")
    }
    stage.press(.backspace)
    #expect(stage.screen.state.metric(in: stage.screen.context.shown) != .accept)
  }

  @Test(
    "Enter on the finding that is in view opens all that is known of it, which is scrolled, copied and closed"
  )
  func everything() throws {
    var snapshot = Self.snapshot()
    snapshot.panels.findings[0].events = ["annotation: deploy 412"]
    var stage = try Stage(columns: 100, rows: 16, motion: .none, snapshot: snapshot)
    stage.press("6")
    stage.press(.enter)
    #expect(stage.screen.overlay == nil)
    stage.press(.enter)
    #expect(stage.screen.overlay?.isEqual(to: FindingSheet("aaaaaaaa")) == true)
    stage.frame()
    #expect(stage.text.contains("1.60 s") && stage.text.contains("PgDn"))
    stage.press(.end)
    stage.frame()
    #expect(stage.text.contains("deploy 412"))
    stage.press("Y")
    let copied = stage.effects.compactMap { if case .copy(let text) = $0 { text } else { nil } }.joined()
    #expect(
      copied.contains("cause: between provider and devices (fcm)") && copied.contains("finding: aaaaaaaa"))
    stage.press(.escape)
    #expect(stage.screen.overlay == nil)
    // Elsewhere Enter goes there again.
    stage.press(.left)
    stage.press(.enter)
    #expect(stage.screen.overlay == nil)
  }

  @Test(
    "what and why are on two lines where there is room, else the chosen one has both; each line is clicked")
  func causes() throws {
    #expect(FindingsLayout(count: 3, room: 6, hidden: []).causes == .all)
    #expect(FindingsLayout(count: 3, room: 6, hidden: ["cause"]).causes == .none)
    #expect(FindingsLayout(count: 3, room: 5, hidden: []).rows == 4)
    let some = FindingsLayout(count: 9, room: 5, hidden: [])
    #expect(some.lines(2..<6, chosen: 3).map(\.row) == [2, 3, 3, 4, 5])
    #expect(FindingsLayout(count: 3, room: 3, hidden: []).causes == .none)

    var stage = try Stage(motion: .none, snapshot: Self.snapshot())
    stage.press("6")
    stage.frame()
    #expect(
      stage.text.contains("It is fcm, after it accepted: its devices get them later."))
    let panel = stage.screen.context.panelFrame
    // The second line of the second finding.
    for kind: InputEvent.Kind in [.mouseDown, .mouseUp] {
      stage.mouse(kind, x: panel.x0 + 6, y: panel.y0 + 5)
    }
    #expect(stage.screen.state.tables.findings.chosen == "bbbbbbbb")
  }

  @Test("an incident names all of its targets, and whose figures are given")
  func severalTargets() throws {
    var snapshot = Self.snapshot()
    var second = snapshot.panels.findings[0]
    (second.id, second.target) = ("aaaaaaab", "web")
    var third = second
    (third.id, third.target, third.metric) = ("aaaaaaac", "ios", Stored(.accept))
    snapshot.panels.findings += [second, third]
    var stage = try Stage(columns: 200, motion: .none, snapshot: snapshot)
    #expect(stage.rows[0].contains("Notifications to android and web arrive slower"))
    stage.press("6")
    stage.frame()
    #expect(stage.text.contains("Notifications to android and web arrive slower"))
    #expect(stage.text.contains("p50 180 ms → 1.60 s"))
    stage.press(.enter)
    stage.press(.enter)
    stage.frame()
    #expect(stage.text.contains("Notifications to web arrive slower since"))
  }

  @Test("the header says in words what is going on")
  func header() throws {
    let stage = try Stage(columns: 200, snapshot: Self.snapshot())
    #expect(
      stage.rows[0].contains(
        "1 finding open  Notifications to android arrive slower since 14:03"))
    #expect(try Stage(columns: 80, snapshot: Self.snapshot()).rows[0].contains("1 finding"))
  }

  @Test(
    "what would have been found is said where nothing was, on as many lines as it takes",
    arguments: [80, 200])
  func silence(columns: Int) throws {
    var snapshot = Self.snapshot()
    snapshot.panels.findings = []
    snapshot.panels.detectors = [
      DetectorRecord(
        target: "ios", variant: "", provider: "apns", endpoint: "", through: snapshot.now, cursor: 0,
        age: 720_000_000, learning: 172_800_000_000,
        power: [
          DetectionPower(
            metric: Stored(.delivery), rate: 20,
            steps: [.init(length: 40_000_000, size: 1.5, delay: 30_000_000)])
        ])
    ]
    var stage = try Stage(columns: columns, motion: .none, snapshot: snapshot)
    stage.press("6")
    stage.frame()
    let text = stage.text.replacing("│", with: " ").replacing(/\s+/, with: " ")
    #expect(
      text.contains(
        "Nothing found in 12 min at 20 notifications a second. This would have been noticed: arriving ×1.5 slower for 40 s or longer. Slower answers, losses, failures and refusals would not have been noticed. Smaller changes are noticed once more is recorded, most of them after two days."
      ), "\(text)")
  }

  @Test("a wide header says what is recorded, as pushscope status does, where nothing else is to be said")
  func opening() throws {
    var snapshot = Self.snapshot()
    snapshot.panels.findings = []
    let wide = try Stage(columns: 240, snapshot: snapshot).rows[0]
    #expect(wide.contains("pushscope  ● live"), "\(wide)")
    #expect(
      wide.contains(/collecting for [^(]*\(run [^,]*, 3 targets, [0-9.]+ notifications a second\)/), "\(wide)"
    )
    snapshot.panels.findings = Self.findings()
    #expect(try !Stage(columns: 240, snapshot: snapshot).rows[0].contains("collecting for"))
    // Nobody has to see to what a reload removed.
    snapshot.panels.removed = ["android": SampleRun.start]
    let removed = try Stage(columns: 240, snapshot: snapshot).rows[0]
    #expect(!removed.contains("finding") && removed.contains(", 2 targets, "), "\(removed)")
  }

  @Test("nothing found is said in words")
  func none() throws {
    var stage = try Stage(motion: .none)
    stage.press("6")
    stage.frame()
    #expect(stage.text.contains("nothing found so far"))
    stage.press(.enter)
    stage.press(" ")
    #expect(stage.screen.state.isFrozen)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var keys = ""
    var size = (80, 24)
    var hasDaily = false

    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "targets", keys: "5"), Case(name: "targets-wide", keys: "5", size: (200, 60)),
    Case(name: "targets-smallest", keys: "5 ", size: (60, 16)), Case(name: "findings", keys: "6"),
    Case(name: "findings-wide", keys: "6J", size: (160, 40)),
    Case(name: "findings-smallest", keys: "6", size: (60, 16)),
    Case(name: "finding-shaded", keys: "6J2", size: (120, 32)),
    Case(name: "targets-sorted", keys: "5SSS", size: (120, 32)),
    Case(name: "target-hidden", keys: "5J ", size: (120, 32)),
    Case(name: "target-alone", keys: "5J\n", size: (120, 32)),
    Case(name: "findings-sorted", keys: "6SS", size: (120, 32)),
    Case(name: "findings-daily", keys: "6J", size: (160, 40), hasDaily: true),
  ]

  @Test("look as recorded", arguments: cases, Profile.allCases)
  func recorded(_ row: Case, _ profile: Profile) throws {
    var snapshot = Self.snapshot()
    if row.hasDaily { snapshot.panels.findings.append(Self.daily()) }
    var stage = try Stage(columns: row.size.0, rows: row.size.1, profile: profile, snapshot: snapshot)
    for key in row.keys {
      if key == "\n" { stage.press(.enter) } else { stage.press(key) }
      stage.frames(20)
    }
    stage.wait(.seconds(5))
    try Golden.expect(stage.buffer, named: "tables/\(row.name)-\(profile.rawValue)")
  }

  @Test("an ASCII terminal shows nothing but ASCII", arguments: ["5", "6"] as [Character])
  func ascii(_ key: Character) throws {
    var stage = try Stage(columns: 200, rows: 40, profile: .ascii, snapshot: Self.snapshot())
    stage.press(key)
    stage.frames(30)
    let foreign = stage.text.unicodeScalars.filter { !$0.isASCII }
    #expect(foreign.isEmpty, "\(Set(foreign))")
  }
}
