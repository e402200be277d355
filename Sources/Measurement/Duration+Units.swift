extension Duration {
  /// The whole duration in nanoseconds, cut towards zero; longer ones than about ±292 years are as long as that.
  public var nanoseconds: Int64 {
    components.seconds.multipliedClamped(by: 1_000_000_000)
      .addingClamped(components.attoseconds / 1_000_000_000)
  }

  /// The whole duration in microseconds, cut towards zero; longer ones than about ±292 000 years are as long as that.
  public var microseconds: Int64 {
    components.seconds.multipliedClamped(by: 1_000_000)
      .addingClamped(components.attoseconds / 1_000_000_000_000)
  }

  /// The whole duration in milliseconds, cut towards zero.
  public var milliseconds: Int64 { microseconds / 1000 }

  /// The duration in seconds; one that has begun counts.
  public var wholeSeconds: Int64 {
    components.seconds.addingClamped(components.attoseconds > 0 ? 1 : 0)
  }

  /// The duration without its sign.
  public var magnitude: Duration { max(self, .zero - self) }

  /// The duration in seconds, for arithmetic with rates.
  public var inSeconds: Double { self / .seconds(1) }

  /// A duration of so many seconds, at most ±100 years, which also stand for what is not a number.
  ///
  /// It is no initializer: to look up those of `Duration` hides the members of `timespec` from this module.
  public static func bounded(seconds: Double) -> Duration {
    let longest = Duration.days(36_500)
    guard seconds.magnitude < longest.inSeconds else { return seconds < 0 ? .zero - longest : longest }
    return .seconds(seconds)
  }

  /// So many times 60 s.
  public static func minutes(_ count: Int64) -> Duration { .seconds(count.multipliedClamped(by: 60)) }
  /// So many times 3600 s.
  public static func hours(_ count: Int64) -> Duration { .seconds(count.multipliedClamped(by: 3600)) }
  /// So many times 86 400 s.
  public static func days(_ count: Int64) -> Duration { .seconds(count.multipliedClamped(by: 86_400)) }
}
