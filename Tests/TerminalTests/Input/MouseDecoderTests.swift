import ConstraintAnimation
import Testing

@testable import Terminal

@Suite("Mouse reports become the pointer")
struct MouseDecoderTests {
  private func kinds(_ reports: [(code: Int, isRelease: Bool)]) -> [InputEvent.Kind] {
    var mouse = MouseDecoder()
    var events: [TerminalEvent] = []
    for report in reports {
      mouse.decodeSGR(code: report.code, column: 3, row: 4, isRelease: report.isRelease, &events)
    }
    return inputs(events).map(\.kind)
  }

  private func inputs(_ events: [TerminalEvent]) -> [InputEvent] {
    events.compactMap { if case .input(let event) = $0 { event } else { nil } }
  }

  @Test("press, drag, release")
  func drag() {
    #expect(kinds([(0, false), (32, false), (0, true)]) == [.mouseDown, .mouseDrag, .mouseUp])
  }

  @Test("a release that got lost is made up for")
  func lostRelease() {
    #expect(kinds([(0, false), (35, false)]) == [.mouseDown, .mouseUp, .mouseMove])
    #expect(kinds([(0, false), (0, false)]) == [.mouseDown, .mouseUp, .mouseDown])
    #expect(kinds([(0, true)]) == [])
    #expect(kinds([(32, false)]) == [])
  }

  @Test("other buttons and the sideways wheel mean nothing")
  func others() {
    #expect(
      kinds([
        (1, false), (1, true), (2, false), (34, false), (2, true), (66, false), (67, false), (128, false),
        (160, false),
      ]) == [])
  }

  @Test("the wheel, with modifiers")
  func wheel() {
    var mouse = MouseDecoder()
    var events: [TerminalEvent] = []
    mouse.decodeSGR(code: 64 + 16, column: 1, row: 2, isRelease: false, &events)
    mouse.decodeSGR(code: 65 + 4 + 8, column: 300, row: 2, isRelease: false, &events)
    #expect(
      inputs(events) == [
        InputEvent(kind: .wheel(ticks: 1), location: Point(x: 0, y: 1), modifiers: .control),
        InputEvent(kind: .wheel(ticks: -1), location: Point(x: 299, y: 1), modifiers: [.shift, .alt]),
      ])
  }

  @Test("the old encoding, as under screen")
  func x10() {
    var decoder = InputDecoder()
    for byte in Array("\u{1B}[M".utf8) + [32, 33, 34] + Array("\u{1B}[M".utf8) + [64, 0xFF, 34]
      + Array("\u{1B}[M".utf8) + [35, 35, 34] + Array("\u{1B}[M".utf8) + [67, 35, 34]
    {
      decoder.feed(byte)
    }
    #expect(
      inputs(decoder.drainEvents()) == [
        InputEvent(kind: .mouseDown, location: Point(x: 0, y: 1)),
        InputEvent(kind: .mouseDrag, location: Point(x: 222, y: 1)),
        InputEvent(kind: .mouseUp, location: Point(x: 2, y: 1)),
        InputEvent(kind: .mouseMove, location: Point(x: 2, y: 1)),
      ])
  }
}
