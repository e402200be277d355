import ConstraintAnimation
import Measurement
import Store
import Testing

@testable import TUI

@Suite("The list of runs")
struct RunsPanelTests {
  static func id(_ number: Int) -> RunID {
    guard let id = RunID("01978f5e-2f40-7000-8000-\(100_000_000_000 + number)") else {
      preconditionFailure("this is a UUID")
    }
    return id
  }

  /// Runs of the past days; the newest is the one that the sample run is.
  static func entries(_ count: Int) -> [RunEntry] {
    var counts = StateCounts()
    counts[.delivered] = 12_345
    counts[.lost] = 7
    return (0..<count).map { place in
      let start = SampleRun.start.advanced(byMicroseconds: Int64(-place) * 7_200_000_000)
      let end = start.advanced(byMicroseconds: 3_725_000_000)
      return RunEntry(
        id: place == 0 ? RunID("01978f5e-2f40-7000-8000-000000000001") ?? id(0) : id(place),
        name: place % 3 == 1 ? "nightly \(place)\u{1B}[31m" : nil, startedAt: start,
        phase: place == 0 ? .live : .ended(at: end, reason: place == 2 ? "interrupted" : "completed"),
        targets: ["loopback"], counts: counts)
    }
  }

  static func snapshot(_ count: Int) -> Snapshot {
    var snapshot = SampleRun().snapshot
    snapshot.runs = entries(count)
    return snapshot
  }

  @Test("slides in like the others and is only read while it is on the screen")
  func slidesIn() throws {
    var stage = try Stage(snapshot: Self.snapshot(5))
    #expect(!stage.screen.order.wantsRuns)
    stage.press("4")
    #expect(stage.screen.order.wantsRuns)
    stage.frames(20)
    #expect(stage.screen.context.activePanel == .runs && stage.rows[0].contains("[4 Runs]"))
    #expect(stage.text.contains("nightly 1␛[31m") && stage.text.contains("12 352"))
    #expect(stage.text.contains(" 62 min "))
    #expect(stage.text.contains("recording") && stage.text.contains("interrupted"))
    stage.press("1")
    stage.frames(20)
    #expect(!stage.screen.order.wantsRuns)
  }

  @Test("a collector that is gone is so for as long in the list as in the header")
  func gone() throws {
    var snapshot = Self.snapshot(3)
    let heard = snapshot.now
    snapshot.run?.phase = .silent(since: heard)
    snapshot.runs[0].phase = .silent(since: heard)
    snapshot.now = heard.advanced(byMicroseconds: 5_000_000)
    var stage = try Stage(columns: 160, motion: .none, snapshot: snapshot)
    stage.press("4")
    stage.frame()
    for seconds in [5, 9, 31] {
      snapshot.number += 1
      snapshot.now = heard.advanced(byMicroseconds: Int64(seconds) * 1_000_000)
      stage.show(snapshot)
      stage.frame()
      let rows = stage.rows.filter { $0.contains("gone for \(seconds) s") }
      #expect(rows.count == 2, "\(seconds): \(rows)")
    }
  }

  @Test("arrows choose a run, and the list scrolls with it")
  func choose() throws {
    var stage = try Stage(columns: 80, rows: 24, snapshot: Self.snapshot(40))
    stage.press("4")
    stage.frames(20)
    for _ in 0..<25 { stage.press(.down) }
    stage.frame()
    #expect(stage.screen.state.runs.chosen == Self.id(25))
    #expect(stage.text.contains(">"))
    #expect(stage.screen.state.runs.top > 0)
    stage.press(.end)
    #expect(stage.screen.state.runs.chosen == Self.id(39))
    stage.press(.down)
    #expect(stage.screen.state.runs.chosen == Self.id(39))
    stage.press(.home)
    #expect(stage.screen.state.runs.place(in: stage.screen.context.latest.runs) == 0)
    // The chosen one stays chosen when a newer one comes.
    stage.press(.down)
    var more = Self.snapshot(41)
    more.number = 2
    more.runs.insert(
      RunEntry(
        id: Self.id(99), name: "new", startedAt: more.now, phase: .live, targets: [], counts: StateCounts()),
      at: 0)
    stage.show(more)
    #expect(stage.screen.state.runs.place(in: more.runs) == 2)
  }

  @Test("enter opens a run, and the view begins anew with it")
  func open() throws {
    var stage = try Stage(snapshot: Self.snapshot(5))
    stage.press("t")
    stage.press("+")
    stage.press(.left)
    stage.press("4")
    stage.press(.down)
    stage.press(.enter)
    #expect(stage.screen.order.subject == Subject(run: Self.id(1), target: nil))
    var opened = SampleRun(
      phase: .ended(at: SampleRun.start.advanced(byMicroseconds: 110_000_000), reason: "completed")
    ).snapshot
    opened.number = 2
    opened.run?.id = Self.id(1)
    opened.runs = Self.entries(5)
    opened.recording = SampleRun().snapshot.run
    stage.show(opened)
    #expect(stage.screen.state.anchor == .edge && stage.screen.state.scale == nil)
    #expect(stage.rows[0].contains("ended") && stage.rows[0].contains("recording"))
    // Asked for the newest when there already: the newest run.
    stage.press("f")
    #expect(stage.screen.order.subject.run == nil)
  }

  @Test("opening works while the picture is frozen, and the newest run is followed")
  func openFrozen() throws {
    var stage = try Stage(snapshot: Self.snapshot(5))
    stage.press(" ")
    stage.press("4")
    stage.press(.enter)
    #expect(stage.screen.order.subject.run == nil && !stage.screen.state.isFrozen)
  }

