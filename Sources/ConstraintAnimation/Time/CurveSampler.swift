/// A curve made ready for sampling once a frame: control points turned into coefficients, springs into
/// frequencies.
struct CurveSampler: Sendable {
  enum Shape: Sendable {
    case linear
    case bezier(CubicBezier)
    case spring(SpringMotion, initialVelocity: Double)
    case steps(Double)
  }

  let shape: Shape
  /// Seconds; 0 means at once.
  let duration: Double

  init(_ curve: TimingCurve, duration: Double) {
    self.duration = duration
    switch curve {
    case .linear: shape = .linear
    case .easeIn: shape = .bezier(CubicBezier(x1: 0.42, y1: 0, x2: 1, y2: 1))
    case .easeOut: shape = .bezier(CubicBezier(x1: 0, y1: 0, x2: 0.58, y2: 1))
    case .easeInOut: shape = .bezier(CubicBezier(x1: 0.42, y1: 0, x2: 0.58, y2: 1))
    case .default: shape = .bezier(CubicBezier(x1: 0.25, y1: 0.1, x2: 0.25, y2: 1))
    case .cubicBezier(let x1, let y1, let x2, let y2):
      shape = .bezier(CubicBezier(x1: x1, y1: y1, x2: x2, y2: y2))
    case .spring(let timing):
      shape = .spring(timing.motion, initialVelocity: timing.initialVelocity)
    case .steps(let count): shape = .steps(Double(max(1, count)))
    }
  }

  var isSpring: Bool {
    if case .spring = shape { return true }
    return false
  }

  /// What is left of a displacement of 1 after `seconds`: 1 at the start, exactly 0 at the end.
  func remainder(at seconds: Double) -> Double {
    if seconds >= duration { return 0 }
    if seconds <= 0 { return 1 }
    switch shape {
    case .linear: return 1 - seconds / duration
    case .bezier(let bezier): return 1 - bezier.value(at: seconds / duration)
    case .steps(let count): return 1 - (seconds / duration * count).rounded(.down) / count
    case .spring(let motion, let initialVelocity):
      return motion.state(displacement: 1, velocity: -initialVelocity, at: seconds).displacement
    }
  }

  /// What a speed of 1 a second at the start has become as a displacement; only springs carry speed over.
  func carried(at seconds: Double) -> Double {
    if seconds >= duration || seconds <= 0 { return 0 }
    guard case .spring(let motion, _) = shape else { return 0 }
    return motion.state(displacement: 0, velocity: 1, at: seconds).displacement
  }

  /// Speed of `remainder` and of `carried`, per second.
  func speeds(at seconds: Double) -> (remainder: Double, carried: Double) {
    if seconds >= duration || seconds < 0 { return (0, 0) }
    switch shape {
    case .linear: return (-1 / duration, 0)
    case .bezier(let bezier): return (-bezier.slope(at: seconds / duration) / duration, 0)
    case .steps: return (0, 0)
    case .spring(let motion, let initialVelocity):
      return (
        motion.state(displacement: 1, velocity: -initialVelocity, at: seconds).velocity,
        motion.state(displacement: 0, velocity: 1, at: seconds).velocity
      )
    }
  }
}
