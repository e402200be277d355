/// A spring's parameters, in the three ways people give them: physical, by duration and damping ratio (UIKit), by
/// response (SwiftUI). All are solved exactly; none is stepped.
public struct SpringTiming: Sendable, Hashable {
  public let mass: Double
  public let stiffness: Double
  public let damping: Double

  /// Speed at the start; 1 = the whole distance in a second, towards the end.
  public var initialVelocity: Double {
    didSet { initialVelocity = SpringTiming.sensible(initialVelocity) }
  }

  /// Values out of all proportion are brought to the nearest sensible one (damping ratios lie between 0.01 and 1000):
  /// an animation must end.
  public init(mass: Double = 1, stiffness: Double, damping: Double, initialVelocity: Double = 0) {
    self.mass = mass.isFinite ? min(max(mass, 1e-6), 1e6) : 1
    self.stiffness = stiffness.isFinite ? min(max(stiffness, 1e-6), 1e12) : 1
    let critical = 2 * (self.stiffness * self.mass).squareRoot()
    self.damping = damping.isFinite ? min(max(damping, 0.01 * critical), 1000 * critical) : critical
    self.initialVelocity = SpringTiming.sensible(initialVelocity)
  }

  /// The spring that has come within 0.001 of its end after `duration` when it starts from rest.
  ///
  /// For ratio z < 1 the envelope decides: w = -ln(0.001 √(1 - z²)) / (z T). For z = 1, w T = 9.2334…; for z > 1
  /// the root is found by bisection.
  public init(dampingRatio: Double, duration: Duration, initialVelocity: Double = 0) {
    let ratio = dampingRatio.isFinite ? min(max(dampingRatio, 0.01), 1000) : 1
    let seconds = max(duration.inSeconds, 1e-3)
    let natural = SpringTiming.frequency(dampingRatio: ratio, settlingIn: 1) / seconds
    self.init(
      mass: 1, stiffness: natural * natural, damping: 2 * ratio * natural,
      initialVelocity: initialVelocity)
  }

  /// `response` is the period of the undamped spring.
  public init(response: Duration, dampingRatio: Double, initialVelocity: Double = 0) {
    let natural = 2 * Double.pi / max(response.inSeconds, 1e-3)
    let ratio = dampingRatio.isFinite ? min(max(dampingRatio, 0.01), 1000) : 1
    self.init(
      mass: 1, stiffness: natural * natural, damping: 2 * ratio * natural,
      initialVelocity: initialVelocity)
  }

  public var dampingRatio: Double { damping / (2 * (stiffness * mass).squareRoot()) }

  /// Progress (0 at the start, 1 at rest, more when it overshoots) after `time`.
  public func value(at time: Duration) -> Double {
    1 - motion.state(displacement: 1, velocity: -initialVelocity, at: max(0, time.inSeconds)).displacement
  }

  /// Progress per second after `time`.
  public func velocity(at time: Duration) -> Double {
    -motion.state(displacement: 1, velocity: -initialVelocity, at: max(0, time.inSeconds)).velocity
  }

  /// When both the distance left and the speed have died down to 0.001 of the whole for good.
  ///
  /// Position alone is not enough: a spring that swings through its end is not at rest there.
  public var settlingDuration: Duration {
    settlingDuration(position: 0.001, speed: 0.001 * max(1, (stiffness / mass).squareRoot()))
  }

  /// When a motion over `cells` looks at rest on a grid: less than 0.05 cells to go and slower than 0.5 cells a second.
  public func settlingDuration(overCells cells: Double) -> Duration {
    let distance = max(abs(cells), 1e-9)
    return settlingDuration(position: 0.05 / distance, speed: 0.5 / distance)
  }

  /// Bisection between the last moment found above either limit and the next one after it.
  private func settlingDuration(position: Double, speed: Double) -> Duration {
    let motion = self.motion
    let natural = (stiffness / mass).squareRoot()
    func isLoud(_ seconds: Double) -> Bool {
      let state = motion.state(displacement: 1, velocity: -initialVelocity, at: seconds)
      return abs(state.displacement) > position || abs(state.velocity) > speed
    }
    // From a time when the envelope has certainly died, back in steps far shorter than a swing.
    let amplitude = (2 + abs(initialVelocity) + natural) / min(position, speed, 1)
    let end = (Math.log(amplitude) + 8) / motion.slowestDecay
    let steps = min(4096, max(64, Int(end * natural / 0.02)))
    let stride = end / Double(steps)
    guard let last = (0..<steps).reversed().first(where: { isLoud(Double($0) * stride) }) else {
      return .zero
    }
    var low = Double(last) * stride
    var high = low + stride
    for _ in 0..<40 {
      let middle = (low + high) / 2
      if isLoud(middle) { low = middle } else { high = middle }
    }
    return .nanoseconds(Int64(high * 1e9))
  }

