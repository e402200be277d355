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
  public var rate: Rate

  public init(arrivals: Arrivals, rate: Rate) {
    self.arrivals = arrivals
    self.rate = rate
  }

  /// For targets that say nothing: a notification every 15 s, which no provider minds.
  public static let gentle = ScheduleConfiguration(arrivals: .constant, rate: Rate(every: .seconds(15)))

  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["arrivals", "rate", "every"]) else { return nil }
    let arrivals = map["arrivals"]?.choice(of: Arrivals.self, reserved: Arrivals.reserved)
    map.exclude("rate", with: "every")
    if map["rate"] == nil, map["every"] == nil {
      value.report("does not say how often", remedy: "add `rate: 4/s` or `every: 15s`")
    }
    let rate =
      map["rate"]?.rate()
      ?? map["every"]?.duration(in: .microseconds(10) ... .seconds(100 * 86_400)).map { Rate(every: $0) }
    guard let rate else { return nil }
    self.init(arrivals: arrivals ?? .constant, rate: rate)
  }
}
