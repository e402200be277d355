import ConstraintAnimation
import Terminal

/// Plays a script on a gallery without a terminal, on a clock that is stepped frame by frame.
final class ScriptPlayer {
  let gallery: Gallery
  private let buffer: CellBuffer
  private var time = MotionTime.zero
  private var pointer = Point.zero
  private let emit: (String) -> Void
  private var hasPrinted = false

  private static let frame = Duration.nanoseconds(16_666_667)
  /// Ten seconds: something that repeats for ever does not settle.
  private static let settleLimit = 600

  init(gallery: Gallery, emit: @escaping (String) -> Void) {
    self.gallery = gallery
    self.emit = emit
    buffer = CellBuffer(columns: Int(gallery.window.size.width), rows: Int(gallery.window.size.height))
    step(by: .zero)
  }

  /// A script that prints nothing prints its last frame.
  func play(_ script: Script) {
    for command in script.commands where !gallery.isOver { play(command) }
    if !hasPrinted { printFrame() }
  }

  private func play(_ command: ScriptCommand) {
    switch command {
    case .key(let key, let modifiers): send(.key(key), modifiers)
    case .press(let x, let y):
      pointer = Point(x: Double(x), y: Double(y))
      send(.mouseDown)
    case .drag(let x, let y, let milliseconds):
      drag(to: Point(x: Double(x), y: Double(y)), over: .milliseconds(milliseconds))
    case .release: send(.mouseUp)
    case .click(let x, let y):
      pointer = Point(x: Double(x), y: Double(y))
      send(.mouseDown)
      send(.mouseUp)
    case .wheel(let ticks, let x, let y, let modifiers):
      pointer = Point(x: Double(x), y: Double(y))
      send(.wheel(ticks: ticks), modifiers)
    case .frames(let count): for _ in 0..<count { step(by: Self.frame) }
    case .wait(let milliseconds): wait(.milliseconds(milliseconds))
    case .settle: settle()
    case .resize(let columns, let rows):
      gallery.resize(columns: columns, rows: rows)
      buffer.resize(columns: columns, rows: rows)
      step(by: .zero)
    case .screen(let name):
      if let index = Catalog.index(of: name) { gallery.show(index) }
      step(by: .zero)
    case .print: printFrame()
    case .film(let count):
      for _ in 0..<count {
        step(by: Self.frame)
        printFrame()
      }
    }
  }

  private func send(_ kind: InputEvent.Kind, _ modifiers: InputEvent.Modifiers = []) {
    gallery.handle(InputEvent(kind: kind, location: pointer, modifiers: modifiers), at: time)
    step(by: .zero)
  }

  private func drag(to target: Point, over duration: Duration) {
    let count = max(1, Int(duration / Self.frame))
    let from = pointer
    for index in 1...count {
      step(by: duration / count)
      let share = Double(index) / Double(count)
      pointer = Point(
        x: (from.x + (target.x - from.x) * share).rounded(),
        y: (from.y + (target.y - from.y) * share).rounded())
      send(.mouseDrag)
    }
  }

  private func wait(_ duration: Duration) {
    var left = duration
    while left > .zero {
      step(by: min(left, Self.frame))
      left -= Self.frame
    }
  }

  private func settle() {
    for _ in 0..<Self.settleLimit where gallery.nextDeadline != nil { step(by: Self.frame) }
  }

  private func step(by duration: Duration) {
    time = time + duration
    let damage = gallery.advance(to: time)
    if !damage.isEmpty { gallery.draw(on: buffer, damage: damage) }
  }

  private func printFrame() {
    hasPrinted = true
    var lines: [String] = []
    for y in 0..<buffer.rows {
      var line = buffer.withRow(y) { cells in cells.map(\.text).joined() }
      while line.last == " " { line.removeLast() }
      lines.append(line)
    }
    emit(lines.joined(separator: "\n") + "\n")
  }
}
