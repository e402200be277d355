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

  /// The word of the metric, as in the column `metric` of findings.
  public var metric: String
  /// Values a second.
  public var rate: Double
  /// Ascending by length; lengths at which no change of a tried size is found are left out.
  public var steps: [Step]

  public init(metric: String, rate: Double, steps: [Step]) {
    self.metric = metric
    self.rate = rate
    self.steps = steps
  }

  /// Whether the metric is a share; sizes are differences then.
  public var isShare: Bool { metric != "delivery" && metric != "accept" }

  /// The sizes that are tried, ascending.
  public static func sizes(isShare: Bool) -> [Double] {
    isShare
      ? [0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, 0.9]
      : [1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5, 1.75, 2, 2.5, 3, 4, 6, 10]
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
      metric: metric, rate: rate, steps: best.values.sorted { $0.length < $1.length })
  }

  /// The shortest length at which a change of a size is found; `nil` where none is.
  public func shortest(_ size: Double) -> Step? { steps.first { $0.size <= size } }
}
