/// How long something takes, as a distribution: what a scenario says and what reports can be held against.
public struct DelayDistribution: Sendable, Hashable {
  public indirect enum Shape: Sendable, Hashable {
    case constant(Duration)
    case uniform(from: Duration, to: Duration)
    case exponential(mean: Duration)
    /// `sigma` is the standard deviation of the delay's natural logarithm.
    case lognormal(median: Duration, sigma: Double)
    /// Heavy tail: P(delay > x) = (minimum / x)^shape; no mean for a shape up to 1, no variance up to 2.
    case pareto(minimum: Duration, shape: Double)
    /// Bimodal and the like: each delay comes from one of the parts.
    case mixture([Part])
  }

  public struct Part: Sendable, Hashable {
    /// Relative to the other parts' weights.
    public var weight: Double
    public var delay: DelayDistribution

    public init(weight: Double, delay: DelayDistribution) {
      self.weight = weight
      self.delay = delay
    }
  }

  /// No delay is longer than this, whatever the scenario says.
  public static let longest = Duration.seconds(86_400)

  public var shape: Shape
  /// Longer delays are cut to this one.
  public var maximum: Duration

  public init(_ shape: Shape, maximum: Duration = DelayDistribution.longest) {
    self.shape = shape
    self.maximum = min(maximum, Self.longest)
  }

  public static func constant(_ delay: Duration) -> DelayDistribution { DelayDistribution(.constant(delay)) }

  public static let none = DelayDistribution.constant(.zero)

  /// Draws one delay. How many numbers it takes from the generator depends on the shape alone.
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

  /// A number between 0 and 1, neither of them included, from 53 random bits.
  static func uniform(using generator: inout some RandomNumberGenerator) -> Double {
    (Double(generator.next() >> 11) + 0.5) * 0x1p-53
  }
}