  private static func sensible(_ velocity: Double) -> Double {
    velocity.isFinite ? min(max(velocity, -1e6), 1e6) : 0
  }

  var motion: SpringMotion { SpringMotion(mass: mass, stiffness: stiffness, damping: damping) }

  /// Natural frequency (rad/s) at which a spring released at 1 is within 0.001 after `seconds`.
  static func frequency(dampingRatio ratio: Double, settlingIn seconds: Double) -> Double {
    if ratio < 1 - 1e-9 {
      return -Math.log(0.001 * (1 - ratio * ratio).squareRoot()) / (ratio * seconds)
    }
    var low = 1.0
    var high = 20 * max(ratio, 1)
    for _ in 0..<80 {
      let middle = (low + high) / 2
      let motion = SpringMotion(mass: 1, stiffness: middle * middle, damping: 2 * ratio * middle)
      if motion.state(displacement: 1, velocity: 0, at: 1).displacement > 0.001 {
        low = middle
      } else {
        high = middle
      }
    }
    return high / seconds
  }
}

/// The exact motion of a damped spring, by closed form: any instant costs the same and late frames cannot drift.
///
/// `m x'' + c x' + k x = 0` with w = √(k/m) and z = c / (2 √(k m)). Three shapes: swinging (z < 1), critical and
/// creeping (z > 1, written with two exponentials, which unlike hyperbolic functions cannot overflow).
struct SpringMotion: Hashable, Sendable {
  private enum Regime: Hashable {
    case underdamped(decay: Double, frequency: Double)
    case critical(decay: Double)
    case overdamped(slow: Double, fast: Double)
  }

  private let regime: Regime
  let dampingRatio: Double

  init(mass: Double, stiffness: Double, damping: Double) {
    let natural = (stiffness / mass).squareRoot()
    let ratio = damping / (2 * (stiffness * mass).squareRoot())
    dampingRatio = ratio
    if abs(ratio - 1) < 1e-9 {
      regime = .critical(decay: natural)
    } else if ratio < 1 {
      regime = .underdamped(
        decay: ratio * natural, frequency: natural * (1 - ratio * ratio).squareRoot())
    } else {
      let root = natural * (ratio * ratio - 1).squareRoot()
      // The slow rate as a quotient: the difference would cancel for large ratios.
      let fast = ratio * natural + root
      regime = .overdamped(slow: natural * natural / fast, fast: fast)
    }
  }

  /// Displacement from rest and speed, `seconds` after they were `displacement` and `velocity`.
  func state(displacement x: Double, velocity v: Double, at seconds: Double)
    -> (displacement: Double, velocity: Double)
  {
    switch regime {
    case .underdamped(let decay, let frequency):
      let envelope = Math.exp(-decay * seconds)
      let cosine = Math.cos(frequency * seconds)
      let sine = Math.sin(frequency * seconds)
      let swing = (v + decay * x) / frequency
      return (
        envelope * (x * cosine + swing * sine),
        envelope * (v * cosine - (x * frequency + decay * swing) * sine)
      )
    case .critical(let decay):
      let envelope = Math.exp(-decay * seconds)
      let slope = v + decay * x
      return (
        envelope * (x + slope * seconds),
        envelope * (slope - decay * (x + slope * seconds))
      )
    case .overdamped(let slow, let fast):
      let share = (v + fast * x) / (fast - slow)
      let rest = x - share
      let slowTerm = share * Math.exp(-slow * seconds)
      let fastTerm = rest * Math.exp(-fast * seconds)
      return (slowTerm + fastTerm, -slow * slowTerm - fast * fastTerm)
    }
  }

  /// Rate at which the slowest part of the motion dies away, per second.
  var slowestDecay: Double {
    switch regime {
    case .underdamped(let decay, _), .critical(let decay): decay
    case .overdamped(let slow, _): slow
    }
  }
}
