import Analysis
import Measurement
import Store

/// What a table of the values of a key is about.
struct ValueTableOrder: Sendable, Equatable {
  var key: BreakdownKey
  /// The window of planned time.
  var window: Range<WallTime>
  /// The targets in the plot.
  var targets: [TargetID]
}

/// The notifications of a window, divided by the values of a key: the figures of `pushscope summary --by`.
struct ValueTable: Sendable, Equatable {
  /// What the share in a row is of.
  enum Share: Sendable, Equatable {
    /// Received, or accepted, within a limit, µs. Its source is for people and from outside, not escaped.
    case within(Int64, source: String)
    /// Received before the receipt deadline, or accepted: the targets have no limit in common.
    case delivered
  }

  enum Content: Sendable, Equatable {
    case rows(BreakdownTable)
    /// There are no notifications that are due.
    case nothing
    /// There are more notifications than are read one by one.
    case tooManyNotifications
    /// There are more values than can be told apart.
    case tooManyValues
  }

  let order: ValueTableOrder
  /// Delivery where receipts are expected, else accept.
  let metric: Metric
  let share: Share
  let content: Content
  /// Single notifications planned before are deleted, and not counted; `nil` where none of the window is.
  let prunedTo: WallTime?

  /// Notifications that are read at most.
  static let most = PointWindow.capacity

  /// Its rows, with one of all notifications where there are several.
  var rows: [BreakdownTable.Row] {
    guard case .rows(let table) = content else { return [] }
    return table.rows.count > 1 ? table.rows + [table.all] : table.rows
  }
}

extension ValueTable {
  /// Reads the notifications of the window.
  /// - Parameters:
  ///   - targets: all of the run.
  ///   - zone: of hours and weekdays.
  init(
    _ reader: any DashboardSource, _ order: ValueTableOrder, _ targets: [TargetRecord], zone: LocalTime
  ) throws {
    self.order = order
    let (metric, chosen) = BreakdownTable.metric(of: targets.filter { order.targets.contains($0.id) })
    self.metric = metric
    if !chosen.isEmpty, case .common(let limit, let source) = try BreakdownLimit(of: chosen, metric, reader) {
      share = .within(limit, source: source)
    } else {
      share = .delivered
    }
    let ids = chosen.map(\.id)
    let (start, end) = (order.window.lowerBound, order.window.upperBound)
    let pruned = try reader.pruned().samples
    prunedTo = pruned.flatMap { start < $0 ? min($0, end) : nil }
    guard !ids.isEmpty,
      let time = try SeriesReader(reader).window(of: ids, since: start, until: end)?.time
    else {
      content = .nothing
      return
    }
    guard try reader.pointCount(of: ids, from: start, to: end, atMost: Self.most + 1) <= Self.most else {
      content = .tooManyNotifications
      return
    }
    let part: SeriesShare =
      if case .within(let limit, _) = share { .within(limit, of: metric, base: .planned) } else { .inTime }
    do {
      content = .rows(
        try BreakdownTable(
          reader, BreakdownKeys([order.key], zone: zone), of: chosen, metric: metric, share: part, in: time))
    } catch is BreakdownDivision.TooManyValues {
      content = .tooManyValues
    }
  }
}
