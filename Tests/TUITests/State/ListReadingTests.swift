import ConstraintAnimation
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("Reading log and events")
struct ListReadingTests {
  private static func line(_ number: Int64, at second: Int64, _ message: String) -> ListEntry<LogLine> {
    ListEntry(
      number: number,
      row: LogLine(
        at: SampleRun.start.advanced(byMicroseconds: second * 1_000_000), level: .info, label: "transport",
        message: message))
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
    #expect(stage.screen.order.lists.log == .until(window.end) && stage.screen.state.logPosition == .end)
    let last = (window.end.microseconds - 1 - SampleRun.start.microseconds) / 10_000_000
    #expect(stage.text.contains(" \(last)\n") || stage.text.contains(" \(last) "), "\(last)")
    #expect(!stage.text.contains("closed 299") && stage.text.contains("until 14:"))
    // Scrolled, the list stays where it is, from where it was.
    stage.press(.up)
    guard case .at(let number) = stage.screen.state.logPosition else {
      Issue.record("the list did not move")
      return
    }
    #expect(number == last)
    stage.press(.end)
    #expect(stage.screen.state.logPosition == .end)
    stage.press("f")
    stage.frame()
    #expect(stage.text.contains("closed 299") && stage.screen.order.lists.log == .newest)
  }

  @Test("floods of one kind are one line with their count, and a key lists each")
  func floods() throws {
    var snapshot = SampleRun().snapshot
    let target = snapshot.targets[0].id
    snapshot.log =
      [Self.line(1, at: 1, "first")] + (2..<40).map { Self.line($0, at: $0, "answer \($0) in 1.\($0) ms") }
      + [Self.line(50, at: 50, "last")]
    snapshot.events = (1...9).map { number in
      ListEntry(
        number: number,
        row: Event(
          at: SampleRun.start.advanced(byMicroseconds: number * 1_000_000), kind: .lost, target: target,
          sequence: number * 3, detail: "no receipt within 6 s"))
    }
    var stage = try Stage(motion: .none, snapshot: snapshot)
    stage.press("2")
    stage.frame()
    #expect(stage.screen.context.listed.log.map(\.number) == [1, 39, 50])
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

  @Test("four lines of one kind, or five of different targets, are no flood")
  func noFlood() {
    var snapshot = SampleRun(targets: ["a", "b"]).snapshot
    snapshot.events = (1...8).map { number in
      ListEntry(
        number: number,
        row: Event(
          at: SampleRun.start, kind: .lost, target: snapshot.targets[number <= 4 ? 0 : 1].id, sequence: number
        ))
    }
    #expect(ListedRows(snapshot, nil).events.count == 8)
    snapshot.events = snapshot.events.map { entry in
      var entry = entry
      entry.row.target = snapshot.targets[0].id
      return entry
    }
    #expect(ListedRows(snapshot, nil).events.map(\.number) == [8])
    #expect(ListedRows(snapshot, nil).eventFolds[8]?.count == 8)
  }

  @Test("n and N go through the hits, in the list of hits and in that of all lines")
  func hits() throws {
    var stage = try Stage(motion: .none, snapshot: Self.long())
    func chosen(_ stage: Stage) -> Int64? { stage.screen.state.plot.chosenLogLine }
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

  @Test("a long line is opened in full, its neighbors by the arrows, and copied as text")
  func wholeLine() throws {
    var snapshot = Self.long()
    let text = (1...40).map { "word\($0)" }.joined(separator: " ") + " \u{1B}[31mend"
    snapshot.log.append(Self.line(301, at: 2_995, text))
    var stage = try Stage(columns: 80, rows: 24, motion: .none, snapshot: snapshot)
    stage.press("2")
    stage.press("W")
    stage.frame()
    #expect(stage.screen.overlay == .line && stage.text.contains("word40") && stage.text.contains("␛[31mend"))
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
