import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@testable import gallery

/// Someone at the gallery: presses keys, moves the mouse, looks at the cells. Time goes on frame by frame only.
final class Visit {
  let gallery: Gallery
  private var clock = SteppedClock()
  private var pointer = Point.zero

  init(
    _ screen: String, columns: Int = 80, rows: Int = 24, motion: MotionLevel = .full
  ) throws {
    let index = try #require(Catalog.index(of: screen))
    gallery = Gallery(columns: columns, rows: rows, screen: index, motion: motion)
    _ = gallery.advance(to: clock.now)
  }

  var window: Window { gallery.window }

  func screen<Kind: Screen>(_ kind: Kind.Type = Kind.self) throws -> Kind {
    try #require(gallery.screen as? Kind)
  }

  // MARK: Time

  @discardableResult
  func frame() -> CellRegion { gallery.advance(to: clock.tick()) }

  func frames(_ count: Int) { for _ in 0..<count { frame() } }

  /// Until nothing moves.
  /// - Returns: the frames it took; at most ten seconds of them.
  @discardableResult
  func settle() -> Int { settle {} }

  /// The same with something to do on each frame.
  @discardableResult
  func settle(onEachFrame body: () throws -> Void) rethrows -> Int {
    var count = 0
    while gallery.nextDeadline != nil, count < 600 {
      frame()
      try body()
      count += 1
    }
    return count
  }

  // MARK: Keys and mouse

  func key(_ keys: InputEvent.Key..., modifiers: InputEvent.Modifiers = []) {
    for key in keys { send(.key(key), modifiers) }
  }

  func type(_ text: String) { for character in text { key(.character(character)) } }

  func press(_ x: Int, _ y: Int) {
    pointer = Point(x: Double(x), y: Double(y))
    send(.mouseDown)
  }

  func press(_ view: View) {
    let cells = view.cellFrame
    press((cells.x0 + cells.x1) / 2, (cells.y0 + cells.y1) / 2)
  }

  /// One event a frame for that many frames.
  func drag(by dx: Int, _ dy: Int = 0, frames count: Int) { drag(by: dx, dy, frames: count) {} }

  func drag(by dx: Int, _ dy: Int = 0, frames count: Int, onEachEvent body: () throws -> Void) rethrows {
    let start = pointer
    for index in 1...count {
      frame()
      let share = Double(index) / Double(count)
      pointer = Point(
        x: (start.x + Double(dx) * share).rounded(), y: (start.y + Double(dy) * share).rounded())
      send(.mouseDrag)
      try body()
    }
  }

  /// An event at the same time as the last.
  func nudge(by dx: Int, _ dy: Int = 0) {
    pointer = Point(x: pointer.x + Double(dx), y: pointer.y + Double(dy))
    send(.mouseDrag)
  }

  func release() { send(.mouseUp) }

  func click(_ view: View) {
    press(view)
    release()
  }

  func wheel(_ ticks: Int, on view: View, _ modifiers: InputEvent.Modifiers = []) {
    let cells = view.cellFrame
    pointer = Point(x: Double((cells.x0 + cells.x1) / 2), y: Double((cells.y0 + cells.y1) / 2))
    send(.wheel(ticks: ticks), modifiers)
  }

  func loseFocus() { send(.focusLost) }

  private func send(_ kind: InputEvent.Kind, _ modifiers: InputEvent.Modifiers = []) {
    gallery.handle(InputEvent(kind: kind, location: pointer, modifiers: modifiers), at: clock.now)
    _ = gallery.advance(to: clock.now)
  }

  // MARK: Looking

  func canvas() -> TextCanvas {
    let canvas = TextCanvas(columns: Int(window.size.width), rows: Int(window.size.height))
    gallery.draw(on: canvas, damage: CellRegion(canvas.bounds))
    return canvas
  }

  /// What stands in the cells of a view.
  func rows(of view: View) -> [String] { canvas().rows(in: view.cellFrame) }

  /// The row of the status line.
  var status: String {
    canvas().rows()[Int(window.size.height) - 3].trimmingSpaces
  }
}

extension String {
  var trimmingSpaces: String {
    var text = self[...]
    while text.first == " " { text = text.dropFirst() }
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
