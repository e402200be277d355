/// The smallest changes of a series that its detector would find now, by how long they last: what can be said where nothing was
/// found.
public struct DetectionPower: Sendable, Hashable, Codable {
  /// A change of a length that is found in nine of ten cases.
  public struct Step: Sendable, Hashable, Codable {
    /// µs.
    public var length: Int64
    /// The ratio of a latency after to before, or the difference of shares.
    public var size: Double
    /// The time from its start until it is found, once its notifications have their final state, µs.
    public var delay: Int64

    public init(length: Int64, size: Double, delay: Int64) {
      self.length = length
      self.size = size
      self.delay = delay
    }
  }

  public var metric: Stored<SeriesMetric>
  /// Values a second.
  public var rate: Double
  /// Ascending by length; lengths at which no change of a tried size is found are left out.
  public var steps: [Step]
  /// Whether a change of the series goes on: until it ends, no other one is looked for. `nil` where an earlier version wrote it.
  public var isFollowed: Bool?

  public init(metric: Stored<SeriesMetric>, rate: Double, steps: [Step], isFollowed: Bool? = nil) {
    self.metric = metric
    self.rate = rate
    self.steps = steps
    self.isFollowed = isFollowed
  }

  /// Whether the metric is a share; sizes are differences then.
  public var isShare: Bool { metric.word?.isShare ?? true }

  private static let shares: [Double] = [
    0.003, 0.004, 0.005, 0.006, 0.007, 0.008, 0.009, 0.01, 0.011, 0.012, 0.013, 0.014, 0.015, 0.016, 0.018,
    0.02,
    0.022, 0.025, 0.028, 0.03, 0.033, 0.036, 0.04, 0.045, 0.05, 0.055, 0.06, 0.07, 0.08, 0.09, 0.1, 0.11,
    0.12, 0.13,
    0.14, 0.15, 0.17, 0.2, 0.22, 0.25, 0.28, 0.3, 0.33, 0.36, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8,
  ]

  /// Ratios in hundredths.
  private static let ratios: [Double] = [
    103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 118, 120, 122, 125, 130, 135, 140,
    145, 150,
    160, 170, 180, 190, 200, 220, 240, 260, 280, 300, 350, 400, 450, 500, 550, 600, 700, 800, 900, 1000,
  ]

  /// The sizes that are tried, ascending.
  public static func sizes(isShare: Bool) -> [Double] {
    isShare ? shares : ratios.map { $0 / 100 }
  }

  /// The lengths that are tried, µs, ascending.
  public static let lengths: [Int64] = [
    5, 10, 20, 40, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 28_800,
  ].map { $0 * 1_000_000 }

  /// The smaller size of two at each length.
  public func joined(_ other: DetectionPower) -> DetectionPower {
    var best = Dictionary(steps.map { ($0.length, $0) }, uniquingKeysWith: { first, _ in first })
    for step in other.steps {
      guard let mine = best[step.length], mine.size <= step.size else {
        best[step.length] = step
        continue
      }
    }
    return DetectionPower(
      metric: metric, rate: rate, steps: best.values.sorted { $0.length < $1.length },
      isFollowed: isFollowed == true || other.isFollowed == true ? true : nil)
  }

  /// The shortest length at which a change of a size is found; `nil` where none is.
  public func shortest(_ size: Double) -> Step? { steps.first { $0.size <= size } }
}
