import ConstraintAnimation
import Testing

@testable import Terminal

@Suite("Floods are thinned out")
struct EventCoalescerTests {
  private func pointer(_ kind: InputEvent.Kind, _ x: Double = 0, _ modifiers: InputEvent.Modifiers = [])
    -> TerminalEvent
  {
    .input(InputEvent(kind: kind, location: Point(x: x, y: 0), modifiers: modifiers))
  }

  @Test("of neighboring motions the last stays; presses and keys all stay, in order")
  func motion() {
    let key = TerminalEvent.input(InputEvent(kind: .key(.character("a"))))
    #expect(
      EventCoalescer.coalesce([
        pointer(.mouseMove, 1), pointer(.mouseMove, 2), pointer(.mouseDown, 2), pointer(.mouseDrag, 3),
        pointer(.mouseDrag, 4), pointer(.mouseUp, 4), pointer(.mouseMove, 5), key, key,
        pointer(.mouseMove, 6),
        pointer(.mouseMove, 7, .control),
      ]) == [
        pointer(.mouseMove, 2), pointer(.mouseDown, 2), pointer(.mouseDrag, 4), pointer(.mouseUp, 4),
        pointer(.mouseMove, 5), key, key, pointer(.mouseMove, 6), pointer(.mouseMove, 7, .control),
      ])
  }

  @Test("wheel ticks in one place add up, in one direction")
  func wheel() {
    #expect(
      EventCoalescer.coalesce([
        pointer(.wheel(ticks: 1)), pointer(.wheel(ticks: 1)), pointer(.wheel(ticks: -1)),
        pointer(.wheel(ticks: -1), 1),
      ]) == [pointer(.wheel(ticks: 2)), pointer(.wheel(ticks: -1)), pointer(.wheel(ticks: -1), 1)])
  }

  @Test("the last size and one wake")
  func resize() {
    #expect(
      EventCoalescer.coalesce([
        .wake, .resize(columns: 1, rows: 1), .interrupt, .resize(columns: 2, rows: 2), .wake, .interrupt,
      ]) == [.wake, .interrupt, .resize(columns: 2, rows: 2), .interrupt])
  }
}
