import ConstraintAnimation
import Measurement
import Store
import StoreTestKit
import Terminal
import TestKit
import Testing

@testable import TUI

@Suite("Reading log and events")
struct ListReadingTests {
  private static func line(_ number: Int64, at second: Int64, _ message: String) -> ListEntry<LogLine> {
    ListEntry(
      revision: number,
      row: LogLine(
        at: SampleRun.start.advanced(byMicroseconds: second * 1_000_000), level: .info, label: "transport",
        message: message))
  }

  /// The revision of the last line in view; `nil` at the end.
  private static func last(_ stage: Stage) -> Int64? {
    if case .at(let place) = stage.screen.state.lists.log { place.revision } else { nil }
  }

  /// 3 000 s, a line every ten.
  private static func long() -> Snapshot {
    var snapshot = SampleRun(seconds: 3_000, rate: 1).snapshot
    let words = ["connected", "answered", "closed"]
    snapshot.log = (0..<300).map { place in
      line(place + 1, at: place * 10, "\(words[Int(place) % 3]) \(place)")
    }
    return snapshot
  }

  @Test("a list that follows ends where the window ends that is looked at, and follows the newest again")
  func window() throws {
    var stage = try Stage(motion: .none, snapshot: Self.long())
    stage.press("2")
    stage.frame()
    #expect(stage.text.contains("closed 299") && stage.text.contains("following"))
    stage.press(":")
    for character in "go 14:20" { stage.press(character) }
    stage.press(.enter)
    stage.frame()
    let window = try #require(stage.screen.context.content?.window)
    #expect(stage.screen.order.lists.log == .until(window.end) && stage.screen.state.lists.log == .end)
    let last = (window.end.microseconds - 1 - SampleRun.start.microseconds) / 10_000_000
    #expect(stage.text.contains(" \(last)\n") || stage.text.contains(" \(last) "), "\(last)")
    #expect(!stage.text.contains("closed 299") && stage.text.contains("until 14:"))
    // Scrolled, the list stays where it is, from where it was.
    stage.press(.up)
    #expect(Self.last(stage) == last)
    stage.press(.end)
    #expect(stage.screen.state.lists.log == .end)
    stage.press("f")
    stage.frame()
    #expect(stage.text.contains("closed 299") && stage.screen.order.lists.log == .newest)
  }

  /// 38 lines that differ in their numbers only, between two others.
  static var flood: [ListEntry<LogLine>] {
    [line(1, at: 1, "first")] + (2..<40).map { line($0, at: $0, "answer \($0) in 1.\($0) ms") }
      + [line(50, at: 50, "last")]
  }

  @Test("floods of one kind are one line with their count, and a key lists each")
  func floods() throws {
    var snapshot = SampleRun().snapshot
    let target = snapshot.targets[0].id
    snapshot.log = Self.flood
    snapshot.events = (1...9).map { number in
      ListEntry(
        revision: number,
        row: Event(
          at: SampleRun.start.advanced(byMicroseconds: number * 1_000_000), kind: .lost, target: target,
          sequence: number * 3, detail: "no receipt within 6 s"))
    }
    var stage = try Stage(motion: .none, snapshot: snapshot)
    stage.press("2")
    stage.frame()
    #expect(stage.screen.context.listed.log.map(\.revision) == [1, 39, 50])
    #expect(stage.text.contains("38× since 14:02:02"))
    stage.press("3")
    stage.press("J")
    stage.frame()
    #expect(stage.text.contains("9× since 14:02:01"))
    #expect(stage.screen.state.plot.selection?.sequences[target] == (1...9).map { $0 * 3 })
    stage.press("E")
    stage.frame()
    #expect(stage.screen.context.listed.events.count == 9 && !stage.text.contains("9× since"))
    stage.press("E")
    #expect(stage.screen.context.listed.events.count == 1)
  }

