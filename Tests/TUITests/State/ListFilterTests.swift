import ConstraintAnimation
import Measurement
import Testing

@testable import TUI

@Suite("Only lines with some words")
struct ListFilterTests {
  private static func line(_ message: String, level: LogLine.Level = .info) -> LogLine {
    LogLine(at: WallTime(microseconds: 0), level: level, label: "transport", message: message)
  }

  @Test(
    "all words must be there, in any order and in any field, whatever the case of ASCII letters",
    arguments: [
      ("goaway", true), ("GOAWAY 7", true), ("7 transport", true), ("warning goaway", true),
      ("goaway 8", false),
      ("info", false), ("größe", true), ("wayg", false),
    ])
  func words(text: String, isListed: Bool) throws {
    let filter = try #require(ListFilter(text))
    #expect(filter.matches(Self.line("connection 7: GoAway, größe 0", level: .warning)) == isListed)
  }

  @Test(
    "a word may be left out, or looked for in one field",
    arguments: [
      ("!goaway", false), ("!token goaway", true), ("level:warning", true), ("level:error", false),
      ("!level:error", true), ("kind:transport", true), ("kind:goaway", false), ("target:ios", true),
      ("target:android", false), ("!target:android warning", true), ("!", false), ("LEVEL:INFO", true),
    ])
  func fields(text: String, isListed: Bool) throws {
    let filter = try #require(ListFilter(text))
    let line = Self.line("connection 7: GoAway", level: .warning)
    #expect(filter.matches(line, target: "ios") == isListed)
  }

  @Test("events have kinds, and a level by what they report")
  func eventFields() throws {
    let event = Event(at: WallTime(microseconds: 0), kind: .lost, sequence: 84, detail: "no receipt")
    for (text, isListed) in [
      ("kind:lost", true), ("kind:late", false), ("!kind:lost", false), ("level:error", true), ("84", true),
    ] {
      #expect(try #require(ListFilter(text)).matches(event, target: "ios") == isListed, "\(text)")
    }
  }

  @Test("a level that there is not is said")
  func problem() throws {
    #expect(ListFilter.problem(in: "level:loud")?.contains("debug, info, notice, warning, error") == true)
    #expect(ListFilter.problem(in: "!level:loud x") != nil && ListFilter.problem(in: "level:error y") == nil)
    var stage = try Stage(motion: .none)
    stage.press("/")
    for character in "level:loud" { stage.press(character) }
    stage.press(.enter)
    stage.frame()
    #expect(stage.text.contains("loud is not a level") && stage.screen.state.lists.filter == nil)
  }

  @Test(
    "a word that no line can have is said",
    arguments: [
      ("kind:", "kind: needs a word"), ("x !target:", "target: needs a word"),
      ("!", "! stands before a word"), ("kind:!lost", "as in !kind:lost"),
      ("level:!debug", "as in !level:debug"), ("LEVEL:", "nothing is not a level"),
      ("kind:lost !debug target:ios", nil), ("what! a:b", nil), ("", nil),
    ] as [(String, String?)])
  func impossible(text: String, words: String?) {
    let problem = ListFilter.problem(in: text)
    if let words { #expect(problem?.contains(words) == true) } else { #expect(problem == nil) }
  }

  @Test("no words are no filter", arguments: ["", "   "])
  func nothing(text: String) { #expect(ListFilter(text) == nil) }

  @Test("the panels list what passes, scroll within it, and say what the words are")
  func panels() throws {
    var snapshot = SampleRun().snapshot
    let first = try #require(snapshot.log.last)
    snapshot.log = (1...300).map { number in
      ListEntry(
        revision: first.revision + Int64(number),
        row: Self.line(number.isMultiple(of: 10) ? "token \(number) refreshed" : "answer \(number)"))
    }
    var stage = try Stage(snapshot: snapshot)
    stage.press("/")
    for character in "REFRESHED token" { stage.press(character) }
    stage.press(.enter)
    stage.wait(.seconds(1))
    #expect(stage.screen.state.panel == .log)
    #expect(stage.text.contains("only REFRESHED token") && stage.text.contains("token 300 refreshed"))
    #expect(stage.text.contains("30, following") && !stage.text.contains("answer"))
    stage.press(.home)
    stage.frame()
    #expect(stage.text.contains("token 10 refreshed") && !stage.text.contains("token 300 refreshed"))
    stage.press("/")
    stage.press(.character("u"), .control)
    for character in "nowhere" { stage.press(character) }
    stage.press(.enter)
    stage.frame()
    #expect(stage.text.contains("no line has these words"))
    stage.press(.escape)
    stage.frame()
    #expect(stage.screen.state.lists.filter == nil && stage.text.contains("answer 299"))
  }
}
