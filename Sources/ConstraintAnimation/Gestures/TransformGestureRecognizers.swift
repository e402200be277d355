/// Scaling with control and the wheel, or with the keys `+`, `-` and `0`.
public final class PinchGestureRecognizer: GestureRecognizer {
  /// What a tick of the wheel or a press of a key scales by.
  public var stepRatio = 1.1

  /// The gesture ends when nothing has come for this long.
  public var endsAfterIdle: Duration = .milliseconds(200)

  /// Relative to the size when the gesture began. Back at the same number of ticks it is exactly 1 again.
  public var scale: Double {
    get { base * (ticks == 0 ? 1 : Math.exp(Double(ticks) * Math.log(stepRatio))) }
    set {
      base = newValue.isFinite && newValue > 0 ? newValue : 1
      ticks = 0
    }
  }

  private var base = 1.0
  private var ticks = 0
  private var earlier = 1.0

  /// - Parameter action: runs on each change of state that matters; see ``GestureRecognizer/state``.
  public override init(action: @escaping (PinchGestureRecognizer) -> Void) {
    super.init { recognizer in
      if let own = recognizer as? PinchGestureRecognizer { action(own) }
    }
  }

  override func receive(_ event: InputEvent, at time: MotionTime) -> Bool {
    switch event.kind {
    case .wheel(let steps) where event.modifiers.contains(.control):
      step { ticks += min(max(steps, -100), 100) }
    case .key(.character("+")), .key(.character("=")): step { ticks += 1 }
    case .key(.character("-")): step { ticks -= 1 }
    case .key(.character("0")): step { scale = 1 / earlier }
    default: return false
    }
    return true
  }

  override func reset() {
    super.reset()
    earlier *= scale
    base = 1
    ticks = 0
  }

  private func step(_ change: () -> Void) {
    performStep(endsAfterIdle: endsAfterIdle) {
      change()
      ticks = min(max(ticks, -200), 200)
    }
  }
}

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

  private var base = 0.0
  private var ticks = 0

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
    performStep(endsAfterIdle: endsAfterIdle) {
      ticks = min(max(ticks + turn, -100_000), 100_000)
    }
    return true
  }

  override func reset() {
    super.reset()
    base = 0
    ticks = 0
  }
}