  @Test("annotations are listed each by itself, because each says something else")
  func annotations() {
    var snapshot = SampleRun().snapshot
    snapshot.events = (1...7).map { number in
      ListEntry(
        revision: number,
        row: Event(
          at: SampleRun.start.advanced(byMicroseconds: number * 1_000_000), kind: .annotation,
          detail: "deploy \(number)"))
    }
    #expect(ListedRows(snapshot).events.count == 7 && ListedRows(snapshot).eventFolds.isEmpty)
  }

  @Test("four lines of one kind, or five of different targets, are no flood")
  func noFlood() {
    var snapshot = SampleRun(targets: ["a", "b"]).snapshot
    snapshot.events = (1...8).map { number in
      ListEntry(
        revision: number,
        row: Event(
          at: SampleRun.start, kind: .lost, target: snapshot.targets[number <= 4 ? 0 : 1].id, sequence: number
        ))
    }
    #expect(ListedRows(snapshot).events.count == 8)
    snapshot.events = snapshot.events.map { entry in
      var entry = entry
      entry.row.target = snapshot.targets[0].id
      return entry
    }
    #expect(ListedRows(snapshot).events.map(\.revision) == [8])
    #expect(ListedRows(snapshot).eventFolds.values.map(\.count) == [8])
  }

  @Test("n and N go through the hits, in the list of hits and in that of all lines")
  func hits() throws {
    var stage = try Stage(motion: .none, snapshot: Self.long())
    func chosen(_ stage: Stage) -> Int64? { stage.screen.state.plot.chosenLogLine?.revision }
    stage.press("n")
    stage.frame()
    #expect(stage.rows.last?.contains("no words are looked for") == true)
    stage.press("/")
    for character in "closed" { stage.press(character) }
    stage.press(.enter)
    stage.press("N")
    #expect(chosen(stage) == 300)
    stage.press("N")
    #expect(chosen(stage) == 297)
    stage.press("n")
    #expect(chosen(stage) == 300)
    stage.press("n")
    stage.frame()
    #expect(chosen(stage) == 300 && stage.rows.last?.contains("no hit after this one") == true)
    stage.press("&")
    #expect(stage.screen.context.listed.log.count == 300)
    stage.press("N")
    #expect(chosen(stage) == 297)
    for _ in 0..<60 { stage.press("N") }
    #expect(chosen(stage) == 117)
    stage.frame()
    #expect(stage.text.contains("closed 116"))
  }

  private static func filter(_ words: String, in stage: inout Stage) {
    stage.press("/")
    stage.press(.character("u"), .control)
    for character in words { stage.press(character) }
    stage.press(.enter)
    stage.frame()
  }

  @Test("& lists all lines with the chosen one where it was and says so; another filter filters again")
  func allLines() throws {
    var stage = try Stage(motion: .none, snapshot: Self.long())
    Self.filter("closed", in: &stage)
    for _ in 0..<8 { stage.press("N") }
    stage.frame()
    #expect(stage.screen.state.plot.chosenLogLine?.revision == 279 && stage.text.contains("only closed"))
    let row = try #require(stage.rows.firstIndex { $0.contains("closed 278") })
    stage.press("&")
    stage.frame()
    #expect(stage.rows.firstIndex { $0.contains("closed 278") } == row)
    #expect(stage.rows[row - 1].contains("answered 277") && stage.text.contains("all, marked: closed"))
    #expect(!stage.text.contains("only closed") && Self.last(stage) == 286)
    stage.press("&")
    stage.frame()
    #expect(stage.text.contains("closed 278") && stage.text.contains("only closed"))
    stage.press("&")
    Self.filter("answered", in: &stage)
    #expect(stage.screen.context.listed.log.count == 100 && stage.text.contains("only answered"))
  }

