import Glibc

/// The process that gives a schedule's instants. Open loop: they never depend on answers.
public enum ArrivalProcess: Sendable, Hashable {
  /// All gaps alike.
  case constant(ArrivalRate)
  /// Independent, exponentially distributed gaps: the sum of many independent senders. Its samples are unbiased by any
  /// period of the service (PASTA).
  case poisson(ArrivalRate)
  /// One in each interval of a constant process, uniformly distributed in the first part of the interval; `jitter` is
  /// the size of that part, from 0 (constant) to 1 (the whole interval). The mean rate is exactly the constant one's,
  /// and periodic behavior of the service is sampled.
  case jittered(ArrivalRate, jitter: Double)
  /// `size` at the same instant, in intervals that give the mean rate.
  case burst(ArrivalRate, size: Int64)

  /// The requested mean rate.
  public var rate: ArrivalRate {
    switch self {
    case .constant(let rate), .poisson(let rate), .jittered(let rate, _), .burst(let rate, _): rate
    }
  }

  /// The instants of this process from `start` on. The same seed gives the same instants.
  public func sequence(from start: MonotonicTime, seed: UInt64) -> ArrivalSequence {
    ArrivalSequence(self, from: start, seed: seed)
  }
}

/// A mean number of arrivals in a period: 4 per second, 30 per minute, 1 per 15 s.
///
/// A fraction of integers, so that the n-th instant of a constant process is exact and long runs do not drift.
public struct ArrivalRate: Sendable, Hashable {
  /// Arrivals in each period, at least 1.
  public let count: Int64
  /// Nanoseconds, at least 1.
  public let period: Int64

  /// - Returns: `nil` when the count or the period is not positive.
  public init?(_ count: Int64, per period: Duration) {
    guard count > 0, period.nanoseconds > 0 else { return nil }
    self.count = count
    self.period = period.nanoseconds
  }

  /// The nearest rate to a decimal one: to a millionth of an arrival a second, or, below one a second, to a
  /// nanosecond of the interval.
  /// - Returns: `nil` when it is not finite, not positive, above 10⁹ a second or rarer than one in 100 years.
  public init?(perSecond: Double) {
    guard perSecond.isFinite, perSecond >= 3e-10, perSecond <= 1e9 else { return nil }
    if perSecond < 1 {
      self.init(1, per: .nanoseconds(Int64((1e9 / perSecond).rounded())))
    } else {
      self.init(Int64((perSecond * 1e6).rounded()), per: .seconds(1_000_000))
    }
  }

  /// One every `interval`, which must be positive.
  public static func every(_ interval: Duration) -> ArrivalRate? { ArrivalRate(1, per: interval) }

  /// One every so many seconds; 0 counts as 1.
  public static func every(seconds: UInt32) -> ArrivalRate {
    ArrivalRate(count: 1, period: Int64(max(1, seconds)) * 1_000_000_000)
  }

  private init(count: Int64, period: Int64) {
    self.count = count
    self.period = period
  }

  public var perSecond: Double { Double(count) * 1e9 / Double(period) }

  /// The mean time from one arrival to the next, in nanoseconds.
  public var meanInterval: Double { Double(period) / Double(count) }

  /// Nanoseconds from the start to arrival `n` (from 0) of a constant process, cut to whole ones.
  func offset(of n: Int64) -> Int64 {
    let product = UInt64(n).multipliedFullWidth(by: UInt64(period))
    return Int64(UInt64(count).dividingFullWidth(product).quotient)
  }
}

/// The planned instants of one target, in order, without end.
///
/// They are absolute: no instant depends on when another one was sent, so lateness does not accumulate.
public struct ArrivalSequence: Sendable {
  public let process: ArrivalProcess
  public let start: MonotonicTime

  private var generator: SeededGenerator
  private var drawn: Int64 = 0
  /// Nanoseconds from the start to the last instant drawn.
  private var offset: Int64 = 0

  public init(_ process: ArrivalProcess, from start: MonotonicTime, seed: UInt64) {
    self.process = process
    self.start = start
    generator = SeededGenerator(seed: seed)
  }

  /// The next planned instant, never earlier than the one before. Constant processes and bursts begin at `start`, a
  /// Poisson process one gap later, a jittered one within the first interval.
  public mutating func next() -> MonotonicTime {
    switch process {
    case .constant(let rate): offset = rate.offset(of: drawn)
    case .poisson(let rate):
      // 1 − u lies in (0, 1], so the logarithm is finite.
      offset += Int64((-log(1 - generator.unit()) * rate.meanInterval).rounded())
    case .jittered(let rate, let jitter):
      // Truncated and clamped to the interval, so that rounding does not change the order.
      let (slot, next) = (rate.offset(of: drawn), rate.offset(of: drawn + 1))
      let share = min(1, max(0, jitter)) * generator.unit()
      offset = min(next, slot + Int64(share * Double(next - slot)))
    case .burst(let rate, let size): offset = rate.offset(of: drawn - drawn % max(1, size))
    }
    drawn += 1
    return MonotonicTime(nanoseconds: start.nanoseconds + offset)
  }
}

/// The rate of a schedule, computed from its planned instants.
public struct PlannedPace: Sendable, Hashable {
  /// Monotonic µs of the first and the last instant that is due.
  public var first: Int64
  public var last: Int64
  /// The number of notifications from the first instant to the last, and at the first one.
  public var due: Int
  public var dueAtFirst: Int

  public init(first: Int64, last: Int64, due: Int, dueAtFirst: Int) {
    self.first = first
    self.last = last
    self.due = due
    self.dueAtFirst = dueAtFirst
  }

  /// Notifications per second: those due after the first instant, divided by the time from the first to the last
  /// instant; `nil` if there is only one instant.
  public var perSecond: Double? {
    guard last > first, due > dueAtFirst else { return nil }
    return Double(due - dueAtFirst) / (Double(last - first) * 1e-6)
  }
}
