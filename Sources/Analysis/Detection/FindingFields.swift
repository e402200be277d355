public import Measurement
public import Store

/// Everything that is known of one finding, as names and values: what `pushscope findings show` prints and the dashboard opens.
public struct FindingFields {
  /// How times are written.
  public struct Clock {
    /// Day and time to the second: `2026-03-01 14:02:10`.
    public let moment: (WallTime) -> String
    /// The time alone: `14:03:10`.
    public let time: (WallTime) -> String
    /// The format of an instant with its zone: `2026-03-01T14:02:10.000000Z`.
    public let exact: (WallTime) -> String
    /// The zone of the two without it: `UTC`.
    public let zone: String
    /// How the sentence writes times.
    public let sentence: SentenceClock

    public init(
      moment: @escaping (WallTime) -> String, time: @escaping (WallTime) -> String,
      exact: @escaping (WallTime) -> String, zone: String, sentence: SentenceClock
    ) {
      (self.moment, self.time, self.exact, self.zone) = (moment, time, exact, zone)
      self.sentence = sentence
    }
  }

  /// A part of the change of a target's quantile, or the whole of it.
  public struct Leg {
    /// Empty where it is that of the leg before.
    public let target: String
    public let leg: String
    public let change: String
    /// 95 % interval, or `unknown`.
    public let interval: String
  }

  private let record: FindingRecord
  private let text: FindingText
  private let clock: Clock
  private let stoppedAt: WallTime?

  /// - Parameter stoppedAt: when recording stopped, of one that went on until then.
  public init(_ record: FindingRecord, stoppedAt: WallTime? = nil, clock: Clock) {
    (self.record, self.stoppedAt, self.clock) = (record, stoppedAt, clock)
    text = FindingText(record)
  }

  /// The columns that are told as they are.
  private var titled: [(name: String, value: String)] {
    FindingRecord.columns.compactMap { column in
      guard let title = column.title else { return nil }
      let value =
        switch column.value(record) {
        case .null: ""
        case .integer(let number):
          switch column.type.kind {
          case .time: clock.exact(WallTime(microseconds: number))
          case .flag: number == 0 ? "no" : "yes"
          default: CountText.grouped(Int(number))
          }
        case .real(let number): FixedPoint.text(number, decimals: 2)
        case .text(let text): text
        }
      return (title, value)
    }
  }

  /// What, when, and how it was found; some values are empty.
  public var rows: [(name: String, value: String)] {
    var rows = [
      (
        name: "what", value: FindingSentence(record, stoppedAt: stoppedAt, clock: clock.sentence).text
      ),
      ("change", "\(Self.metric(record))\(text.change)"),
      ("status", record.status.rawValue + (record.isHidden ? ", hidden" : "")),
      ("when (\(clock.zone))", Self.time(of: record, stoppedAt: stoppedAt, clock)),
    ]
    if let low = record.startedLow, let high = record.startedHigh {
      rows.append(("began between", "\(clock.exact(low)) and \(clock.exact(high))"))
    }
    return rows + [
      ("detected", clock.exact(record.detectedAt)), ("incident", record.incident),
      ("run", record.run.description),
      (
        "series",
        [Self.target(record), record.metric.rawValue, record.provider, record.endpoint].filter { !$0.isEmpty }
          .joined(separator: ", ")
      ),
    ] + titled + figures
  }

  private var figures: [(name: String, value: String)] {
    let statistic =
      "\(FixedPoint.text(record.statistic, decimals: 1)) nats over a threshold of \(FixedPoint.text(record.threshold, decimals: 1))"
    guard !record.isDaily else {
      return [
        ("statistic", "\(statistic), in a stretch of \(LengthText.text(record.window))"),
        (
          "days",
          "it came on \(CountText.grouped(Int(record.effectiveSamples))) of \(CountText.text(record.samples, "day"))"
        ),
      ]
    }
    return [
      ("statistic", "\(statistic), in a window of \(LengthText.text(record.window))"),
      (
        "values",
        "\(CountText.grouped(record.samples)), worth \(CountText.effective(record.effectiveSamples)) independent ones"
      ),
    ]
  }

  /// The causes, at least one.
  public var causes: [FindingText.Cause] { text.causes }

  /// How much of the change of the finding's metric and quantile each leg carries, target by target.
  public var legs: [Leg] {
    record.explainingLegs.flatMap { legs in
      [
        Leg(
          target: legs.target,
          leg: "\(record.metric), \(Quantile.label(of: legs.quantile))",
          change: LatencyText.rounded(legs.total), interval: Self.interval(legs.totalLow, legs.totalHigh))
      ]
        + legs.parts.map { part in
          Leg(
            target: "", leg: part.leg.title, change: LatencyText.rounded(part.change),
            interval: Self.interval(part.low, part.high))
        }
    }
  }

  /// What happened while it can have begun.
  public var events: [String] { record.events }

  // MARK: - Parts

  /// `ios`, `ios/background`.
  public static func target(_ record: FindingRecord) -> String {
    SeriesName.text(record.target, record.variant)
  }

  /// `delivery `; shares name theirs in the change.
  public static func metric(_ record: FindingRecord) -> String {
    record.shareBefore == nil ? "\(record.metric) " : ""
  }

  /// `2026-03-01 14:02:10 ± 8 s to 14:03:10`, `… since`, `getting worse since about …`; of a daily pattern `first …, last …`.
  ///
  /// - Parameter stoppedAt: when recording stopped, of one that went on until then.
  public static func time(of record: FindingRecord, stoppedAt: WallTime?, _ clock: Clock) -> String {
    if record.isDaily {
      let (first, last) = (clock.moment(record.startedAt), clock.moment(record.lastStretch.lowerBound))
      return "first \(first), last \(last) to \(clock.time(record.lastStretch.upperBound))"
    }
    var text = clock.moment(record.startedAt)
    if record.isGradual { text = "getting worse since about \(text)" }
    if let margin = record.startMargin { text += " ± \(LengthText.text(margin))" }
    if let stoppedAt { return text + ", open when recording stopped at \(clock.time(stoppedAt))" }
    if let end = record.endedAt { return text + " to \(clock.time(end))" }
    if record.isNewNormal { return text + ", the new normal" }
    return record.isGradual ? text : "since \(text)"
  }

  private static func interval(_ low: Double?, _ high: Double?) -> String {
    guard let low, let high, max(abs(low), abs(high)) < 1e15 else { return "unknown" }
    return LatencyText.interval(Int64(low.rounded()), Int64(high.rounded()))
  }
}