  @Test("two runs at most are marked, and a third takes the place of the first")
  func marks() throws {
    var stage = try Stage(snapshot: Self.snapshot(5))
    stage.press("4")
    stage.press(" ")
    #expect(!stage.screen.state.isFrozen)
    stage.press(.down)
    stage.press(" ")
    stage.frame()
    #expect(stage.screen.state.runs.marked == [Self.entries(1)[0].id, Self.id(1)])
    #expect(stage.rows.last?.contains("c compares them") == true)
    stage.press(.down)
    stage.press("*")
    #expect(stage.screen.state.runs.marked == [Self.id(1), Self.id(2)])
    stage.press("*")
    #expect(stage.screen.state.runs.marked == [Self.id(1)])
  }

  private static let states: [NotificationState] = [
    .delivered, .late, .lost, .rejected, .failed, .missed, .interrupted,
  ]

  /// Two runs, the second of which has a number of its own in every column.
  private static func troubled(_ zero: Set<NotificationState> = []) -> Snapshot {
    var snapshot = Self.snapshot(2)
    for place in snapshot.runs.indices { snapshot.runs[place].counts = StateCounts() }
    for (place, state) in states.enumerated() where !zero.contains(state) {
      snapshot.runs[1].counts[state] = 1_000 + 111 * place
    }
    snapshot.runs[1].counts[.planned] = 4
    snapshot.runs[1].counts.sent = 7_777
    snapshot.runs[1].counts.acceptedByProvider = 6_666
    snapshot.runs[1].name = "nightly"
    return snapshot
  }

  /// What stands below a heading in the row of the second run; `nil` without such a heading.
  private static func value(_ title: String, _ rows: [String]) throws -> String? {
    let heading = try #require(rows.first { $0.contains("run  ") && $0.contains("planned") })
    let row = try #require(rows.first { $0.contains("nightly") })
    guard let range = heading.firstRange(of: title) else { return nil }
    let end = heading.distance(from: heading.startIndex, to: range.upperBound)
    // Numbers end where their heading ends.
    let text = Array(row)[..<end]
    return String(text.reversed().prefix { $0 != " " }.reversed())
  }

  @Test("a wide table has every count of the CSV, each with the CSV's name and meaning")
  func everyCount() throws {
    var stage = try Stage(columns: 200, rows: 30, motion: .none, snapshot: Self.troubled())
    stage.press("4")
    stage.frame()
    for (place, state) in Self.states.enumerated() {
      #expect(try Self.value(state.name, stage.rows) == "\(1_000 + 111 * place)")
    }
    #expect(try Self.value("sent", stage.rows) == "7777" && Self.value("accepted", stage.rows) == "6666")
    // All of the plan, what is still to be sent included.
    #expect(try Self.value("planned", stage.rows) == "9335")
  }

  @Test(
    "a narrow table keeps what went wrong, whole, and says of the chosen run what it has no room for",
    arguments: [60, 80, 100, 120])
  func narrow(columns: Int) throws {
    var stage = try Stage(columns: columns, rows: 24, motion: .none, snapshot: Self.troubled())
    stage.press("4")
    stage.press(.down)
    stage.frame()
    let title = try #require(stage.rows.first { $0.contains(" runs ") })
    var hidden: [String] = []
    for state in Self.states {
      let count = stage.screen.context.latest.runs[1].counts[state]
      if let value = try Self.value(state.name, stage.rows) {
        #expect(value == "\(count)")
      } else {
        hidden.append(state.name)
        let sign = stage.screen.appearance.glyphs.sign(of: try #require(MarkClass(state)))
        #expect(title.contains("\(state.name) \(count)") || title.contains("\(sign) \(count)"), "\(title)")
      }
    }
    #expect(!hidden.contains("lost") && !hidden.contains("failed") && !hidden.contains("rejected"))
    #expect(try Self.value("planned", stage.rows) == "9335")
    // Nothing is cut at the edge.
    let heading = try #require(stage.rows.first { $0.contains("run  ") && $0.contains("planned") })
    #expect(heading.hasSuffix(" │"), "\(heading)")
  }

  @Test("what is 0 in every run yields its room first")
  func zeros() throws {
    let zero: Set<NotificationState> = [.lost, .rejected, .failed]
    var stage = try Stage(columns: 60, rows: 24, motion: .none, snapshot: Self.troubled(zero))
    stage.press("4")
    stage.frame()
    for name in ["lost", "rejected", "failed"] { #expect(try Self.value(name, stage.rows) == nil) }
    for name in ["late", "missed", "interrupted"] {
      #expect(try Self.value(name, stage.rows) != nil, "\(name)")
    }
    stage.resize(columns: 200, rows: 40)
    stage.frame()
    #expect(try Self.value("lost", stage.rows) == "0")
  }

  @Test("any width is drawn, and a run without receipts shows how many were accepted")
  func widths() throws {
    var snapshot = Self.troubled(Set(Self.states))
    snapshot.runs[1].counts[.accepted] = 6_666
    var stage = try Stage(columns: 80, rows: 24, motion: .none, snapshot: snapshot)
    stage.press("4")
    for columns in 60...210 {
      stage.resize(columns: columns, rows: 24)
      stage.frame()
      #expect(try Self.value("accepted", stage.rows) == "6666", "\(columns)")
    }
  }

  @Test("messages in the last line go after a while and leave nothing due")
  func messages() throws {
    var stage = try Stage()
    stage.frames(40)
    stage.screen.say("saved to \u{1B}x")
    stage.frame()
    #expect(stage.rows.last?.contains("saved to ␛x") == true)
    #expect(stage.screen.nextDeadline != nil)
    stage.wait(.seconds(4))
    #expect(stage.rows.last?.contains("saved") == false && stage.screen.nextDeadline == nil)
  }
}
