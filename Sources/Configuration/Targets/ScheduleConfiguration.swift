import Measurement

/// When a target's notifications are planned: an open loop that never looks at the answers.
public struct ScheduleConfiguration: Sendable, Hashable {
  /// How the gaps between them are drawn.
  public enum Arrivals: String, Sendable, Hashable, CaseIterable {
    /// All alike.
    case constant
    /// Exponential: what independent senders add up to.
    case poisson

    /// Words of other versions.
    static let reserved = Dictionary(
      uniqueKeysWithValues: ["jittered", "burst"].map { ($0, "is not offered by this version yet") })
  }

  public var arrivals: Arrivals
  public var rate: ArrivalRate

  public init(arrivals: Arrivals, rate: ArrivalRate) {
    self.arrivals = arrivals
    self.rate = rate
  }

  /// For targets that say nothing: a notification every 15 s, which no provider minds.
  public static let gentle: ScheduleConfiguration = {
    // Safe: the interval is positive, which is all that is asked of one.
    guard let rate = ArrivalRate.every(.seconds(15)) else { preconditionFailure("15 s is no interval") }
    return ScheduleConfiguration(arrivals: .constant, rate: rate)
  }()

  /// What draws the instants.
  public var process: ArrivalProcess {
    switch arrivals {
    case .constant: .constant(rate)
    case .poisson: .poisson(rate)
    }
  }

  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["arrivals", "rate", "every"]) else { return nil }
    let arrivals = map["arrivals"]?.choice(of: Arrivals.self, reserved: Arrivals.reserved)
    map.exclude("rate", with: "every")
    if map["rate"] == nil, map["every"] == nil {
      value.report("does not say how often", remedy: "add `rate: 4/s` or `every: 15s`")
    }
    let rate =
      map["rate"]?.rate()
      ?? map["every"]?.duration(in: .microseconds(10) ... .seconds(100 * 86_400)).flatMap {
        ArrivalRate.every($0)
      }
    guard let rate else { return nil }
    self.init(arrivals: arrivals ?? .constant, rate: rate)
  }
}
