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

  /// The notifications of one value of each key.
  public struct Row {
    /// One for each key.
    public let values: [String]
    public let counts: StateCounts
    /// How many have a value of the metric.
    public let count: Int
    public let inTime: ShareInterval?
    public let median: QuantileInterval?
    public let p99: QuantileInterval?
  }

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
    let entries = try TargetDirectory(reader, selection).entries.filter { $0.target.counts.planned > 0 }
    let expecting = entries.filter { $0.target.receiptDeadline != nil }
    let chosen = expecting.isEmpty ? entries : expecting
    let metric: Metric = expecting.isEmpty ? .accept : .delivery
    (self.plan, self.metric) = (plan, metric)
    leftOut = Set(entries.map(\.target.name)).subtracting(chosen.map(\.target.name)).sorted()
    (limit, limitSource) = try BreakdownLimit.limit(of: chosen, metric, plan, reader)
    let series = SeriesReader(reader)
    let window =
      try series.window(
        of: chosen.map(\.target.id), since: selection.since, until: selection.until)?.time
      ?? WallTime(microseconds: 0)..<WallTime(microseconds: 0)
    let pruned = try reader.pruned().samples
    prunedTo = pruned.flatMap { window.lowerBound < $0 ? min($0, window.upperBound) : nil }

    let division = try BreakdownDivision(plan.by, reader, targets: chosen.map(\.target), in: window)
    let reading = BreakdownReading(
      share: .within(limit, of: metric, base: .planned), metric: metric, window: window, method: plan.method)
    var groups: [BreakdownDivision.Value: SeriesAccumulator] = [:]
    var whole = reading.empty
    do {
      for entry in chosen {
        try division.forEach(of: entry.target, in: window) { value, row in
          try BreakdownDivision.add(row, of: value, to: &groups, reading.empty)
          whole.add(row)
        }
      }
    } catch let error as BreakdownDivision.TooManyValues {
      throw ReportError.tooManyValues(of: plan.by.keys, error)
    }
    rows = groups.sorted { division.isBefore($0.key, $1.key) }.map { value, group in
      reading.row(division.texts(of: value), group)
    }
    all = reading.row(plan.by.keys.map { _ in "all" }, whole)
  }
}

extension ReportError {
  /// Keys whose values are too many to be told apart.
  static func tooManyValues(of keys: [BreakdownKey], _ error: BreakdownDivision.TooManyValues) -> ReportError
  {
    ReportError(
      .tooManyValues,
      "\(keys.map(\.name).joined(separator: " and ")) have more than \(error.limit) values",
      remedy: "give one key, or less time")
  }
}

/// What is counted of the notifications of one row.
private struct BreakdownReading {
  let share: SeriesShare
  let metric: Metric
  let window: Range<WallTime>
  let method: IntervalMethod

  var empty: SeriesAccumulator { SeriesAccumulator(metrics: [metric], shares: [share]) }

  func row(_ values: [String], _ group: SeriesAccumulator) -> BreakdownReport.Row {
    let statistics = group.statistics(in: window, history: .none)
    let isIndependent = method == .independent
    return BreakdownReport.Row(
      values: values, counts: group.counts, count: statistics.count(of: metric),
      inTime: statistics.interval(of: share, isIndependent: isIndependent),
      median: statistics.shownInterval(of: .p50, metric, isIndependent: isIndependent),
      p99: statistics.shownInterval(of: .p99, metric, isIndependent: isIndependent))
  }
}

/// The limit of a breakdown's share in time.
private enum BreakdownLimit {
  /// What is given, else the limit of the objective of the targets, else their receipt deadline.
  static func limit(
    of entries: [TargetDirectory.Entry], _ metric: Metric, _ plan: BreakdownReport.Plan,
    _ reader: any SampleSource
  ) throws -> (Int64, String) {
    if let limit = plan.limit { return (limit, "--within") }
    let objectives = try reader.objectives().filter { $0.metric == metric }
    let known = entries.map { entry -> (limit: Int64, source: String)? in
      if let own = objectives.first(where: { $0.target == entry.target.name }), let limit = own.limit {
        return (limit, "objective \(own.name)")
      }
      return entry.target.receiptDeadline.map { ($0, "receipt_deadline") }
    }
    let limits = Set(known.map { $0?.limit })
    guard limits.count == 1, let first = known.first ?? nil else {
      if entries.isEmpty { return (0, "") }
      let names = Set(entries.map(\.target.name)).sorted().joined(separator: ", ")
      throw ReportError(
        .noCommonLimit,
        limits == [nil]
          ? "\(names): no limit is known that a share in time could be told of, as there is neither an objective nor a receipt_deadline"
          : "\(names) have no limit in common that a share in time could be told of",
        remedy: "give one, like --within 5s, or choose targets with --target")
    }
    return first
  }
}
