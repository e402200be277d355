/// Speed from pointer events of cell resolution, several of which may carry one time: a window of 100 ms, a floor of
/// 8 ms under the time between its ends, nothing once the pointer has rested 50 ms.
struct VelocityTracker {
  private var samples: [(time: MotionTime, location: Point)] = []

  private static let window: Int64 = 100_000_000
  private static let rest: Int64 = 50_000_000
  private static let floor = 0.008

  var last: Point? { samples.last?.location }

  mutating func removeAll() { samples.removeAll(keepingCapacity: true) }

  mutating func add(_ location: Point, at time: MotionTime) {
    // The last one at or before the window's opening is kept: it is where the window's first movement came from.
    while samples.count > 2, time.nanoseconds - samples[1].time.nanoseconds >= Self.window {
      samples.removeFirst()
    }
    if samples.count >= 128 { samples.remove(at: 1) }
    samples.append((time, location))
  }

  func velocity(at time: MotionTime) -> Vector {
    guard let last = samples.last, time.nanoseconds - last.time.nanoseconds < Self.rest else { return .zero }
    let opening = MotionTime(nanoseconds: time.nanoseconds - Self.window)
    // Where the pointer was when the window opened: at the last sample up to then, if there is one.
    let first = samples.last { $0.time <= opening } ?? samples[0]
    let seconds = max(last.time.seconds(since: max(first.time, opening)), Self.floor)
    let way = last.location - first.location
    return Vector(dx: way.dx / seconds, dy: way.dy / seconds)
  }
}
