import Analysis
import Findings
import Measurement
import Store

/// Notifications of the selection, divided by the values of one or two keys: what share arrived in time, and how long it took.
public struct BreakdownReport {
  /// What is asked for.
  public struct Plan {
    public var by: BreakdownKeys
    /// The limit of the share in time, µs; `nil` for the targets' own.
    public var limit: Int64?
    public var method: IntervalMethod

    public init(_ by: BreakdownKeys, within limit: Duration? = nil, method: IntervalMethod = .dependent) {
      (self.by, self.limit, self.method) = (by, limit?.microseconds, method)
    }
  }

  public typealias Row = BreakdownTable.Row

  public let plan: Plan
  public let metric: Metric
  /// The limit of the share in time, µs.
  public let limit: Int64
  /// Where the limit is from, for people: `--within`, `receipt_deadline`.
  public let limitSource: String
  /// One for each value, in their order.
  public let rows: [Row]
  /// The whole selection, in one row.
  public let all: Row
  /// Single notifications planned before are deleted, and not counted; `nil` where none of the selection is.
  public let prunedTo: WallTime?
  /// Targets that are left out, since no receipts are expected of them while they are of others.
  public let leftOut: [String]

  /// Reads every notification of the selection.
  /// - Throws: ``ReportError`` where the targets have several limits and none is given; the error of the source.
  public init(_ reader: any SampleSource, _ selection: RowSelection, _ plan: Plan) throws {
    let planned = try TargetDirectory(reader, selection).entries.map(\.target).filter {
      $0.counts.planned > 0
    }
    let (metric, chosen) = BreakdownTable.metric(of: planned)
    (self.plan, self.metric) = (plan, metric)
    leftOut = Set(planned.map(\.name)).subtracting(chosen.map(\.name)).sorted()
    (limit, limitSource) = try plan.limit(of: chosen, metric, reader)
    let series = SeriesReader(reader)
    let window =
      try series.window(
        of: chosen.map(\.id), since: selection.since, until: selection.until)?.time
      ?? WallTime(microseconds: 0)..<WallTime(microseconds: 0)
    let pruned = try reader.pruned().samples
    prunedTo = pruned.flatMap { window.lowerBound < $0 ? min($0, window.upperBound) : nil }

    let table: BreakdownTable
    do {
      table = try BreakdownTable(
        reader, plan.by, of: chosen, metric: metric, share: .within(limit, of: metric, base: .planned),
        in: window, method: plan.method)
    } catch let error as BreakdownDivision.TooManyValues {
      throw ReportError.tooManyValues(of: plan.by.keys, error)
    }
    (rows, self.all) = (table.rows, table.all)
  }
}

extension ReportError {
  /// Keys whose values are too many to be told apart.
  static func tooManyValues(of keys: [BreakdownKey], _ error: BreakdownDivision.TooManyValues) -> ReportError
  {
    ReportError(
      .tooManyValues,
      "\(ListText.and(keys.map(\.name))) have more than \(error.limit) values",
      remedy: "give one key, or less time")
  }
}

extension BreakdownReport.Plan {
  /// The limit of the share in time: what is given, else what the targets have in common.
  fileprivate func limit(of targets: [TargetRecord], _ metric: Metric, _ reader: any SampleSource) throws -> (
    Int64, String
  ) {
    if let limit { return (limit, "--within") }
    if targets.isEmpty { return (0, "") }
    let names = Set(targets.map(\.name)).sorted().joined(separator: ", ")
    let remedy = "give one, like --within 5s, or choose targets with --target"
    switch try BreakdownLimit(of: targets, metric, reader) {
    case .common(let limit, let source): return (limit, source)
    case .unknown:
      throw ReportError(
        .noCommonLimit,
        "\(names): no limit is known that a share in time could be told of, as there is neither an objective nor a receipt_deadline",
        remedy: remedy)
    case .different:
      throw ReportError(
        .noCommonLimit, "\(names) have no limit in common that a share in time could be told of",
        remedy: remedy)
    }
  }
}
