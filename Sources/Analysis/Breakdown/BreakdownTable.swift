import Findings
import Measurement
import Store

/// The notifications of some targets in a window, divided by the values of one or two keys: what share arrived in time, and how long it
/// took.
public struct BreakdownTable: Sendable, Equatable {
  /// The notifications of one value of each key.
  public struct Row: Sendable, Equatable {
    /// One for each key.
    public let values: [String]
    public let counts: StateCounts
    /// How many have a value of the metric.
    public let count: Int
    public let inTime: ShareInterval?
    public let median: QuantileInterval?
    public let p99: QuantileInterval?
  }

  /// One for each value, in their order.
  public let rows: [Row]
  /// All of the notifications, in one row.
  public let all: Row
}

extension BreakdownTable {
  /// Reads every notification of the window.
  /// - Parameters:
  ///   - targets: whose notifications are divided; ``metric(of:)`` says which.
  ///   - share: what counts as in time.
  /// - Throws: ``BreakdownDivision/TooManyValues``, and the error of the source.
  public init(
    _ reader: any SampleSource, _ by: BreakdownKeys, of targets: [TargetRecord], metric: Metric,
    share: SeriesShare, in window: Range<WallTime>, method: IntervalMethod = .dependent
  ) throws {
    let division = try BreakdownDivision(by, reader, targets: targets, in: window)
    let empty = SeriesAccumulator(metrics: [metric], shares: [share])
    var groups: [BreakdownDivision.Value: SeriesAccumulator] = [:]
    var whole = empty
    for target in targets {
      try division.forEach(of: target, in: window) { value, row in
        try BreakdownDivision.add(row, of: value, to: &groups, empty)
        whole.add(row)
      }
    }
    func row(_ values: [String], _ group: SeriesAccumulator) -> Row {
      let statistics = group.statistics(in: window, history: .none)
      let isIndependent = method == .independent
      return Row(
        values: values, counts: group.counts, count: statistics.count(of: metric),
        inTime: statistics.interval(of: share, isIndependent: isIndependent),
        median: statistics.shownInterval(of: .p50, metric, isIndependent: isIndependent),
        p99: statistics.shownInterval(of: .p99, metric, isIndependent: isIndependent))
    }
    rows = groups.sorted { division.isBefore($0.key, $1.key) }.map { row(division.texts(of: $0), $1) }
    all = row(by.keys.map { _ in "all" }, whole)
  }

  /// The metric of a division of some targets' notifications, and the targets that it is of: delivery of those that expect receipts,
  /// where any does, else accept of all.
  public static func metric(of targets: [TargetRecord]) -> (metric: Metric, targets: [TargetRecord]) {
    let due = targets.filter { $0.counts.planned > 0 }
    let expecting = due.filter(\.expectsReceipts)
    return expecting.isEmpty ? (.accept, due) : (.delivery, expecting)
  }
}

/// The limit that some targets have in common, of the share in time: that of their objectives, else their receipt deadline.
public enum BreakdownLimit: Sendable, Equatable {
  /// The limit is in µs; its source is for people, and not escaped: `objective fast`, `receipt_deadline`.
  case common(Int64, source: String)
  /// The targets have several limits, or some have none.
  case different
  /// No target has a limit.
  case unknown

  /// - Parameters:
  ///   - targets: at least one.
  ///   - metric: of the objectives.
  public init(of targets: [TargetRecord], _ metric: Metric, _ reader: any SampleSource) throws {
    let objectives = try reader.objectives().filter { $0.metric == metric }
    let known = targets.map { target -> (limit: Int64, source: String)? in
      if let own = objectives.first(where: { $0.target == target.name }), let limit = own.limit {
        return (limit, "objective \(own.name)")
      }
      return target.receiptDeadline.map { ($0, "receipt_deadline") }
    }
    let limits = Set(known.map { $0?.limit })
    if limits.count == 1, let first = known.first ?? nil {
      self = .common(first.limit, source: first.source)
    } else {
      self = limits == [nil] ? .unknown : .different
    }
  }
}
