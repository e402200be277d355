/// How an animation spends its duration: progress 0…1 as a function of time.
public enum TimingCurve: Sendable, Hashable {
  case linear
  case easeIn
  case easeOut
  case easeInOut
  /// The curve Core Animation uses when none is named: (0.25, 0.1, 0.25, 1).
  case `default`
  case cubicBezier(x1: Double, y1: Double, x2: Double, y2: Double)
  case spring(SpringTiming)
  /// A staircase of that many equal steps, the first one at once left behind (CSS `steps(n, end)`).
  case steps(Int)
}

extension TimingCurve {
  /// Progress at a fraction 0…1 of the duration. Springs are sampled over their settling time.
  public func value(at fraction: Double) -> Double {
    var seconds = 1.0
    if case .spring(let timing) = self { seconds = timing.settlingDuration.inSeconds }
    return 1 - CurveSampler(self, duration: seconds).remainder(at: fraction * seconds)
  }
}

/// A timing curve through (0, 0) and (1, 1) with two control points, as CSS and Core Animation define it.
struct CubicBezier: Hashable, Sendable {
  private let ax: Double
  private let bx: Double
  private let cx: Double
  private let ay: Double
  private let by: Double
  private let cy: Double

  /// `x1` and `x2` are clamped to 0…1, otherwise one instant would have several values; what is no number
  /// becomes that of a straight line.
  init(x1: Double, y1: Double, x2: Double, y2: Double) {
    let firstX = x1 == x1 ? min(max(x1, 0), 1) : 0
    let secondX = x2 == x2 ? min(max(x2, 0), 1) : 1
    let y1 = y1.isFinite ? y1 : 0
    let y2 = y2.isFinite ? y2 : 1
    cx = 3 * firstX
    bx = 3 * (secondX - firstX) - cx
    ax = 1 - cx - bx
    cy = 3 * y1
    by = 3 * (y2 - y1) - cy
    ay = 1 - cy - by
  }

  func value(at x: Double) -> Double {
    if x <= 0 { return 0 }
    if x >= 1 { return 1 }
    let s = parameter(at: x)
    return ((ay * s + by) * s + cy) * s
  }

  /// Change of value for a change of x.
  func slope(at x: Double) -> Double {
    let s = parameter(at: min(max(x, 0), 1))
    let dx = (3 * ax * s + 2 * bx) * s + cx
    let dy = (3 * ay * s + 2 * by) * s + cy
    // A control point on the axis makes the curve start or end vertical; the limit of the ratio is then large
    // but its effect on one frame is not, so it is capped.
    return abs(dx) < 1e-9 ? (dy < 0 ? -1e6 : 1e6) : dy / dx
  }

  /// Newton with bisection to fall back on: always inside the bracket, 1e-14 in x after a few steps.
  private func parameter(at x: Double) -> Double {
    var low = 0.0
    var high = 1.0
    var s = x
    for _ in 0..<60 {
      let error = ((ax * s + bx) * s + cx) * s - x
      if abs(error) < 1e-14 { return s }
      if error > 0 { high = s } else { low = s }
      let slope = (3 * ax * s + 2 * bx) * s + cx
      let next = s - error / slope
      s = slope != 0 && next > low && next < high ? next : (low + high) / 2
    }
    return s
  }
}

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

/// An instant on the caller's clock, in nanoseconds from an origin of the caller's choice. The library never reads
/// a clock; each call that depends on time is given one of these.
public struct MotionTime: Sendable, Hashable, Comparable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = MotionTime(nanoseconds: 0)

  public static func < (left: MotionTime, right: MotionTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// Saturates instead of trapping, so that an endless duration is simply never reached.
  public static func + (time: MotionTime, duration: Duration) -> MotionTime {
    let (sum, overflow) = time.nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
    if overflow { return MotionTime(nanoseconds: duration < .zero ? .min : .max) }
    return MotionTime(nanoseconds: sum)
  }

  public static func - (left: MotionTime, right: MotionTime) -> Duration {
    .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
  }

  /// Seconds from `earlier` to here.
  func seconds(since earlier: MotionTime) -> Double {
    Double(nanoseconds &- earlier.nanoseconds) / 1e9
  }
}

extension Duration {
  /// Whole nanoseconds, clamped to what 64 bits hold (292 years).
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    if carried { return seconds < 0 ? .min : .max }
    return sum
  }

  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
