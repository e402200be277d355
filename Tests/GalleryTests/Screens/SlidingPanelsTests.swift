import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@testable import gallery

/// "Sliding UIViews with Core Animation".
@Suite struct SlidingPanelsTests {
  private func tabs(_ visit: Visit) -> [String: View] {
    var found: [String: View] = [:]
    func look(_ view: View) {
      if let button = view as? Button { found[button.title] = button }
      view.subviews.forEach(look)
    }
    look(visit.window.root)
    return found
  }

  @Test(
    "on each frame the plot's cells are the same and the two pages touch",
    arguments: [(80, 24), (120, 40), (200, 60)])
  func slide(columns: Int, rows: Int) throws {
    let visit = try Visit("panels", columns: columns, rows: rows)
    let screen: SlidingPanels = try visit.screen()
    let plot = visit.rows(of: screen.plot)
    let (old, new) = (screen.host.subviews[2], screen.host.subviews[1])
    #expect(old.identifier == "histogram" && new.identifier == "log")
    visit.key(.character("2"))
    var seen = 0
    visit.settle {
      #expect(visit.rows(of: screen.plot) == plot)
      if !old.isHidden, !new.isHidden {
        #expect(old.cellFrame.x1 == new.cellFrame.x0)
        seen += 1
      }
    }
    #expect(seen >= 13)
    #expect(new.cellFrame == screen.host.cellFrame)
    #expect(old.isHidden)
    #expect(screen.panels.active == .log)
  }

  @Test("the tint of the tabs changes when the slide is over, not before")
  func tint() throws {
    let visit = try Visit("panels")
    let tabs = self.tabs(visit)
    let (first, second) = (try #require(tabs["histogram"]), try #require(tabs["log"]))
    #expect(first.presentationTintColor == Color(0, 255, 255))
    #expect(second.presentationTintColor == Color(10, 96, 254))
    visit.key(.character("2"))
    visit.frames(14)
    #expect(second.presentationTintColor == Color(10, 96, 254))
    visit.settle()
    #expect(first.presentationTintColor == Color(10, 96, 254))
    #expect(second.presentationTintColor == Color(0, 255, 255))
  }

  @Test("the active tab changes not a cell and asks for no frame")
  func activeTab() throws {
    let visit = try Visit("panels")
    visit.settle()
    let before = visit.canvas()
    visit.key(.character("1"))
    #expect(visit.gallery.nextDeadline == nil)
    #expect(visit.canvas().changedCells(from: before) == 0)
  }

  @Test("the order gives the direction, on both axes")
  func directions() throws {
    for vertical in [false, true] {
      for from in 1...3 {
        for to in 1...3 where to != from {
          let visit = try Visit("panels")
          let screen: SlidingPanels = try visit.screen()
          if vertical { visit.type("v") }
          visit.type("\(from)")
          visit.settle()
          visit.type("\(to)")
          visit.frames(7)
          let name = "\(try #require(SlidingPanels.Panel(rawValue: to - 1)))"
          let page = try #require(screen.host.subviews.first { $0.identifier == name })
          let host = screen.host.cellFrame
          let isFurtherOn = to > from
          if vertical {
            // Down to a page further on: it comes in from above.
            #expect(isFurtherOn ? page.cellFrame.y0 < host.y0 : page.cellFrame.y0 > host.y0)
            #expect(page.cellFrame.x0 == host.x0)
          } else {
            #expect(isFurtherOn ? page.cellFrame.x0 > host.x0 : page.cellFrame.x0 < host.x0)
            #expect(page.cellFrame.y0 == host.y0)
          }
        }
      }
    }
  }

  @Test("whatever is pressed while they move, exactly the page chosen last is visible at the end")
  func presses() throws {
    for seed in 0..<40 {
      let visit = try Visit("panels")
      let screen: SlidingPanels = try visit.screen()
      var last = 1
      for step in 0..<8 {
        let roll = Sketches.fraction(seed * 100 + step)
        if roll < 0.15 { visit.type("v") }
        last = 1 + Int(roll * 300) % 3
        visit.type("\(last)")
        visit.frames(Int(roll * 1000) % 9)
      }
      visit.settle()
      let visible = screen.host.subviews.filter { !$0.isHidden }
      #expect(visible.map(\.tag) == [last - 1])
      #expect(visible.first?.cellFrame == screen.host.cellFrame)
    }
  }

  @Test("a resize in the middle of a slide ends exactly, at any frame")
  func resize() throws {
    for frame in 0...15 {
      let visit = try Visit("panels")
      let screen: SlidingPanels = try visit.screen()
      visit.type("3")
      visit.frames(frame)
      visit.gallery.resize(columns: 117, rows: 37)
      visit.settle()
      #expect(screen.host.subviews.first { !$0.isHidden }?.cellFrame == screen.host.cellFrame)
      #expect(screen.host.cellFrame.x1 == 116)
    }
  }

  @Test("what slides in from above does not paint over the plot")
  func clips() throws {
    let visit = try Visit("panels")
    let screen: SlidingPanels = try visit.screen()
    let plot = visit.rows(of: screen.plot)
    visit.type("v3")
    visit.settle { #expect(visit.rows(of: screen.plot) == plot) }
  }

  @Test("with locked tabs a second choice waits for nobody: it is ignored")
  func lock() throws {
    let visit = try Visit("panels")
    let screen: SlidingPanels = try visit.screen()
    visit.type("k2")
    visit.frames(3)
    visit.type("3")
    visit.settle()
    #expect(screen.panels.active == .log)
  }

  @Test("the panels can be dragged, too")
  func drag() throws {
    let visit = try Visit("panels")
    let screen: SlidingPanels = try visit.screen()
    visit.press(70, 18)
    visit.drag(by: -45, frames: 90)
    visit.release()
    visit.settle()
    #expect(screen.panels.active == .log)
  }
}
