import Formats
import Measurement
import Store

/// The result of a calibration, as text and as JSON.
public struct CalibrationReport: Sendable, Equatable {
  public let calibration: Calibration

  public init(_ calibration: Calibration) { self.calibration = calibration }

  /// Reads the floor from a run against a service that answers at once. Requests that opened a connection are left out,
  /// because they include the time to connect.
  ///
  /// - Throws: ``StoreError``, or ``ReportError`` when nothing was answered.
  public init(
    _ reader: StoreReader, host: String, at time: WallTime, rate: Double, length: Duration
  ) throws {
    guard let run = try reader.latestRun() else {
      throw ReportError(.noSuchRun, "the calibration has no run", remedy: "run the command again")
    }
    var values: [Calibration.Interval: [Int64]] = [:]
    try reader.forEachSample(RowSelection(run: run.id)) { row in
      guard row.isFreshConnection == false else { return }
      func record(_ interval: Calibration.Interval, _ value: Int64?) {
        if let value { values[interval, default: []].append(value) }
      }
      record(.scheduleLag, row.scheduleLag)
      record(.service, row.value(of: .service))
      record(.accept, row.value(of: .accept))
      record(.delivery, row.value(of: .delivery))
    }
    guard values[.accept]?.isEmpty == false else {
      throw ReportError(
        .noSuchRun, "the loopback service answered nothing", remedy: "see that the machine is not overloaded")
    }
    calibration = Calibration(
      at: time, host: host, bootID: run.bootID, rate: rate, length: length.microseconds,
      planned: run.counts.planned,
      floors: Calibration.Interval.allCases.compactMap { interval in
        guard let found = values[interval], let low = found.min(), let high = found.max() else { return nil }
        let exact = ExactQuantiles(found)
        return Calibration.Floor(
          interval: interval, counted: found.count, minimum: low, maximum: high,
          figures: Quantile.standard.map { .init(quantile: $0, estimate: exact.estimate($0)) })
      })
  }

  public var lines: [String] {
    var table = TextTable(
      [.init("")]
        + calibration.floors.map { .init($0.interval == .scheduleLag ? "lag" : $0.interval.rawValue, .right) }
    )
    table.append(["min"] + calibration.floors.map { LatencyText.text($0.minimum) })
    for (index, quantile) in Quantile.standard.enumerated() {
      table.append(
        [quantile.label] + calibration.floors.map { FigureText.estimate($0.figures[index].estimate) })
    }
    table.append(["max"] + calibration.floors.map { LatencyText.text($0.maximum) })
    table.append(
      ["speaks for"]
        + calibration.floors.map {
          "\(CountText.grouped($0.counted)) (\(PercentText.brief($0.counted, of: calibration.planned)))"
        })
    let title =
      "floor of \(EscapedText.make(calibration.host)), \(RunText.time(calibration.at)) UTC, "
      + "\(CountText.text(calibration.planned, "notification")) at \(FrequencyText.text(calibration.rate))"
    return [title] + table.lines(indent: 2) + [
      "A service that answers at once is measured like this here: pushscope, the kernel and TLS at both ends. Latencies",
      "near these figures, and differences smaller than their spread, say nothing of a provider. lag: planned to sent.",
    ]
  }

  public var json: JSONValue { calibration.json }
}

extension Calibration {
  /// The floor as JSON: names and units as in the exports, `null` where n is too small.
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

extension InstrumentRecord {
  /// The measurement error of the run itself, as text. Its quantiles are exact, taken over all sends and wake-ups of the run;
  /// with too few of them they are still reported as too few.
  var lines: [String] {
    [
      "own error: sent late \(Self.text(figures.scheduleLag))",
      "  timing thread woke late \(Self.text(figures.loopLag))",
      "  \(CountText.text(figures.commits, "commit")), longest \(LatencyText.text(figures.longestCommit)), "
        + "\(CountText.grouped(figures.commitStalls)) over 100 ms",
    ] + (calibration?.floorLines ?? ["  floor of this host not measured: pushscope calibrate does"])
  }

  private static func text(_ lag: InstrumentFigures.Lag) -> String {
    guard lag.count > 0 else { return "–" }
    func figure(_ quantile: Quantile, _ value: Int64) -> String {
      let count = quantile.smallestCount
      return quantile.label + " "
        + (lag.count < count ? FigureText.estimate(.tooFew(needs: count)) : LatencyText.text(value))
    }
    return "\(figure(.p50, lag.median)), \(figure(.p99, lag.p99)), max \(LatencyText.text(lag.maximum)) "
      + "(n \(CountText.grouped(lag.count)))"
  }
}

extension Calibration {
  /// The latencies that pushscope measures against a service that answers at once, one line per interval.
  fileprivate var floorLines: [String] {
    [
      "  floor of this host (calibrated \(RunText.time(at)) UTC, \(CountText.grouped(planned)) at \(FrequencyText.text(rate))):"
    ]
      + floors.map { floor in
        let shown = floor.figures.filter { $0.quantile == .p50 || $0.quantile == .p99 }.map {
          "\($0.quantile.label) \(FigureText.estimate($0.estimate))"
        }
        let name = floor.interval == .scheduleLag ? "lag" : floor.interval.rawValue
        return "    \(name) \(shown.joined(separator: ", ")) "
          + "(n \(CountText.grouped(floor.counted)), \(PercentText.brief(floor.counted, of: planned)))"
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
