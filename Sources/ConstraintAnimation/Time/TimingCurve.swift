/// How an animation spends its duration: progress 0…1 as a function of time.
public enum TimingCurve: Sendable, Hashable {
  case linear
  case easeIn
  case easeOut
  case easeInOut
  /// The curve Core Animation uses when none is named: (0.25, 0.1, 0.25, 1).
  case `default`
  case cubicBezier(x1: Double, y1: Double, x2: Double, y2: Double)
  case spring(SpringTiming)
  /// A staircase of that many equal steps, the first one at once left behind (CSS `steps(n, end)`).
  case steps(Int)
}

extension TimingCurve {
  /// Progress at a fraction 0…1 of the duration. Springs are sampled over their settling time.
  public func value(at fraction: Double) -> Double {
    var seconds = 1.0
    if case .spring(let timing) = self { seconds = timing.settlingDuration.inSeconds }
    return 1 - CurveSampler(self, duration: seconds).remainder(at: fraction * seconds)
  }
}
