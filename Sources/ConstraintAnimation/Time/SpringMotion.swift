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