  @Test("a filter keeps the place in the past, n begins with the lines that were in view, Escape comes back")
  func filteredPlace() throws {
    var stage = try Stage(motion: .none, snapshot: Self.long())
    func lines(_ stage: Stage) -> [String] {
      let frame = stage.screen.context.panelFrame
      return Array(stage.rows[frame.y0..<frame.y1])
    }
    stage.press("2")
    for _ in 0..<6 { stage.press(.pageUp) }
    stage.frame()
    let before = lines(stage)
    let last = try #require(Self.last(stage))
    let first = last - Int64(stage.screen.context.panelFrame.height - 1) + 1
    Self.filter("closed", in: &stage)
    let hits = stage.screen.context.listed.log.map(\.revision)
    let nearest = try #require(hits.last { $0 <= last })
    let next = try #require(hits.first { $0 >= first })
    #expect(lines(stage).contains { $0.contains("closed \(nearest - 1) ") })
    stage.press("n")
    #expect(stage.screen.state.plot.chosenLogLine?.revision == next)
    for _ in 0..<9 { stage.press("N") }
    stage.press(.escape)
    #expect(stage.screen.state.plot.selection == nil && stage.screen.state.lists.filter != nil)
    stage.press(.escape)
    stage.frame()
    #expect(stage.screen.state.lists.filter == nil && lines(stage) == before)
    // The first one before is the nearest, too.
    Self.filter("closed", in: &stage)
    stage.press("N")
    #expect(stage.screen.state.plot.chosenLogLine?.revision == nearest)
  }

