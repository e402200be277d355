import Formats
import Measurement
import Store

extension InstrumentRecord {
  /// The run's own error for programs.
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
