import Analysis
import ConstraintAnimation
import Measurement
import Testing

@testable import TUI

private func timeProblem(of text: String) -> String? {
  let now = SampleRun.start.advanced(byMicroseconds: 3_600_000_000)
  do throws(TimeInput.Problem) {
    _ = try TimeInput(now: now, start: SampleRun.start, shown: now, zone: .utc).moment(text)
    return nil
  } catch {
    return error.text
  }
}

@Suite("Commands with arguments")
struct PaletteArgumentTests {
  private static func entries(_ text: String) -> [PaletteEntry] {
    PaletteArguments(
      themes: ["dark", "light", "colour-blind"], targets: ["apns", "fcm", "fcm-web"],
      timeProblem: timeProblem(of:)
    ).entries(for: text, in: .standard)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let command: Command?

    var testDescription: String { text }
  }

  static let rows = [
    Row(text: "threshold 800ms", command: .typed(.threshold(800_000))),
    Row(text: "threshold 1.5 s", command: .typed(.threshold(1_500_000))),
    Row(text: "Threshold off", command: .typed(.threshold(nil))),
    Row(text: "threshold 800mss", command: nil),
    Row(text: "threshold -5s", command: nil), Row(text: "threshold 0s", command: nil),
    Row(text: "theme light", command: .typed(.theme("light"))),
    Row(text: "theme blind", command: .typed(.theme("colour-blind"))),
    Row(text: "theme pink", command: nil),
    Row(text: "target fcm", command: .typed(.target(1))),
    Row(text: "target web", command: .typed(.target(2))),
    Row(text: "target all", command: .typed(.target(nil))), Row(text: "target sms", command: nil),
    Row(text: "go 14:05", command: .typed(.goTo("14:05"))),
    Row(text: "go to -10m", command: .typed(.goTo("-10m"))),
    Row(text: "go-to start", command: .typed(.goTo("start"))),
    Row(text: "go 25:00", command: nil),
    Row(text: "go to yesterday", command: nil),
    Row(text: "filter !debug", command: .typed(.filter("!debug"))),
    Row(text: "filter level:foo", command: nil), Row(text: "only kind:", command: nil),
    Row(text: "color by network", command: .typed(.color(.key(.context(.network))))),
    Row(text: "colour hour", command: .typed(.color(.key(.hour)))),
    Row(text: "color by target", command: .typed(.color(.target))),
    Row(text: "Colors by state", command: .typed(.color(.state))),
    Row(text: "color by label:Region", command: .typed(.color(.key(.label("Region"))))),
    Row(text: "network", command: .typed(.color(.key(.context(.network))))),
    Row(text: "color by speed", command: nil), Row(text: "color by label:", command: nil),
  ]

  @Test("become commands, and what cannot be one is said", arguments: rows)
  func table(_ row: Row) throws {
    let entry = try #require(Self.entries(row.text).first)
    #expect(entry.command == row.command && !entry.title.isEmpty)
  }

  @Test("without an argument the words find commands, by names and by plain words")
  func words() {
    func first(_ text: String) -> Command? { Self.entries(text).first?.command }
    #expect(first("threshold") == .toggleThreshold && first("exit") == .quit)
    #expect(first("go-to") == .goTo && first("search") == .filter && first("undo") == .back)
    #expect(Self.entries("xyzzy 12").isEmpty)
    let colors = [
      "color by target", "color by state", "color by hour", "color by network", "color by payload",
    ]
    for text in ["", "color", "color by "] {
      let titles = Self.entries(text).map(\.title)
      #expect(colors.allSatisfy(titles.contains), "\(text)")
      #expect(Set(titles).count == titles.count)
    }
  }

  @Test("what is typed is done; a mistake stays where it can be mended")
  func typed() throws {
    var stage = try Stage(motion: .none, snapshot: SampleRun(targets: ["apns", "fcm"]).snapshot)
    func enter(_ text: String, _ stage: inout Stage) {
      stage.press(":")
      for character in text { stage.press(character) }
      stage.press(.enter)
    }
    enter("threshold 800ms", &stage)
    #expect(stage.screen.state.plot.threshold == 800_000 && stage.screen.overlay == nil)
    enter("target fcm", &stage)
    #expect(stage.screen.state.target == 1)
    enter("theme light", &stage)
    #expect(stage.screen.appearance.theme == .light)
    enter("go 14:03", &stage)
    #expect(stage.screen.state.anchor != .edge)
    enter("threshold soon", &stage)
    stage.frame()
    #expect(stage.text.contains("soon is not a latency") && stage.screen.overlay != nil)
    stage.press(.escape)
    for (text, words) in [
      ("go 99:99", "99:99 is not a time"), ("go 09:00", "the run goes from"),
      ("filter level:loud", "loud is not a level"),
    ] {
      enter(text, &stage)
      stage.frame()
      #expect(stage.text.contains(words) && stage.text.contains("> \(text)"), "\(text)")
      stage.press(.escape)
    }
    #expect(stage.screen.state.lists.filter == nil)
  }

