/// Turning with alt and the wheel, or with the keys `[` and `]`.
public final class RotationGestureRecognizer: GestureRecognizer {
  /// What a tick of the wheel or a press of a key turns by: 15 degrees.
  public var stepRadians = Double.pi / 12

  /// The gesture ends when nothing has come for this long.
  public var endsAfterIdle: Duration = .milliseconds(200)

  /// Radians since the gesture began, clockwise positive.
  public var rotation: Double {
    get { base + Double(ticks) * stepRadians }
    set {
      base = newValue.isFinite ? newValue : 0
      ticks = 0
    }
  }

  /// Radians a second, over the last 100 ms.
  public var velocity: Double { tracker.velocity(at: window?.time ?? .zero).dx }

  private var base = 0.0
  private var ticks = 0
  private var tracker = VelocityTracker()

  /// - Parameter action: runs on each change of state that matters; see ``GestureRecognizer/state``.
  public override init(action: @escaping (RotationGestureRecognizer) -> Void) {
    super.init { recognizer in
      if let own = recognizer as? RotationGestureRecognizer { action(own) }
    }
  }

  override func receive(_ event: InputEvent, at time: MotionTime) -> Bool {
    let turn: Int
    switch event.kind {
    case .wheel(let steps) where event.modifiers.contains(.alt): turn = -min(max(steps, -100), 100)
    case .key(.character("]")): turn = 1
    case .key(.character("[")): turn = -1
    default: return false
    }
    takeStep(endsAfterIdle: endsAfterIdle) {
      if tracker.last == nil { tracker.add(Point(x: rotation, y: 0), at: time) }
      ticks = min(max(ticks + turn, -100_000), 100_000)
      tracker.add(Point(x: rotation, y: 0), at: time)
    }
    return true
  }

  override func reset() {
    super.reset()
    base = 0
    ticks = 0
    tracker.removeAll()
  }
}
