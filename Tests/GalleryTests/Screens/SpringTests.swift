import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@testable import gallery

/// "Animating with AutoLayout": transforms, springs, priorities.
@Suite struct SpringTests {
  @Test("the transform moves what is drawn and not the layout")
  func transform() throws {
    let visit = try Visit("spring")
    let screen: SpringButton = try visit.screen()
    let layout = screen.button.windowFrame
    #expect(screen.button.cellFrame.y0 >= 24)
    #expect(!visit.canvas().text.contains("next ──"))
    visit.key(.character(" "))
    visit.settle { #expect(screen.button.windowFrame == layout) }
    #expect(screen.button.cellFrame == layout.cells)
    #expect(visit.canvas().text.contains(" next ──"))
  }

  @Test("the spring overshoots, and the button hears of clicks when it has arrived")
  func enabled() throws {
    let visit = try Visit("spring")
    let screen: SpringButton = try visit.screen()
    visit.type("1")
    visit.key(.character(" "))
    var highest = Int.max
    visit.settle {
      highest = min(highest, screen.button.cellFrame.y0)
      if screen.button.presentationTransform != .identity { visit.key(.enter) }
      #expect(screen.clicks == 0)
    }
    #expect(highest < screen.button.cellFrame.y0)
    visit.key(.enter)
    visit.click(screen.button)
    #expect(screen.clicks == 2)
    visit.key(.character(" "))
    visit.click(screen.button)
    visit.key(.enter)
    #expect(screen.clicks == 2)
  }

  @Test("the flip makes room: equal widths, a gap of a column, never apart and never negative")
  func flip() throws {
    let visit = try Visit("priorities")
    let screen: Priorities = try visit.screen()
    #expect(screen.back.cellFrame.width == 0)
    #expect(screen.next.cellFrame.width == 78)
    visit.key(.character(" "))
    visit.settle {
      let gap = screen.next.cellFrame.x0 - screen.back.cellFrame.x1
      #expect((0...1).contains(gap))
    }
    #expect(screen.next.cellFrame.x0 - screen.back.cellFrame.x1 == 1)
    #expect(abs(screen.back.cellFrame.width - screen.next.cellFrame.width) <= 1)
    #expect(screen.equalWidths.priority == 750)
  }

  @Test("back again the layout is the same to the bit, after any number of flips")
  func flips() throws {
    let visit = try Visit("priorities")
    let screen: Priorities = try visit.screen()
    let start = (screen.back.windowFrame, screen.next.windowFrame)
    for turn in 0..<200 {
      visit.key(.character(" "))
      visit.frames(turn % 7)
    }
    visit.settle { #expect(screen.back.cellFrame.width >= 0) }
    #expect(screen.back.windowFrame == start.0)
    #expect(screen.next.windowFrame == start.1)
  }

  @Test("hidden by a transform, its place stays blank")
  func blank() throws {
    let visit = try Visit("priorities")
    let screen: Priorities = try visit.screen()
    visit.key(.character(" "))
    visit.settle()
    visit.type("t")
    visit.settle()
    #expect(screen.next.cellFrame.width == 38)
    let place = screen.back.windowFrame.cells
    #expect(visit.canvas().rows(in: place).allSatisfy { $0.allSatisfy { $0 == " " } })
  }

  @Test("a required constraint too many is refused by name and nothing moves")
  func conflict() throws {
    let visit = try Visit("conflicts")
    let screen: Conflicts = try visit.screen()
    visit.type("1")
    visit.settle()
    let before = screen.panes.map(\.windowFrame)
    visit.type("2")
    visit.settle()
    guard case .unsatisfiable(let broken, let others) = screen.refusal else {
      Issue.record("not refused: \(String(describing: screen.refusal))")
      return
    }
    #expect(broken.hasPrefix("much content:"))
    #expect(others.contains { $0.hasPrefix("a wide sidebar:") })
    #expect(!screen.demands[1].isActive)
    #expect(screen.panes.map(\.windowFrame) == before)
    #expect(visit.canvas().text.contains("Refused: much content"))
    // As a wish it gets what is left; without the first demand all of it.
    visit.type("w")
    visit.settle()
    #expect(screen.panes.map(\.cellFrame.width) == [47, 31, 0])
    visit.type("1")
    visit.settle()
    #expect(screen.panes[1].cellFrame.width == 39)
    #expect(screen.refusal == nil)
  }
}
