import ConstraintAnimation
import Testing

@testable import gallery

/// "Fear and Loathing in Auto Layout": the sandwich, the animator, tap, drag, pinch, rotate.
@Suite struct TouchTests {
  // MARK: The sandwich

  @Test("with both slices the box glides and what was pending jumps")
  func whole() throws {
    let visit = try Visit("sandwich")
    let screen: Sandwich = try visit.screen()
    let start = screen.box.cellFrame
    visit.key(.character(" "))
    #expect(screen.bystander.cellFrame.x0 == start.x0 + 40)
    #expect(screen.box.cellFrame == start)
    visit.settle()
    #expect(screen.box.cellFrame.x0 == start.x0 + 3)
  }

  @Test("without the first slice both glide")
  func withoutFirst() throws {
    let visit = try Visit("sandwich")
    let screen: Sandwich = try visit.screen()
    visit.type("2")
    visit.key(.character(" "))
    #expect(screen.bystander.cellFrame.x0 == 1)
    visit.frames(15)
    #expect((15...27).contains(screen.bystander.cellFrame.x0))
    visit.settle()
    #expect(screen.bystander.cellFrame.x0 == 41)
  }

  @Test("what changes after the second call jumps, and the window says so")
  func tooLate() throws {
    let visit = try Visit("sandwich")
    let screen: Sandwich = try visit.screen()
    visit.type("3")
    visit.key(.character(" "))
    visit.frame()
    #expect(screen.box.cellFrame.x0 == 4)
    #expect(visit.window.diagnostics.contains(.changeNotLaidOut))
  }

  @Test("four taps, two of them in flight: twice 25 points each way")
  func taps() throws {
    let visit = try Visit("sandwich")
    let screen: Sandwich = try visit.screen()
    let start = screen.box.windowFrame
    for _ in 0..<4 {
      visit.click(screen.box)
      visit.frames(10)
    }
    visit.settle()
    #expect(screen.moves == 4)
    #expect(screen.box.windowFrame.minX == start.minX + 2 * 25.0 / 8)
    #expect(screen.box.windowFrame.minY == start.minY + 2 * 25.0 / 16)
  }

  // MARK: The animator

  @Test("the shade rises 80 points in a quarter of a second, and twice is where it was")
  func shade() throws {
    let visit = try Visit("animator")
    let screen: Scrubbing = try visit.screen()
    let start = screen.shade.cellFrame
    visit.type("t")
    visit.frames(15)
    #expect(screen.shade.cellFrame == start.offsetBy(dx: 0, dy: -5))
    visit.settle()
    visit.type("t")
    visit.settle()
    #expect(screen.shade.cellFrame == start)
  }

  @Test("paused it stands still and costs nothing; it goes on from there to the end")
  func pause() throws {
    let visit = try Visit("animator")
    let screen: Scrubbing = try visit.screen()
    visit.key(.character(" "))
    visit.frames(60)
    visit.key(.character(" "))
    visit.settle()
    let held = screen.ball.cellFrame
    #expect(held.x0 > 10 && held.x0 < 60)
    #expect(visit.gallery.nextDeadline == nil)
    visit.frames(30)
    #expect(screen.ball.cellFrame == held)
    visit.key(.character(" "))
    visit.settle()
    #expect(screen.lastEnd == .end)
    #expect(screen.ball.cellFrame.x1 == 79)
  }

  @Test("turned round it goes back, and model and screen agree at the start")
  func reverse() throws {
    let visit = try Visit("animator")
    let screen: Scrubbing = try visit.screen()
    let start = screen.ball.windowFrame
    visit.key(.character(" "))
    visit.frames(50)
    let before = screen.ball.cellFrame.x0
    visit.type("r")
    #expect(abs(screen.ball.cellFrame.x0 - before) <= 1)
    visit.settle()
    #expect(screen.lastEnd == .start)
    #expect(screen.ball.windowFrame == start)
    visit.gallery.resize(columns: 81, rows: 24)
    visit.settle()
    #expect(screen.ball.windowFrame.minX == start.minX)
  }

