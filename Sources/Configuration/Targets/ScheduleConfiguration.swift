import Measurement

/// Times at which a target's notifications are planned, independent of the responses (open loop).
public struct ScheduleConfiguration: Sendable, Hashable {
  /// Distribution of the intervals between notifications.
  public enum Arrivals: String, Sendable, Hashable, CaseIterable {
    /// Equal intervals.
    case constant
    /// Exponential intervals, as of many independent senders.
    case poisson
    /// One notification at a random time within each interval.
    case jittered
    /// Several notifications at once, then a pause.
    case burst
  }

  public var arrivals: Arrivals
  public var rate: ArrivalRate
  /// Part of each interval that ``Arrivals/jittered`` uses, from 0 to 1.
  public var jitter: Double
  /// Notifications that ``Arrivals/burst`` plans for the same time.
  public var burstSize: Int

  /// The whole interval, so that no periodic effect goes unnoticed.
  public static let defaultJitter = 1.0
  public static let defaultBurst = 10

  public init(
    arrivals: Arrivals, rate: ArrivalRate, jitter: Double = defaultJitter, burstSize: Int = defaultBurst
  ) {
    self.arrivals = arrivals
    self.rate = rate
    self.jitter = jitter
    self.burstSize = burstSize
  }

  /// Default of a target: a notification every 15 s, within every provider's limits.
  public static let gentle = ScheduleConfiguration(arrivals: .constant, rate: .every(seconds: 15))

  /// Generates the times.
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
      arrivals: arrivals ?? .constant, rate: rate, jitter: jitter ?? Self.defaultJitter,
      burstSize: burst ?? Self.defaultBurst)
  }

  /// Reports a key that has no effect with the arrivals.
  private static func check(
    _ key: String, belongsTo wanted: Arrivals, _ arrivals: Arrivals?, _ map: YAMLMapping
  ) {
    // An unknown `arrivals` has been reported already.
    guard let value = map[key], arrivals != wanted, map["arrivals"] == nil || arrivals != nil else { return }
    let actual = (arrivals ?? .constant).rawValue
    value.report(
      "has no effect with \(actual) arrivals",
      remedy: "write `arrivals: \(wanted.rawValue)`, or delete this line")
  }
}

/// Pauses after a service responds 500, 502 or 503 without `Retry-After`, several times in a row. Each pause is twice as long as the one before;
/// during a pause one notification is sent each ``probeEvery``.
public struct BackoffConfiguration: Sendable, Hashable {
  public var first: Duration
  public var longest: Duration
  /// `nil` for `off`: nothing is sent during a pause.
  public var probeEvery: Duration?

  public init(first: Duration, longest: Duration, probeEvery: Duration?) {
    self.first = first
    self.longest = longest
    self.probeEvery = probeEvery
  }

  /// Default of a provider; `nil` for targets that never pause, because their service publishes no such rule.
  public static func standard(for kind: ProviderKind) -> BackoffConfiguration? {
    switch kind {
    case .apns, .webpush, .ntfy: general
    // Firebase asks for a minute before a retry.
    case .fcm: BackoffConfiguration(first: .seconds(60), longest: .seconds(900), probeEvery: .seconds(60))
    case .http, .loopback: nil
    }
  }

  private static let general = BackoffConfiguration(
    first: .seconds(10), longest: .seconds(900), probeEvery: .seconds(10))

  /// Keys that are not given have the provider's default values, or those of most providers.
  init?(_ value: YAMLValue, of kind: ProviderKind) {
    guard let map = value.mapping(keys: ["first", "longest", "probe_every"]) else { return nil }
    var backoff = Self.standard(for: kind) ?? .general
    if let first = map["first"]?.duration(in: .seconds(1) ... .seconds(3600)) { backoff.first = first }
    if let source = map["longest"] {
      guard let longest = source.duration(in: .seconds(1) ... .seconds(86_400)) else { return nil }
      guard longest >= backoff.first else {
        source.report(
          "\(DurationText.format(longest)) is shorter than the first pause",
          remedy: "write a duration from \(DurationText.format(backoff.first)) to 1d")
        return nil
      }
      backoff.longest = longest
    }
    backoff.longest = max(backoff.longest, backoff.first)
    if let source = map["probe_every"] {
      guard let interval = source.parsed(Self.interval) else { return nil }
      backoff.probeEvery = interval.duration
    }
    self = backoff
  }

  /// A duration, or `off`.
  private struct Interval {
    var duration: Duration?
  }

  private static func interval(_ text: String) throws(ValueTextError) -> Interval {
    if text == "off" { return Interval() }
    let range = Duration.seconds(10) ... .seconds(60)
    let remedy = "write a duration from 10s to 60s, or off"
    guard let duration = try? DurationText.parse(text) else {
      throw ValueTextError(text, "is neither a duration nor off", remedy: remedy)
    }
    guard range.contains(duration) else { throw ValueTextError(text, "is out of range", remedy: remedy) }
    return Interval(duration: duration)
  }
}
