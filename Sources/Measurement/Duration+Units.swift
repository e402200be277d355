extension Duration {
  /// The whole duration in nanoseconds, cut towards zero; spans about ±292 years.
  public var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }

  /// The whole duration in microseconds, cut towards zero; spans about ±292 000 years.
  public var microseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }

  /// The duration without its sign.
  public var magnitude: Duration { max(self, .zero - self) }

  /// The duration in seconds, for arithmetic with rates.
  public var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }

  /// A duration of so many seconds, cut to microseconds and to ±`longest`.
  public init(inSeconds seconds: Double, atMost longest: Duration = .days(36_500)) {
    let limit = longest.inSeconds
    self = .microseconds(Int64(max(-limit, min(limit, seconds)) * 1e6))
  }

  /// So many times 60 s.
  public static func minutes(_ count: Int64) -> Duration { .seconds(60 * count) }
  /// So many times 3600 s.
  public static func hours(_ count: Int64) -> Duration { .seconds(3600 * count) }
  /// So many times 86 400 s.
  public static func days(_ count: Int64) -> Duration { .seconds(86_400 * count) }
}
