import Glibc

/// Probability distribution of a delay.
public struct DelayDistribution: Sendable, Hashable {
  public indirect enum Shape: Sendable, Hashable {
    case constant(Duration)
    case uniform(from: Duration, to: Duration)
    case exponential(mean: Duration)
    /// `sigma` is the standard deviation of the delay's natural logarithm.
    case lognormal(median: Duration, sigma: Double)
    /// Heavy tail: P(delay > x) = (minimum / x)^shape. No mean for a shape up to 1, no variance up to 2.
    case pareto(minimum: Duration, shape: Double)
    /// Each delay is drawn from one of the parts.
    case mixture([Part])
  }

  /// One part of a mixture.
  public struct Part: Sendable, Hashable {
    /// Relative to the other parts' weights.
    public var weight: Double
    public var delay: DelayDistribution
  }

  /// Limit of all delays.
  public static let longest = Duration.seconds(86_400)

  public var shape: Shape
  /// Longer delays are reduced to this one.
  public var maximum: Duration

  public init(_ shape: Shape, maximum: Duration = DelayDistribution.longest) {
    self.shape = shape
    self.maximum = min(maximum, Self.longest)
  }

  /// Always the same delay.
  public static func constant(_ delay: Duration) -> DelayDistribution { DelayDistribution(.constant(delay)) }

  public static let none = DelayDistribution.constant(.zero)

  /// Draws one delay. The count of numbers it takes from the generator depends on the shape only.
  public func sample(using generator: inout some RandomNumberGenerator) -> Duration {
    guard case .mixture(let parts) = shape else { return quantile(Self.uniform(using: &generator)) }
    var rest = Self.uniform(using: &generator) * parts.reduce(0) { $0 + $1.weight }
    var chosen = DelayDistribution.none
    for part in parts where part.weight > 0 {
      chosen = part.delay
      rest -= part.weight
      if rest <= 0 { break }
    }
    return min(chosen.sample(using: &generator), maximum)
  }

  /// Uniform in (0, 1), from 53 random bits.
  static func uniform(using generator: inout some RandomNumberGenerator) -> Double {
    (Double(generator.next() >> 11) + 0.5) * 0x1p-53
  }
}

extension DelayDistribution {
  /// The quantile of `probability`, which is in (0, 1).
  public func quantile(_ probability: Double) -> Duration {
    let seconds = uncappedQuantile(probability)
    return seconds < Self.seconds(maximum) ? .nanoseconds(Int64((seconds * 1e9).rounded())) : maximum
  }

  /// Share of delays up to `delay`: the cumulative distribution function.
  public func share(upTo delay: Duration) -> Double {
    delay >= maximum ? 1 : uncappedShare(Self.seconds(delay))
  }

  private func uncappedQuantile(_ p: Double) -> Double {
    switch shape {
    case .constant(let delay): Self.seconds(delay)
    case .uniform(let from, let to): Self.seconds(from) + p * (Self.seconds(to) - Self.seconds(from))
    case .exponential(let mean): -Self.seconds(mean) * log1p(-p)
    case .lognormal(let median, let sigma): Self.seconds(median) * exp(sigma * Self.normalQuantile(p))
    case .pareto(let minimum, let shape): Self.seconds(minimum) * exp(-log1p(-p) / shape)
    case .mixture(let parts): mixtureQuantile(p, parts)
    }
  }

  private func uncappedShare(_ x: Double) -> Double {
    switch shape {
    case .constant(let delay):
      return x >= Self.seconds(delay) ? 1 : 0
    case .uniform(let from, let to):
      let width = Self.seconds(to) - Self.seconds(from)
      guard width > 0 else { return x >= Self.seconds(from) ? 1 : 0 }
      return min(1, max(0, (x - Self.seconds(from)) / width))
    case .exponential(let mean):
      return x <= 0 ? 0 : -expm1(-x / Self.seconds(mean))
    case .lognormal(let median, let sigma):
      guard x > 0 else { return 0 }
      guard sigma > 0 else { return x >= Self.seconds(median) ? 1 : 0 }
      return Self.normalShare(log(x / Self.seconds(median)) / sigma)
    case .pareto(let minimum, let shape):
      return x <= Self.seconds(minimum) ? 0 : 1 - pow(Self.seconds(minimum) / x, shape)
    case .mixture(let parts):
      let total = parts.reduce(0) { $0 + $1.weight }
      let delay = Duration.nanoseconds(Int64((x * 1e9).rounded()))
      return parts.reduce(0) { $0 + $1.weight / total * $1.delay.share(upTo: delay) }
    }
  }

  /// Bisection to a nanosecond between the quantiles of the parts; a mixture's quantile has no closed form.
  private func mixtureQuantile(_ p: Double, _ parts: [Part]) -> Double {
    let ends = parts.lazy.filter { $0.weight > 0 }.map { Self.seconds($0.delay.quantile(p)) }
    guard var low = ends.min(), var high = ends.max() else { return 0 }
    while high - low > 0.5e-9 {
      let middle = low + (high - low) / 2
      if middle <= low || middle >= high { break }
      if uncappedShare(middle) < p { low = middle } else { high = middle }
    }
    return high
  }

  private static func normalShare(_ z: Double) -> Double { 0.5 * erfc(-z / 2.0.squareRoot()) }

  /// Quantile of the standard normal distribution: an approximation (Abramowitz and Stegun 26.2.23, error below 0.0005),
  /// refined by Halley's method, which converges cubically.
  static func normalQuantile(_ p: Double) -> Double {
    if p > 0.5 { return -normalQuantile(1 - p) }
    let t = (-2 * log(p)).squareRoot()
    let numerator = 2.515517 + t * (0.802853 + t * 0.010328)
    let denominator = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    var z = numerator / denominator - t
    for _ in 0..<3 {
      let step = (normalShare(z) - p) * (2 * Double.pi).squareRoot() * exp(z * z / 2)
      z -= step / (1 + z * step / 2)
    }
    return z
  }

  static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  /// Sigma of the lognormal distribution with this median and 99th percentile.
  static func sigma(median: Duration, p99: Duration) -> Double {
    log(seconds(p99) / seconds(median)) / normalQuantile(0.99)
  }
}
