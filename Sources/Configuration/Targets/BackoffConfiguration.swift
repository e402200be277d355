import Measurement

/// How a target goes on after its service answered 500, 502 or 503 without `Retry-After`: pauses that double, in which one
/// notification each ``probeEvery`` is sent all the same.
public struct BackoffConfiguration: Sendable, Hashable {
  public var first: Duration
  public var longest: Duration
  /// `nil` for `off`: nothing is sent in a pause.
  public var probeEvery: Duration?

  public init(first: Duration, longest: Duration, probeEvery: Duration?) {
    self.first = first
    self.longest = longest
    self.probeEvery = probeEvery
  }

  /// What holds without a word in the configuration; `nil` for targets that go on at their rate, because what answers them
  /// is no push service with a rule for it.
  public static func usual(of kind: ProviderKind) -> BackoffConfiguration? {
    switch kind {
    case .apns, .webpush, .ntfy: general
    // Firebase asks to wait a minute before anything is tried again.
    case .fcm: BackoffConfiguration(first: .seconds(60), longest: .seconds(900), probeEvery: .seconds(60))
    case .http, .loopback: nil
    }
  }

  private static let general = BackoffConfiguration(
    first: .seconds(10), longest: .seconds(900), probeEvery: .seconds(10))

  /// Keys that are left out have the usual values of the provider, or those of most where it has none.
  init?(_ value: YAMLValue, of kind: ProviderKind) {
    guard let map = value.mapping(keys: ["first", "longest", "probe_every"]) else { return nil }
    var backoff = Self.usual(of: kind) ?? .general
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

  /// A duration, or none.
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