  @Test("titles keep two blanks from their keys, further keys are shown where they fit, problems are not cut")
  func shownWhole() throws {
    func shown(_ text: String, columns: Int) throws -> Stage {
      var stage = try Stage(columns: columns, rows: 24, motion: .none)
      stage.press(":")
      for character in text { stage.press(character) }
      stage.frame()
      return stage
    }
    #expect(try shown("back view", columns: 60).text.contains("…  Backspace"))
    #expect(try shown("back view", columns: 120).text.contains("zoom, place, selection    Backspace"))
    let lines = try shown("one line up", columns: 120).rows
    #expect(lines.contains { $0.contains("one line up") && $0.contains("  ↑ k") })
    let refused = try shown("threshold 800", columns: 60)
    #expect(refused.text.contains("> 800 is not a latency") && refused.text.contains("or off"))
    let far = try shown("go 25:00", columns: 60)
    #expect(far.text.contains("> 25:00 is not a time") && far.text.contains("again)"))
  }

  @Test("Backspace goes back through zoom, place, target and selection; a drag is one step")
  func back() throws {
    var stage = try Stage(motion: .none, snapshot: SampleRun(targets: ["apns", "fcm"]).snapshot)
    let first = try #require(stage.screen.context.content?.window)
    stage.press("+")
    stage.wait(.seconds(2))
    stage.press("t")
    stage.wait(.seconds(2))
    stage.press(.left)
    stage.press(.left)
    stage.press(.left)
    stage.wait(.seconds(2))
    stage.press(.backspace)
    #expect(stage.screen.state.anchor == .edge && stage.screen.state.target == 0)
    stage.press(.backspace)
    #expect(stage.screen.state.target == nil && stage.screen.context.content?.window.scale != first.scale)
    stage.press(.backspace)
    #expect(stage.screen.context.content?.window.scale == first.scale)
    stage.press(.backspace)
    stage.frame()
    #expect(stage.rows.last?.contains("no view before") == true)
  }

  @Test("the last line names the keys that end what the plot shows, and Escape ends it")
  func plotModes() throws {
    var stage = try Stage(
      columns: 200, motion: .none, snapshot: SampleRun(targets: ["apns", "fcm"]).snapshot)
    let rows: [(keys: String, words: String)] = [
      ("c", "t next target  c end comparison"), ("H", "H minutes"), ("HH", "H no heat map"),
      ("M", "M one pane"), ("B", "B dots"), ("B", "B what fits"), ("Br", "Space pause"),
    ]
    for (keys, words) in rows {
      for key in keys { stage.press(key) }
      stage.wait(.seconds(5))
      let last = stage.rows.last ?? ""
      #expect(last.contains(words), "\(keys): \(last)")
      #expect(last.contains("b buckets") != (keys == "c" || keys == "Br"), "\(keys): \(last)")
      stage.press(.escape)
      let state = stage.screen.state
      #expect(state.comparison == nil && !state.plot.view.isHeatMap && !state.plot.hasMultiples)
      #expect(state.replay == nil && stage.effects.isEmpty)
    }
  }

  @Test("the last line names the keys of the panel and of the mode")
  func footer() throws {
    var stage = try Stage(columns: 200, motion: .none, snapshot: RunsPanelTests.snapshot(3))
    let rows: [(String, String)] = [
      ("1", "b buckets"), ("2", "/ filter"), ("4", "Enter open"), ("5", "Enter alone"),
      ("6", "Enter go there"),
      ("i", ", . next one"), ("z", "Z zoom to it"),
    ]
    for (key, words) in rows {
      for character in key { stage.press(character) }
      stage.wait(.seconds(5))
      #expect(stage.rows.last?.contains(words) == true, "\(key): \(stage.rows.last ?? "")")
    }
    stage.press(.escape)
    stage.press(.escape)
    stage.press("r")
    stage.frame()
    #expect(stage.rows.last?.contains("Space pause") == true)
  }
}
