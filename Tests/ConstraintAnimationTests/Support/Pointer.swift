import ConstraintAnimation

/// Mouse scripts: one event a cell of the way, spread evenly over a duration.
struct Pointer {
  let window: Window
  var x: Double
  var y: Double

  init(_ window: Window, x: Double, y: Double) {
    self.window = window
    self.x = x
    self.y = y
  }

  func press() { send(.mouseDown, at: window.time) }

  func release() { send(.mouseUp, at: window.time) }

  func click() {
    press()
    release()
  }

  func hold(_ duration: Duration) { window.advance(to: window.time + duration) }

  /// - Parameter events: how many events the way is cut into; nil = one a cell.
  mutating func move(by dx: Double, _ dy: Double = 0, over duration: Duration, events: Int? = nil) {
    let count = events ?? max(1, Int(max(abs(dx), abs(dy))))
    let start = window.time
    let (fromX, fromY) = (x, y)
    for step in 1...count {
      let share = Double(step) / Double(count)
      x = (fromX + dx * share).rounded(.toNearestOrEven)
      y = (fromY + dy * share).rounded(.toNearestOrEven)
      let nanoseconds =
        Double((duration.components.seconds)) * 1e9 + Double(duration.components.attoseconds) / 1e9
      send(.mouseDrag, at: start + .nanoseconds(Int64(nanoseconds * share)))
    }
  }

  private func send(_ kind: InputEvent.Kind, at time: MotionTime) {
    window.send(InputEvent(kind: kind, location: Point(x: x, y: y)), at: time)
  }
}

extension MotionTime {
  static func milliseconds(_ count: Int64) -> MotionTime { MotionTime(nanoseconds: count * 1_000_000) }

  /// The time of a frame at 60 Hz.
  static func frame(_ index: Int64) -> MotionTime { MotionTime(nanoseconds: index * 1_000_000_000 / 60) }
}
