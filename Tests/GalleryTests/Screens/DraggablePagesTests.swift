import ConstraintAnimation
import Testing

@testable import gallery

/// "Moving contents with constraints".
@Suite struct DraggablePagesTests {
  /// The container's place relative to its host.
  private func offset(_ screen: DraggablePages) -> Int {
    screen.container.cellFrame.x0 - screen.host.cellFrame.x0
  }

  @Test("the page follows the pointer")
  func follows() throws {
    let visit = try Visit("pages")
    let screen: DraggablePages = try visit.screen()
    visit.press(60, 10)
    var moved = 0
    visit.drag(by: -20, frames: 60) {
      moved += 1
      let expected = -(Double(moved) / 3).rounded()
      #expect(abs(Double(offset(screen)) - expected) <= 1)
    }
    visit.release()
  }

  @Test(
    "let go slowly, it goes back up to half a page and on beyond it",
    arguments: [(20, 0), (39, 0), (40, 1)])
  func slow(columns: Int, page: Int) throws {
    // The host is 78 columns wide: half of it is 39.
    let visit = try Visit("pages")
    let screen: DraggablePages = try visit.screen()
    visit.press(70, 10)
    visit.drag(by: -columns, frames: 120)
    visit.frames(10)
    visit.release()
    visit.settle()
    #expect(screen.pager.page == page)
    #expect(offset(screen) == -78 * page)
  }

  @Test("a short flick is enough; in the wrong direction it is not")
  func flick() throws {
    let visit = try Visit("pages")
    let screen: DraggablePages = try visit.screen()
    visit.press(50, 10)
    visit.drag(by: 8, frames: 4)
    visit.release()
    visit.settle()
    #expect(screen.pager.page == 0)
    visit.press(50, 10)
    visit.drag(by: -8, frames: 4)
    visit.release()
    visit.settle()
    #expect(screen.pager.page == 1)
    #expect(offset(screen) == -78)
  }

  @Test("the wrong way it goes half a page at most")
  func clamp() throws {
    let visit = try Visit("pages")
    let screen: DraggablePages = try visit.screen()
    visit.press(5, 10)
    visit.drag(by: 70, frames: 200)
    #expect(offset(screen) == 39)
    visit.release()
    visit.settle()
    #expect(offset(screen) == 0)
  }

  @Test("caught while it snaps, it stays where it is")
  func caught() throws {
    let visit = try Visit("pages")
    let screen: DraggablePages = try visit.screen()
    visit.key(.right)
    visit.frames(8)
    let before = offset(screen)
    #expect(before < -10 && before > -70)
    visit.press(40, 10)
    visit.nudge(by: -1)
    // A movement within no time is a fast one and counts as 2.5 columns.
    #expect((0...3).contains(before - offset(screen)))
    let held = offset(screen)
    visit.frames(30)
    #expect(offset(screen) == held)
    visit.release()
  }

  @Test("when the focus goes in the middle of a drag, it snaps back")
  func cancelled() throws {
    let visit = try Visit("pages")
    let screen: DraggablePages = try visit.screen()
    visit.press(70, 10)
    visit.drag(by: -60, frames: 120)
    visit.loseFocus()
    visit.settle()
    #expect(screen.pager.page == 0)
    #expect(offset(screen) == 0)
  }

  @Test("where both pages are said to fit, a drag moves nothing")
  func wide() throws {
    let visit = try Visit("pages")
    let screen: DraggablePages = try visit.screen()
    visit.type("w")
    visit.press(70, 10)
    visit.drag(by: -30, frames: 30)
    #expect(offset(screen) == 0)
    visit.release()
  }

  @Test("shift and the arrow keys drag, too")
  func keys() throws {
    let visit = try Visit("pages")
    let screen: DraggablePages = try visit.screen()
    for _ in 0..<22 {
      visit.key(.left, modifiers: .shift)
      visit.frames(6)
    }
    #expect(offset(screen) == -44)
    visit.settle()
    #expect(screen.pager.page == 1)
  }

  @Test("a resize in the middle of a snap ends with the page fully on screen")
  func resize() throws {
    let visit = try Visit("pages")
    let screen: DraggablePages = try visit.screen()
    visit.key(.right)
    visit.frames(9)
    visit.gallery.resize(columns: 120, rows: 30)
    visit.settle()
    #expect(offset(screen) == -118)
    #expect(screen.container.cellFrame.width == 236)
  }
}
