/// How the instants of a schedule are drawn. Open loop: from this alone, never from answers.
public enum ArrivalProcess: Sendable, Hashable {
  /// All gaps alike.
  case constant(ArrivalRate)
  /// Gaps exponentially distributed and independent: what many senders that know nothing of each other add up to.
  /// It also looks at a service at times that no period of the service can hide from (PASTA).
  case poisson(ArrivalRate)

  /// The rate asked for.
  public var rate: ArrivalRate {
    switch self {
    case .constant(let rate), .poisson(let rate): rate
    }
  }

  /// The instants of this process from `start` on. The same seed gives the same instants.
  public func sequence(from start: MonotonicTime, seed: UInt64) -> ArrivalSequence {
    ArrivalSequence(self, from: start, seed: seed)
  }
}