  @Test("the bar scrubs; a spring takes over without a leap")
  func scrub() throws {
    let visit = try Visit("animator")
    let screen: Scrubbing = try visit.screen()
    visit.press(screen.bar.cellFrame.x0, screen.bar.cellFrame.y0)
    visit.drag(by: 39, frames: 20)
    visit.release()
    #expect(abs((screen.animator?.fractionComplete ?? 0) - 39.0 / 77) < 1e-9)
    let held = screen.ball.cellFrame.x0
    #expect(abs(held - 33) <= 1)
    visit.type("s")
    visit.frame()
    #expect(abs(screen.ball.cellFrame.x0 - held) <= 3)
    var furthest = 0
    visit.settle { furthest = max(furthest, screen.ball.cellFrame.x1) }
    #expect(furthest > 79)
    #expect(screen.ball.cellFrame.x1 == 79)
  }

  // MARK: Gestures

  @Test("a drag does not leap and goes the way of the pointer, also when the box is turned")
  func drag() throws {
    for turns in [0, 6] {
      let visit = try Visit("gestures")
      let screen: Gestures = try visit.screen()
      for _ in 0..<turns { visit.type("]") }
      visit.settle()
      let before = screen.box.windowFrame
      visit.press(screen.box)
      visit.drag(by: 6, -2, frames: 3)
      #expect(screen.box.windowFrame == before.offsetBy(Vector(dx: 6, dy: -2)))
      visit.loseFocus()
      #expect(screen.box.windowFrame == before)
    }
  }

  @Test("a pinch keeps the center and has a smallest size; + then - is the same size")
  func pinch() throws {
    let visit = try Visit("gestures")
    let screen: Gestures = try visit.screen()
    let before = screen.box.windowFrame
    visit.type("+")
    #expect(screen.box.windowFrame.width > before.width)
    #expect(abs(screen.box.windowFrame.midX - before.midX) < 0.5)
    visit.type("-")
    #expect(screen.box.windowFrame == before)
    visit.settle()
    for _ in 0..<60 { visit.wheel(-1, on: screen.box, .control) }
    #expect(screen.box.cellFrame.width >= 4 && screen.box.cellFrame.height >= 2)
  }

  @Test("turning leaves the layout alone and the hit testing follows")
  func rotate() throws {
    let visit = try Visit("gestures")
    let screen: Gestures = try visit.screen()
    let before = screen.box.windowFrame
    for _ in 0..<3 { visit.type("]") }
    visit.settle()
    #expect(screen.box.windowFrame == before)
    #expect(screen.box.cellFrame.width > before.cells.width)
    let corner = Point(x: before.minX + 1, y: before.minY + 1)
    #expect(visit.window.hitTest(corner) !== screen.box)
    for _ in 0..<3 { visit.type("[") }
    visit.settle()
    #expect(visit.window.hitTest(corner) === screen.box)
  }

  @Test("one click is one tap and no drag; two are a double tap and no tap")
  func arbitration() throws {
    let visit = try Visit("gestures")
    let screen: Gestures = try visit.screen()
    visit.click(screen.box)
    visit.click(screen.box)
    visit.settle()
    #expect(screen.entries == ["double tap ended"])
    visit.click(screen.box)
    visit.settle()
    #expect(screen.entries == ["double tap ended", "tap ended"])
    visit.press(screen.box)
    visit.drag(by: 3, frames: 3)
    visit.release()
    visit.settle()
    #expect(!screen.entries.dropFirst(2).contains { $0.contains("tap") })
    #expect(screen.entries.last == "drag ended")
  }

  @Test("ratios hold at every size, and the limit outranks the wish")
  func proportions() throws {
    let visit = try Visit("proportions")
    let screen: Proportions = try visit.screen()
    func check() {
      let whole = screen.container.windowFrame
      #expect(abs(screen.half.windowFrame.width - whole.width / 2) < 1e-6)
      #expect(abs(screen.quarter.windowFrame.width - whole.width / 4) < 1e-6)
      #expect(abs(screen.square.windowFrame.width - 2 * screen.square.windowFrame.height) < 1e-6)
    }
    check()
    for size in [(132, 43), (61, 17), (200, 60)] {
      visit.gallery.resize(columns: size.0, rows: size.1)
      visit.settle()
      check()
    }
    for _ in 0..<30 { visit.key(.left) }
    visit.settle()
    check()
    #expect(screen.container.cellFrame.width == 24)
  }
}