  @Test("S puts the newest line first, and the keys go where they point; again the oldest")
  func newestFirst() throws {
    var stage = try Stage(motion: .none, snapshot: Self.long())
    func chosen(_ stage: Stage) -> Int64? { stage.screen.state.plot.chosenLogLine?.revision }
    func first(_ stage: Stage) -> String { stage.rows[stage.screen.context.panelFrame.y0 + 1] }
    stage.press("2")
    stage.press("S")
    stage.frame()
    #expect(stage.rows.last?.contains("newest first") == true && first(stage).contains("closed 299"))
    #expect(stage.text.contains("newest first") && stage.text.contains("following"))
    stage.press(.down)
    stage.frame()
    #expect(first(stage).contains("answered 298") && stage.text.contains(" 2–"))
    stage.press(.end)
    stage.frame()
    #expect(stage.text.contains("connected 0") && stage.text.contains("–300 of 300"))
    stage.press(.home)
    #expect(stage.screen.state.lists.log == .end)
    stage.press("J")
    #expect(chosen(stage) == 300)
    stage.press("J")
    #expect(chosen(stage) == 299)
    stage.press("K")
    #expect(chosen(stage) == 300)
    let panel = stage.screen.context.panelFrame
    for kind: InputEvent.Kind in [.mouseDown, .mouseUp] {
      stage.mouse(kind, x: panel.x0 + 6, y: panel.y0 + 3)
    }
    #expect(chosen(stage) == 298)
    stage.press("/")
    for character in "closed" { stage.press(character) }
    stage.press(.enter)
    stage.press("n")
    #expect(chosen(stage) == 297)
    stage.press("N")
    #expect(chosen(stage) == 300)
    // Each panel has an order of its own.
    stage.press("3")
    stage.frame()
    #expect(!stage.screen.state.tables.isNewestFirst(.events))
    stage.press("2")
    stage.press("S")
    stage.frame()
    #expect(
      stage.rows.last?.contains("oldest first") == true && !stage.screen.state.tables.isNewestFirst(.log))
  }

  @Test("C chooses the columns of log and events")
  func columns() throws {
    var stage = try Stage(columns: 160, motion: .none, snapshot: SampleRun(targets: ["ios", "web"]).snapshot)
    stage.press("2")
    stage.frame()
    #expect(stage.text.contains(" ios "))
    stage.press("C")
    stage.frame()
    for title in ["time", "level", "component", "target", "message"] {
      #expect(stage.text.contains("[x] \(title)"), "\(title)")
    }
    stage.press(" ")
    stage.press("q")
    stage.frame()
    let frame = stage.screen.context.panelFrame
    let lines = stage.rows[frame.y0 + 1..<frame.y1].joined(separator: "\n")
    #expect(!lines.contains("14:0") && lines.contains("debug"), "\(lines)")
    stage.press("3")
    stage.frame()
    #expect(stage.text.contains("connection") && stage.text.contains("sequence"))
    stage.press("C")
    for _ in 0..<3 { stage.press(.down) }
    stage.press(.enter)
    stage.press("q")
    stage.frame()
    let heading = stage.rows[stage.screen.context.panelFrame.y0 + 1]
    #expect(!heading.contains("connection") && heading.contains("time") && heading.contains("sequence"))
  }

  @Test(
    "a search goes on in lines that are not in memory, one page after the other, and comes back without a hit"
  )
  func farHits() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let start = fixture.sample(1).plannedAt
    let lines = (0..<21_000).map { number in
      LogLine(
        at: start.advanced(byMicroseconds: Int64(number) * 1_000), level: .info, label: "transport",
        message: number == 500 || number == 20_990 ? "a needle \(number)" : "hay \(number)")
    }
    for part in stride(from: 0, to: lines.count, by: 3_000) {
      try fixture.commit(
        inserted: part == 0 ? [fixture.delivered(1)] : [], log: Array(lines[part..<part + 3_000]))
    }
    var source = SnapshotSource(
      place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID)
    var stage = try Stage(motion: .none, snapshot: nil)
    var pages = 0
    func read(_ stage: inout Stage) {
      for _ in 0..<40 {
        source.show(stage.screen.order.lists)
        fixture.clock.advance(by: .milliseconds(50))
        if let snapshot = source.poll(stage.screen.order.request) {
          pages += 1
          stage.show(snapshot)
        }
      }
    }
    read(&stage)
    stage.press("2")
    stage.press("/")
    for character in "needle" { stage.press(character) }
    stage.press(.enter)
    read(&stage)
    #expect(stage.screen.context.listed.log.count == 1)
    stage.press("N")
    let last = try #require(stage.screen.state.plot.chosenLogLine)
    stage.press("N")
    stage.frame()
    #expect(stage.screen.state.lists.search != nil && stage.rows.last?.contains("searching") == true)
    pages = 0
    read(&stage)
    let first = try #require(stage.screen.state.plot.chosenLogLine)
    #expect(first < last && stage.screen.state.lists.search == nil && pages > 3)
    #expect(stage.text.contains("needle 500"))
    stage.press("N")
    read(&stage)
    stage.frame()
    #expect(
      stage.screen.state.plot.chosenLogLine == first && stage.rows.last?.contains("no hit before") == true)
    stage.press("n")
    read(&stage)
    #expect(stage.screen.state.plot.chosenLogLine == last && stage.text.contains("needle 20990"))
    // Any other key ends a search, and the list is where it was.
    stage.press("N")
    stage.press("l")
    #expect(stage.screen.state.lists.search == nil)
    read(&stage)
    #expect(stage.screen.state.plot.chosenLogLine == last)
  }

  @Test("a long line is opened in full, its neighbors by the arrows, and copied as text")
  func wholeLine() throws {
    var snapshot = Self.long()
    let text = (1...40).map { "word\($0)" }.joined(separator: " ") + " \u{1B}[31mend"
    snapshot.log.append(Self.line(301, at: 2_995, text))
    var stage = try Stage(columns: 80, rows: 24, motion: .none, snapshot: snapshot)
    stage.press("2")
    stage.press("W")
    stage.frame()
    #expect(
      stage.screen.overlay is LineSheet && stage.text.contains("word40") && stage.text.contains("␛[31mend"))
    stage.press("Y")
    guard case .copy(let copied)? = stage.effects.last else {
      Issue.record("nothing was copied")
      return
    }
    #expect(copied.contains("word1 word2") && copied.contains("word40") && !copied.contains("\u{1B}"))
    stage.press(.up)
    stage.frame()
    #expect(stage.text.contains("message") && !stage.text.contains("word40"))
    stage.press("q")
    #expect(stage.screen.overlay == nil && stage.effects.count == 1)
  }
}
