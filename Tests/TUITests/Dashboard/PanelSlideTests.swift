import ConstraintAnimation
import Measurement
import Terminal
import Testing

@testable import TUI

@Suite("Panels slide")
struct PanelSlideTests {
  /// Where the outgoing and the incoming panel are on each frame of a slide.
  private static func slide(
    _ stage: inout Stage, _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers = [], from: Panel,
    to: Panel
  ) throws -> [(out: CellRect, in: CellRect)] {
    let out = try #require(stage.page(from))
    let incoming = try #require(stage.page(to))
    stage.press(key, modifiers)
    var places: [(CellRect, CellRect)] = []
    for _ in 0..<16 {
      stage.frame()
      if !out.isHidden { places.append((out.cellFrame, incoming.cellFrame)) }
    }
    return places
  }

  @Test("for a quarter of a second, both together, in the direction of the tabs")
  func direction() throws {
    for (key, from, to) in [
      ("3", Panel.histogram, Panel.events), ("2", .events, .log), ("1", .log, .histogram),
      ("2", .histogram, .log),
      ("3", .log, .events), ("1", .events, .histogram),
    ] as [(Character, Panel, Panel)] {
      var stage = try Stage()
      stage.press(.character(Character("\(from.rawValue + 1)")))
      stage.frames(20)
      let host = stage.screen.context.panelFrame
      let places = try Self.slide(&stage, .character(key), from: from, to: to)
      // 15 frames of 1/60 s; on the last the old panel is gone.
      #expect(places.count == 14)
      let isLeftwards = from.rawValue < to.rawValue
      for place in places {
        #expect(isLeftwards ? place.out.x1 == place.in.x0 : place.in.x1 == place.out.x0)
        #expect(place.out.y0 == host.y0 && place.in.y0 == host.y0)
        #expect(place.out.width == host.width && place.in.width == host.width)
      }
      #expect(zip(places, places.dropFirst()).allSatisfy { isLeftwards == ($1.out.x0 <= $0.out.x0) })
      #expect(stage.page(to)?.cellFrame == host)
      #expect(stage.screen.context.activePanel == to)
    }
  }

  @Test("and nothing else moves", arguments: [(80, 24), (120, 40), (200, 60)])
  func plotStandsStill(size: (Int, Int)) throws {
    var stage = try Stage(columns: size.0, rows: size.1)
    let host = stage.screen.context.panelFrame
    let above = CellRect(x0: 0, y0: 1, x1: size.0, y1: host.y0)
    let left = CellRect(x0: 0, y0: host.y0, x1: 1, y1: size.1)
    let right = CellRect(x0: size.0 - 1, y0: host.y0, x1: size.0, y1: size.1)
    let footer = CellRect(x0: 0, y0: size.1 - 1, x1: size.0, y1: size.1)
    let before = stage.cells(in: above, left, right)
    let panel = stage.cells(in: host)
    for key: Character in ["2", "3", "1"] {
      stage.press(key)
      var differed = 0
      stage.frame()
      // The keys of the panel that comes are there from the first frame on.
      let hints = stage.cells(in: footer)
      for _ in 0..<20 {
        stage.frame()
        #expect(stage.cells(in: above, left, right) == before && stage.cells(in: footer) == hints)
        if stage.cells(in: host) != panel { differed += 1 }
      }
      #expect(differed > 10)
    }
    #expect(stage.cells(in: host) == panel)
  }

  @Test("halfway both are shifted by half the width")
  func halfway() throws {
    var stage = try Stage()
    let host = stage.screen.context.panelFrame
    stage.press("2")
    stage.wait(.milliseconds(125))
    #expect(stage.page(.histogram)?.cellFrame.x1 == host.x0 + host.width / 2)
    #expect(stage.page(.log)?.cellFrame.x0 == host.x0 + host.width / 2)
  }

  @Test("Tab goes round, Shift-Tab the other way, and the panel that is shown stays when it is chosen again")
  func tabs() throws {
    var stage = try Stage()
    var seen: [Panel] = []
    for _ in 0..<6 {
      stage.press(.tab)
      stage.frames(20)
      seen.append(stage.screen.context.activePanel)
    }
    #expect(seen == [.log, .events, .runs, .targets, .findings, .histogram])
    stage.press(.backTab)
    stage.frames(20)
    #expect(stage.screen.context.activePanel == .findings)
    stage.press("1")
    stage.frames(20)
    #expect(stage.screen.context.activePanel == .histogram)
    stage.press("1")
    #expect(stage.frame().isEmpty)
    #expect(stage.screen.nextDeadline == nil)
  }

  @Test("a click on a tab does what its number does, and the tab says which panel is shown once it rests")
  func clicks() throws {
    var stage = try Stage()
    let tab = try #require(stage.view("tab Events")).cellFrame
    stage.mouse(.mouseDown, x: tab.x0 + 2, y: 0)
    stage.mouse(.mouseUp, x: tab.x0 + 2, y: 0)
    stage.frame()
    #expect(stage.screen.context.activePanel == .events)
    #expect(stage.rows[0].contains("[1 Histogram]"))
    stage.frames(20)
    #expect(stage.rows[0].contains(" 1 Histogram ") && stage.rows[0].contains("[3 Events]"))
  }

  @Test("whatever is pressed whenever, exactly the panel chosen last is left, in its place")
  func fuzz() throws {
    var generator = SeededGenerator(seed: 77)
    var stage = try Stage(columns: 90, rows: 30)
    for round in 0..<150 {
      for _ in 0..<Int.random(in: 1...5, using: &generator) {
        let keys: [InputEvent.Key] = [
          .character("1"), .character("2"), .character("3"), .character("4"), .character("5"),
          .character("6"), .tab, .backTab,
        ]
        stage.press(keys.randomElement(using: &generator) ?? .tab)
        stage.frames(Int.random(in: 0...9, using: &generator))
        if round % 3 == 0 {
          stage.resize(
            columns: Int.random(in: 60...140, using: &generator),
            rows: Int.random(in: 16...50, using: &generator))
        }
      }
      stage.frames(20)
      let host = stage.screen.context.panelFrame
      for panel in Panel.allCases {
        let page = try #require(stage.page(panel))
        #expect(page.isHidden == (panel != stage.screen.context.activePanel))
        if !page.isHidden { #expect(page.cellFrame == host) }
      }
      #expect(stage.screen.state.panel == stage.screen.context.activePanel)
    }
  }

  @Test("a second choice turns the motion round from where it is")
  func turnsRound() throws {
    var stage = try Stage()
    let page = try #require(stage.page(.histogram))
    stage.press("2")
    stage.frames(6)
    let away = page.cellFrame.x0
    stage.press("1")
    stage.frame()
    let next = page.cellFrame.x0
    #expect(abs(next - away) < 16)
    stage.frames(30)
    #expect(page.cellFrame == stage.screen.context.panelFrame && !page.isHidden)
  }

  @Test("with reduced motion it is there at once", arguments: [MotionLevel.none, .basic])
  func reduced(motion: MotionLevel) throws {
    var stage = try Stage(motion: motion)
    stage.press("3")
    stage.frame()
    #expect(stage.page(.events)?.cellFrame == stage.screen.context.panelFrame)
    stage.frames(20)
    #expect(stage.page(.histogram)?.isHidden == true)
  }
}
