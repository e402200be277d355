import Formats
import Measurement
import Store

extension InstrumentRecord {
  /// The run's own error for people.
  var lines: [String] {
    [
      "own error: sent late \(Self.text(figures.scheduleLag)); thread woke late \(Self.text(figures.loopLag))",
      "  \(figures.commits) commits, longest \(FigureText.latency(figures.longestCommit)), "
        + "\(figures.commitStalls) over 100 ms",
    ] + (calibration?.floorLines ?? ["  floor of this host not measured: pushscope calibrate does"])
  }

  private static func text(_ lag: InstrumentFigures.Lag) -> String {
    guard lag.count > 0 else { return "–" }
    return "p50 \(FigureText.latency(lag.median)), p99 \(FigureText.latency(lag.p99)), "
      + "max \(FigureText.latency(lag.maximum))"
  }
}

extension Calibration {
  /// Two lines at most: medians and p99 of what pushscope measures where there is nothing to measure.
  fileprivate var floorLines: [String] {
    let parts = floors.filter { $0.interval != .scheduleLag }.map { floor in
      let shown = floor.figures.filter { $0.quantile == .p50 || $0.quantile == .p99 }.compactMap { figure in
        figure.estimate.known.map { "\(figure.quantile.label) \(FigureText.latency($0.value))" }
      }
      return "\(floor.interval.rawValue) " + (shown.isEmpty ? "–" : shown.joined(separator: " "))
    }
    return [
      "  floor (calibrated \(RunText.time(at)) at \(FigureText.rate(rate))): " + parts.joined(separator: ", ")
    ]
  }
}
