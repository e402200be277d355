import Formats
import Measurement
import Store

extension InstrumentRecord {
  /// The measurement error of the run itself, as text. Its quantiles are exact, taken over all sends and wake-ups of the run;
  /// with too few of them they are still reported as too few.
  var lines: [String] {
    [
      "own error: sent late \(Self.text(figures.scheduleLag))",
      "  timing thread woke late \(Self.text(figures.loopLag))",
      "  \(CountText.text(figures.commits, "commit")), longest \(FigureText.latency(figures.longestCommit)), "
        + "\(figures.commitStalls) over 100 ms",
    ] + (calibration?.floorLines ?? ["  floor of this host not measured: pushscope calibrate does"])
  }

  private static func text(_ lag: InstrumentFigures.Lag) -> String {
    guard lag.count > 0 else { return "–" }
    func figure(_ quantile: Quantile, _ value: Int64) -> String {
      let count = quantile.smallestCount
      return quantile.label + " "
        + (lag.count < count ? FigureText.estimate(.tooFew(needs: count)) : FigureText.latency(value))
    }
    return "\(figure(.p50, lag.median)), \(figure(.p99, lag.p99)), max \(FigureText.latency(lag.maximum)) "
      + "(n \(lag.count))"
  }
}

extension Calibration {
  /// The latencies that pushscope measures against a service that answers at once, one line per interval.
  fileprivate var floorLines: [String] {
    ["  floor of this host (calibrated \(RunText.time(at)) UTC, \(planned) at \(FigureText.rate(rate))):"]
      + floors.map { floor in
        let shown = floor.figures.filter { $0.quantile == .p50 || $0.quantile == .p99 }.map {
          "\($0.quantile.label) \(FigureText.estimate($0.estimate))"
        }
        let name = floor.interval == .scheduleLag ? "lag" : floor.interval.rawValue
        return "    \(name) \(shown.joined(separator: ", ")) "
          + "(n \(floor.counted), \(FigureText.percent(floor.counted, of: planned)))"
      }
  }
}

extension InstrumentRecord {
  /// The measurement error of the run itself, as JSON.
  var json: JSONValue {
    .object([
      .init("host", .string(figures.host)),
      .init("schedule_lag_us", Self.json(figures.scheduleLag)),
      .init("loop_lag_us", Self.json(figures.loopLag)),
      .init(
        "commits",
        .object([
          .init("count", .integer(figures.commits)), .init("longest_us", .integer(figures.longestCommit)),
          .init("stalls", .integer(figures.commitStalls)),
        ])),
      .init("calibration", calibration?.json ?? .null),
    ])
  }

  private static func json(_ lag: InstrumentFigures.Lag) -> JSONValue {
    .object([
      .init("count", .integer(lag.count)), .init("p50", .integer(lag.median)),
      .init("p99", .integer(lag.p99)),
      .init("max", .integer(lag.maximum)),
    ])
  }
}
