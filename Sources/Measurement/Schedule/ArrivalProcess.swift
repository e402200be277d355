/// How the instants of a schedule are drawn. Open loop: from this alone, never from answers.
public enum ArrivalProcess: Sendable, Hashable {
  /// All gaps alike.
  case constant(ArrivalRate)
  /// Gaps exponentially distributed and independent: what many senders that know nothing of each other add up to.
  /// It also looks at a service at times that no period of the service can hide from (PASTA).
  case poisson(ArrivalRate)
  /// One in each interval of a constant process, at a uniformly drawn place in its first part; `jitter` says how large
  /// that part is, from 0 (constant) to 1 (anywhere). The mean rate is the constant one's to the last notification,
  /// and what happens periodically in the service does not stay hidden between two probes.
  case jittered(ArrivalRate, jitter: Double)
  /// `size` at the same instant, then nothing until the mean rate has caught up.
  case burst(ArrivalRate, size: Int64)

  /// The rate asked for.
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
