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
  public var jitter = defaultJitter
  public var burstSize = defaultBurst

  /// The whole interval, so that no periodic effect goes unnoticed.
  public static let defaultJitter = 1.0
  public static let defaultBurst = 10

  /// Default of a target: a notification every 15 s, within every provider's limits.
  public static let gentle = constant(.every(seconds: 15))

  /// Equal intervals.
  public static func constant(_ rate: ArrivalRate) -> Self { Self(arrivals: .constant, rate: rate) }

  /// Generates the times.
  public var process: ArrivalProcess {
    switch arrivals {
    case .constant: .constant(rate)
    case .poisson: .poisson(rate)
    case .jittered: .jittered(rate, jitter: jitter)
    case .burst: .burst(rate, size: Int64(burstSize))
    }
  }
}

extension ScheduleConfiguration: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "target.schedule"
    let arrivals = Key(
      "arrivals", .choice(of: Arrivals.self), standard: "`constant`", "intervals between notifications")
    let rate = Key(
      "rate", .parsed("one in 100 days to 100000/s", RateText.parse), "instead of `every`")
    let every = Key(
      "every", .duration(in: .microseconds(10) ... .seconds(100 * 86_400)), "instead of `rate`")
    let jitter = Key(
      "jitter", .fraction, default: defaultJitter, standard: "`1`",
      "`jittered` only: part of each interval that is used")
    let burst = Key(
      "burst", .integer(in: 2...10_000), default: defaultBurst,
      "`burst` only: notifications at the same time")
  }

  init?(_ section: Section<Keys>) {
    let arrivals = section.arrivals
    section.exclude(\.rate, with: \.every)
    if section.lacks(\.rate, \.every) {
      section.report("does not say how often", remedy: "add `rate: 4/s` or `every: 15s`")
    }
    let rate = section.rate ?? section.every.flatMap { ArrivalRate.every($0) }
    let (jitter, burst) = (section.jitter, section.burst)
    Self.check(section[\.jitter], belongsTo: .jittered, arrivals, section)
    Self.check(section[\.burst], belongsTo: .burst, arrivals, section)
    guard let rate else { return nil }
    self.init(arrivals: arrivals ?? .constant, rate: rate, jitter: jitter, burstSize: burst)
  }

  /// Reports a key that has no effect with the arrivals.
  private static func check(
    _ value: YAMLValue?, belongsTo wanted: Arrivals, _ arrivals: Arrivals?, _ section: Section<Keys>
  ) {
    // An unknown `arrivals` has been reported already.
    guard let value, arrivals != wanted, section[\.arrivals] == nil || arrivals != nil else { return }
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
}

extension BackoffConfiguration {
  struct Keys: SectionKeys {
    static let title = "target.backoff"
    let first = Key(
      "first", .duration(in: .seconds(1) ... .seconds(3600)), standard: "`10s`, fcm `60s`", "the first pause")
    let longest = Key(
      "longest", .duration(in: .seconds(1) ... .seconds(86_400)), standard: "`15m`",
      "at least `first`; each pause is twice as long as the one before")
    let probeEvery = Key(
      "probe_every", .durationOrOff(in: .seconds(10) ... .seconds(60), upTo: "60s"),
      standard: "`10s`, fcm `60s`", "one notification in this time during a pause")
  }

  /// Keys that are not given have the provider's default values, or those of most providers.
  init?(_ value: YAMLValue, of kind: ProviderKind) {
    guard let section = value.section(Keys.self) else { return nil }
    var backoff = Self.standard(for: kind) ?? .general
    if let first = section.first { backoff.first = first }
    if let source = section[\.longest] {
      guard let longest = section.longest else { return nil }
      guard longest >= backoff.first else {
        source.report(
          "\(DurationText.format(longest)) is shorter than the first pause",
          remedy: "write a duration from \(DurationText.format(backoff.first)) to 1d")
        return nil
      }
      backoff.longest = longest
    }
    backoff.longest = max(backoff.longest, backoff.first)
    if section[\.probeEvery] != nil {
      guard let interval = section.probeEvery else { return nil }
      backoff.probeEvery = interval
    }
    self = backoff
  }
}

extension ValueKind<Duration?> {
  /// A duration, or `off`, which is `nil`.
  ///
  /// - Parameter high: the end of the range as the remedy names it.
  static func durationOrOff(in range: ClosedRange<Duration>, upTo high: String) -> Self {
    let low = DurationText.format(range.lowerBound)
    let remedy = "write a duration from \(low) to \(high), or off"
    return parsed("`\(low)` to `\(high)`, or `off`") { text throws(ValueTextError) -> Duration? in
      if text == "off" { return nil }
      guard let duration = try? DurationText.parse(text) else {
        throw ValueTextError(text, "is neither a duration nor off", remedy: remedy)
      }
      guard range.contains(duration) else { throw ValueTextError(text, "is out of range", remedy: remedy) }
      return duration
    }
  }
}
