import Formats
import Measurement
import Store

extension Calibration {
  /// The floor for programs: names and units of the exports, `null` where n is too small.
  var json: JSONValue {
    .object([
      .init("at", .string(at.rfc3339)),
      .init("host", .string(host)),
      .init("boot", .string(bootID)),
      .init("rate_per_second", .number(rate)),
      .init("length_us", .integer(length)),
      .init("planned", .integer(Int64(planned))),
      .init("floors", .array(floors.map(Self.json))),
    ])
  }

  private static func json(_ floor: Floor) -> JSONValue {
    .object([
      .init("interval", .string(floor.interval.rawValue)),
      .init("counted", .integer(Int64(floor.counted))),
      .init("minimum_us", .integer(floor.minimum)),
      .init("maximum_us", .integer(floor.maximum)),
      .init(
        "quantiles",
        .array(
          floor.figures.map { figure in
            let known = figure.estimate.known
            return .object([
              .init("quantile", .number(figure.quantile.fraction)),
              .init("value_us", .integer(known?.value)), .init("low_us", .integer(known?.low)),
              .init("high_us", .integer(known?.high)),
              .init("needs", .integer(Int64(figure.quantile.smallestCount))),
            ])
          })),
    ])
  }
}
