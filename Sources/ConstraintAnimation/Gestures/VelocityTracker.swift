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
    // The one before the window is kept: it is where the window's first movement came from.
    while samples.count > 2, time.nanoseconds - samples[1].time.nanoseconds > Self.window {
      samples.removeFirst()
    }
    if samples.count >= 128 { samples.remove(at: 1) }
    samples.append((time, location))
  }

  func velocity(at time: MotionTime) -> Vector {
    guard let last = samples.last, time.nanoseconds - last.time.nanoseconds < Self.rest else { return .zero }
    let opening = MotionTime(nanoseconds: time.nanoseconds - Self.window)
    guard let inside = samples.firstIndex(where: { $0.time >= opening }) else { return .zero }
    // Where the pointer was when the window opened: at the sample before it, if there is one.
    let first = samples[max(0, inside - 1)]
    let seconds = max(last.time.seconds(since: max(first.time, opening)), Self.floor)
    return (last.location - first.location) * (1 / seconds)
  }
}
