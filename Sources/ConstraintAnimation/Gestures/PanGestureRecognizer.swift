/// Dragging with the button down, or with shift and the arrow keys.
///
/// It begins when the pointer has gone `minimumDistance` from where it was pressed; `began` still tells the place of
/// the press, and `changed` follows at once with the pointer's location, so that no movement is lost.
public final class PanGestureRecognizer: GestureRecognizer {
  /// Cells the pointer must go before it is a pan.
  public var minimumDistance = 1.0

  /// Cells a press of shift and an arrow key goes.
  public var keyStep = Vector(dx: 2, dy: 1)

  /// A pan by keys ends when none has come for this long, 300 ms.
  public var keysEndAfterIdle: Duration = .milliseconds(300)

  private var press: Point?
  private var origin = Point.zero
  private var tracker = VelocityTracker()

  /// How far the pointer has gone since the press, in the coordinates of `view`: when that is turned, so is the
  /// translation. Nil = the window's.
  public func translation(in view: View?) -> Vector {
    guard let view else { return pointer - origin }
    return view.layoutPoint(of: pointer) - view.layoutPoint(of: origin)
  }

  /// Cells a second over the last 100 ms; 0 once the pointer has stood still for 50 ms.
  public func velocity(in view: View?) -> Vector {
    let speed = tracker.velocity(at: window?.time ?? .zero)
    guard let view else { return speed }
    return view.layoutPoint(of: Point(x: speed.dx, y: speed.dy)) - view.layoutPoint(of: .zero)
  }

  /// - Parameter action: runs on each change of state that matters; see ``GestureRecognizer/state``.
  public override init(action: @escaping (PanGestureRecognizer) -> Void) {
    super.init { recognizer in
      if let own = recognizer as? PanGestureRecognizer { action(own) }
    }
  }

  override func receive(_ event: InputEvent, at time: MotionTime) -> Bool {
    switch event.kind {
    case .mouseDown:
      guard state == .possible else { return true }
      begin(at: event.location, time)
    case .mouseDrag: move(to: event.location, time)
    case .mouseUp:
      guard press != nil else { return false }
      if event.location != tracker.last { move(to: event.location, time) }
      enter(state == .possible ? .failed : .ended)
    case .key(let key):
      guard event.modifiers.contains(.shift), let step = keyVector(key) else { return false }
      press(step, time)
    default: return false
    }
    return true
  }

  override var followsPointer: Bool { press != nil && idleTimer == nil }

  override func reset() {
    super.reset()
    press = nil
    tracker.removeAll()
  }

  private func begin(at location: Point, _ time: MotionTime) {
    press = location
    origin = location
    pointer = location
    tracker.removeAll()
    tracker.add(location, at: time)
  }

  private func move(to location: Point, _ time: MotionTime) {
    guard let press else { return }
    tracker.add(location, at: time)
    if state == .possible, heldState == nil {
      guard (location - press).magnitude >= minimumDistance else { return }
      pointer = press
      enter(.began)
      pointer = location
    }
    if state == .began || state == .changed { enter(.changed) }
  }

  private func press(_ step: Vector, _ time: MotionTime) {
    if state == .possible { begin(at: press ?? .zero, time) }
    let target = (tracker.last ?? .zero) + step
    performStep(endsAfterIdle: keysEndAfterIdle) {
      tracker.add(target, at: time)
      pointer = target
    }
  }

  private func keyVector(_ key: InputEvent.Key) -> Vector? {
    switch key {
    case .left: Vector(dx: -keyStep.dx, dy: 0)
    case .right: Vector(dx: keyStep.dx, dy: 0)
    case .up: Vector(dx: 0, dy: -keyStep.dy)
    case .down: Vector(dx: 0, dy: keyStep.dy)
    default: nil
    }
  }
}

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

/// Rules for a dragged page: how far it follows the pointer, and on which page it comes to rest.
///
/// Pure arithmetic in cells along one axis. The numbers are 400 points a second and 20 points, at 8 points a column.
public struct DragSnap: Sendable, Hashable {
  /// Faster than this is a swipe, whatever its length. Exactly this is not.
  public var fastSpeed: Double
  /// Cells that each event of a swipe moves the page by.
  public var fastStep: Double
  /// The part of a page that must have been gone for a slow drag to count. Exactly this is not enough.
  public var distance: Double
  /// How far beyond the first and the last page a drag goes, in parts of a page.
  public var overrun: Double

  public init(
    fastSpeed: Double = 50, fastStep: Double = 2.5, distance: Double = 0.5, overrun: Double = 0.5
  ) {
    self.fastSpeed = fastSpeed
    self.fastStep = fastStep
    self.distance = distance
    self.overrun = overrun
  }

  /// Whether a speed, in points a second, is above ``fastSpeed``.
  public func isFast(_ velocity: Double) -> Bool { abs(velocity) > fastSpeed }

  /// How far an event that moved the pointer by `delta` moves the page.
  public func step(delta: Double, velocity: Double) -> Double {
    guard isFast(velocity) else { return delta }
    return velocity < 0 ? -fastStep : fastStep
  }

  /// The page to come to rest on.
  /// - Parameters:
  ///   - page: the one it rested on before.
  ///   - count: of pages.
  ///   - offset: how far that page is from its resting place; negative = to the left.
  ///   - velocity: of the pointer when it let go, cells a second.
  ///   - length: of one page.
  public func target(page: Int, count: Int, offset: Double, velocity: Double, length: Double) -> Int {
    let step: Int
    if isFast(velocity) {
      step = velocity < 0 ? 1 : -1
    } else if abs(offset) > length * distance {
      step = offset < 0 ? 1 : -1
    } else {
      step = 0
    }
    let target = page + step
    return target >= 0 && target < count ? target : page
  }

  /// Keeps a container's displacement within the pages and the overrun. Page 0 rests at 0, page i at `-i × length`.
  public func clamp(_ displacement: Double, count: Int, length: Double) -> Double {
    min(max(displacement, -Double(max(count, 1) - 1) * length - overrun * length), overrun * length)
  }
}
