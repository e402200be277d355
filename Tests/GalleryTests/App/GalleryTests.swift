import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@testable import gallery

/// What holds for every screen.
@Suite struct GalleryTests {
  static let names = Catalog.cards.map(\.name)

  /// What to do on each screen before its picture is taken.
  static let scripts: [String: String] = [
    "panels": "2", "pages": "", "spring": " ", "priorities": " ", "groups": "aaA", "distribution": "4",
    "sandwich": "  ", "animator": "t ", "gestures": "]]", "curves": " ", "additive": " ", "proportions": "",
    "cells": "s", "conflicts": "12", "motion": " ",
  ]

  @Test("the screens cover all five sources")
  func coverage() {
    #expect(Set(Catalog.cards.flatMap(\.sources)) == ["S1", "S2", "S3", "S4", "S5"])
    #expect(Set(Self.names).count == Self.names.count)
    #expect(Set(Self.scripts.keys) == Set(Self.names))
  }

  @Test("each screen looks as recorded after its keys", arguments: names)
  func snapshots(name: String) throws {
    let visit = try Visit(name)
    visit.type(Self.scripts[name] ?? "")
    visit.settle()
    let lines = visit.canvas().rows().map { row in
      String(row.reversed().drop { $0 == " " }.reversed())
    }
    try Snapshot.require(lines.joined(separator: "\n") + "\n", named: name)
  }

  @Test("at rest each screen asks for no frame and no timer, before and after its keys", arguments: names)
  func idle(name: String) throws {
    let visit = try Visit(name)
    visit.settle()
    #expect(visit.gallery.nextDeadline == nil)
    visit.type(Self.scripts[name] ?? "")
    #expect(visit.settle() < 600)
    #expect(visit.gallery.nextDeadline == nil)
    let before = visit.canvas()
    visit.frames(600)
    #expect(visit.canvas().changedCells(from: before) == 0)
  }

  @Test("only what is in the damage changes", arguments: names)
  func damage(name: String) throws {
    let visit = try Visit(name)
    let canvas = visit.canvas()
    visit.type(Self.scripts[name] ?? "")
    // Keys advanced the gallery; begin with a whole picture.
    canvas.clear()
    visit.gallery.draw(on: canvas, damage: CellRegion(canvas.bounds))
    for _ in 0..<40 {
      let damage = visit.frame()
      if !damage.isEmpty { visit.gallery.draw(on: canvas, damage: damage) }
      #expect(canvas.changedCells(from: visit.canvas()) == 0)
    }
  }

  @Test("the same keys at the same times give the same cells", arguments: names)
  func deterministic(name: String) throws {
    func film() throws -> [String] {
      let visit = try Visit(name)
      visit.type(Self.scripts[name] ?? "")
      return (0..<20).map { _ in
        visit.frame()
        return visit.canvas().text
      }
    }
    #expect(try film() == film())
  }

  @Test("nothing is refused or misused, at any size of the terminal", arguments: names)
  func sizes(name: String) throws {
    let visit = try Visit(name)
    #expect(visit.gallery.screen != nil)
    for (columns, rows) in [(80, 24), (1, 1), (20, 5), (300, 90), (40, 12), (80, 24)] {
      visit.gallery.resize(columns: columns, rows: rows)
      visit.type(Self.scripts[name] ?? "")
      visit.frames(5)
      _ = visit.canvas()
    }
    visit.settle()
    #expect(visit.window.diagnostics == [])
  }

  @Test("title, look, status and controls fit into 80 columns", arguments: names)
  func fits(name: String) throws {
    let visit = try Visit(name)
    let card = try #require(Catalog.cards.first { $0.name == name })
    #expect(card.look.count <= 78)
    visit.type(Self.scripts[name] ?? "")
    visit.settle()
    let screen = try #require(visit.gallery.screen)
    #expect(screen.status.count <= 78)
    let length = screen.controls.reduce(0) { $0 + $1.cap.count + 1 + $1.title.count + 3 } - 3
    #expect(length <= 78)
  }

  @Test("a screen that is left leaves nothing behind")
  func memory() throws {
    let visit = try Visit("panels")
    for _ in Catalog.screens {
      weak let screen = visit.gallery.screen
      let stage = try #require(visit.window.root.subviews.first)
      weak let child = stage.subviews.first
      visit.type(" ")
      visit.frames(3)
      visit.type("n")
      visit.settle()
      #expect(screen == nil)
      _ = stage
      #expect(child?.window == nil)
    }
    #expect(visit.gallery.index == 0)
  }

  @Test("n and p go round, on every screen")
  func around() throws {
    let visit = try Visit("panels")
    visit.type("p")
    #expect(visit.gallery.index == Catalog.screens.count - 1)
    for index in Catalog.screens.indices {
      visit.type("n")
      #expect(visit.gallery.index == index)
    }
  }

  @Test("the list takes keys and clicks, and what is behind it hears nothing")
  func list() throws {
    let visit = try Visit("sandwich")
    let screen: Sandwich = try visit.screen()
    visit.type("l")
    let overlay = try #require(visit.gallery.overlay)
    visit.type(" 2")
    #expect(screen.moves == 0 && screen.recipe == .whole)
    visit.key(.down, .down, .up, .enter)
    #expect(visit.gallery.overlay == nil)
    #expect(visit.gallery.index == Catalog.index(of: "animator"))

    visit.type("l")
    let again = try #require(visit.gallery.overlay)
    #expect(again !== overlay)
    visit.press(again.cellFrame.x0 + 5, again.cellFrame.y0 + 2)
    visit.release()
    #expect(visit.gallery.index == 1)
  }

  @Test("the help opens and closes and gives the keys back")
  func help() throws {
    let visit = try Visit("gestures")
    let focus = visit.window.firstResponder
    let before = visit.canvas()
    visit.type("?")
    #expect(visit.canvas().text.contains(" Help "))
    visit.key(.escape)
    visit.settle()
    #expect(visit.window.firstResponder === focus)
    #expect(visit.canvas().changedCells(from: before) == 0)
    visit.type("q")
    #expect(visit.gallery.isOver)
  }

  @Test("controls can be clicked")
  func click() throws {
    let visit = try Visit("priorities")
    let screen: Priorities = try visit.screen()
    visit.press(2, 22)
    visit.release()
    #expect(screen.isBackShown)
    visit.press(3, 23)
    visit.release()
    #expect(visit.gallery.index == 2)
  }

  @Test("another palette begins the screen anew")
  func palette() throws {
    let visit = try Visit("panels")
    visit.type("3")
    visit.gallery.setPalette(.light)
    visit.settle()
    let screen: SlidingPanels = try visit.screen()
    #expect(screen.panels.active == .histogram)
    #expect(CommandPalette.suited(to: Color(250, 250, 240), hasManyColors: true) == .light)
    #expect(CommandPalette.suited(to: Color(20, 24, 30), hasManyColors: true) == .dark)
    #expect(CommandPalette.suited(to: Color(20, 24, 30), hasManyColors: false) == .basicDark)
  }
}
