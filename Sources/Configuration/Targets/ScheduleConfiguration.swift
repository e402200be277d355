import Measurement

/// When a target's notifications are planned: an open loop that never looks at the answers.
public struct ScheduleConfiguration: Sendable, Hashable {
  /// How the gaps between them are drawn.
  public enum Arrivals: String, Sendable, Hashable, CaseIterable {
    /// All alike.
    case constant
    /// Exponential: what independent senders add up to.
    case poisson
    /// One in each interval, at a random place in it.
    case jittered
    /// Several at once, then a pause.
    case burst
  }

  public var arrivals: Arrivals
  public var rate: ArrivalRate
  /// How much of each interval ``Arrivals/jittered`` makes use of, from 0 to 1.
  public var jitter: Double
  /// How many ``Arrivals/burst`` plans for the same instant.
  public var burstSize: Int

  /// The whole interval: nothing periodic stays hidden.
  public static let usualJitter = 1.0
  public static let usualBurst = 10

  public init(
    arrivals: Arrivals, rate: ArrivalRate, jitter: Double = usualJitter, burstSize: Int = usualBurst
  ) {
    self.arrivals = arrivals
    self.rate = rate
    self.jitter = jitter
    self.burstSize = burstSize
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
    case .jittered: .jittered(rate, jitter: jitter)
    case .burst: .burst(rate, size: Int64(burstSize))
    }
  }

  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["arrivals", "rate", "every", "jitter", "burst"]) else { return nil }
    let arrivals = map["arrivals"]?.choice(of: Arrivals.self)
    map.exclude("rate", with: "every")
    if map["rate"] == nil, map["every"] == nil {
      value.report("does not say how often", remedy: "add `rate: 4/s` or `every: 15s`")
    }
    let rate =
      map["rate"]?.rate()
      ?? map["every"]?.duration(in: .microseconds(10) ... .seconds(100 * 86_400)).flatMap {
        ArrivalRate.every($0)
      }
    let jitter = map["jitter"]?.fraction()
    let burst = map["burst"]?.integer(in: 2...10_000)
    Self.check("jitter", belongsTo: .jittered, arrivals, map)
    Self.check("burst", belongsTo: .burst, arrivals, map)
    guard let rate else { return nil }
    self.init(
      arrivals: arrivals ?? .constant, rate: rate, jitter: jitter ?? Self.usualJitter,
      burstSize: burst ?? Self.usualBurst)
  }

  /// A key that the arrivals would not look at is a misunderstanding.
  private static func check(
    _ key: String, belongsTo wanted: Arrivals, _ arrivals: Arrivals?, _ map: YAMLMapping
  ) {
    // An unknown word has been reported already.
    guard let value = map[key], arrivals != wanted, map["arrivals"] == nil || arrivals != nil else { return }
    let actual = (arrivals ?? .constant).rawValue
    value.report(
      "has no use with \(actual) arrivals",
      remedy: "write `arrivals: \(wanted.rawValue)`, or delete this line")
  }
}
