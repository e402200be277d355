import Analysis
import Findings
import Measurement
import Store

/// What the HTML report shows, read once. Memory grows with runs, targets and the columns of charts, not with notifications.
struct ReportContent: Sendable {
  let runs: [Run]
  /// The targets by name, then by provider.
  let targets: [ReportTarget]
  let findings: ReportFindings
  /// The legs of each target that was slower at some time; `nil` for the others.
  let legs: [LegTimes?]
  let connections: ConnectionHistory
  /// What all charts share.
  let columns: TimeColumns
  /// The time that was looked at: of the selection, or from the runs' beginning to their end.
  let start: WallTime
  let end: WallTime
  /// When it was read.
  let readAt: WallTime
  /// The phases, at ``readAt``, of runs that have not ended.
  let openPhases: [RunPhase]

  struct Run: Sendable {
    let record: RunRecord
    let instrument: InstrumentRecord?
  }

  /// Columns of the charts.
  private static let mostColumns = 160

  /// - Parameter now: the end of runs that are being recorded.
  /// - Throws: `StoreError`, ``ReportError`` when a run is deleted meanwhile.
  init(_ reader: StoreReader, _ selection: RowSelection, depth: RollupThreshold, at now: WallTime) throws {
    let entries = try TargetDirectory(reader, selection).entries
    var runs: [Run] = []
    for entry in entries where runs.last?.record.id != entry.run.id {
      runs.append(Run(record: entry.run, instrument: try reader.instrument(of: entry.run.id)))
    }
    let overlapping = runs.filter { run in
      (selection.until.map { run.record.startedAt < $0 } ?? true)
        && (selection.since.map { run.record.lastMoment(now: now) > $0 } ?? true)
    }
    self.runs = overlapping
    let first = overlapping.map(\.record.startedAt).min() ?? now
    let latest = overlapping.map { $0.record.lastMoment(now: now) }.max() ?? now
    start = max(selection.since ?? first, first)
    end = max(start + .microseconds(1), min(selection.until ?? latest, latest))
    readAt = now
    openPhases = overlapping.filter { $0.record.endedAt == nil }.map { $0.record.phase(at: now) }
    // Rollups are whole seconds.
    let isLong = entries.contains { $0.target.counts.planned > depth.rows }
    columns = TimeColumns(
      from: start, to: end, most: Self.mostColumns, least: isLong ? .seconds(1) : .microseconds(1))
    let known = Set(overlapping.map(\.record.id))
    let reading = TargetReading(reader: reader, selection: selection, depth: depth, columns: columns)
    targets = try ReportSeries.grouped(entries.filter { known.contains($0.run.id) }).compactMap {
      try reading.read($0)
    }.filter { $0.total.counts.due > 0 }
    findings = try ReportFindings(reader, selection, targets: targets, from: start, to: end, at: now)
    let (found, last) = (findings, end)
    legs = try targets.map { target in
      try LegTimes(
        target.series, found.slower(of: target.name, to: last), rate: target.askedRate, in: reader)
    }
    connections = try ConnectionHistory(reader, selection, runs: known, columns: columns)
  }
}

extension RunRecord {
  /// The end of what is recorded of it.
  fileprivate func lastMoment(now: WallTime) -> WallTime {
    phase(at: now).stoppedAt ?? lastHeartbeat.map { max($0, now) } ?? now
  }
}

/// The targets of several runs that continue one another: one name at one provider.
struct ReportSeries: Sendable {
  let entries: [TargetDirectory.Entry]

  static func grouped(_ entries: [TargetDirectory.Entry]) -> [ReportSeries] {
    struct Key: Hashable, Comparable {
      let name: String
      let provider: String

      static func < (a: Key, b: Key) -> Bool { (a.name, a.provider) < (b.name, b.provider) }
    }
    let groups = Dictionary(grouping: entries) { Key(name: $0.target.name, provider: $0.target.provider) }
    return groups.sorted { $0.key < $1.key }.map { ReportSeries(entries: $0.value) }
  }
}

/// What the report shows of a target.
struct ReportTarget: Sendable {
  let series: ReportSeries
  let name: String
  let provider: String
  /// The rate of its last run, per second.
  let askedRate: Double
  /// µs from planned, of its last run; `nil` when no receipt is expected.
  let receiptDeadline: Int64?
  var expectsReceipts: Bool { receiptDeadline != nil }
  /// The summary over all variants.
  let total: GroupSummary
  /// One for each variant, where there are several.
  let variants: [GroupSummary]
  let timeline: LatencyTimeline
  let dots: NotificationDots
  /// End of the time that was read from rollups; `nil` when all figures come from single notifications.
  let rolledUpTo: WallTime?

  /// What its charts show: delivery, or acceptance where no receipts are expected.
  var metric: Metric { timeline.metric }

  /// The figures of that metric.
  var latencies: ValueSummary? { total.metrics.first { $0.metric == metric }?.all }
}

/// Reads a target for the report.
struct TargetReading {
  let reader: StoreReader
  let selection: RowSelection
  let depth: RollupThreshold
  let columns: TimeColumns

  /// - Returns: `nil` when nothing was due.
  func read(_ series: ReportSeries) throws -> ReportTarget? {
    let source = SeriesReader(reader)
    let ids = series.entries.map(\.target.id)
    guard let window = try source.window(of: ids, since: selection.since, until: selection.until) else {
      return nil
    }
    let names = Dictionary(
      series.entries.flatMap { $0.target.variants.map { ($0.id, $0.name) } },
      uniquingKeysWith: { first, _ in first })
    let hasVariants = Set(names.values).count > 1
    let expectsReceipts = series.entries.contains(where: \.target.expectsReceipts)
    var total = GroupAccumulator()
    var variants: [String: GroupAccumulator] = [:]
    var timeline = LatencyTimeline(columns, .judged(expectsReceipts: expectsReceipts))
    var dots = NotificationDots()
    let span = try source.span(of: window, depth.rows == .max ? .samples : .upTo(depth.rows))
    let covered = try source.forEach(
      in: window, from: span, figures: GroupAccumulator.figures,
      rollup: { bin in
        guard total.addIfComplete(bin) else { return false }
        if hasVariants { _ = variants[names[bin.variant] ?? "", default: .init()].addIfComplete(bin) }
        timeline.add(bin)
        dots.addUnnamed()
        return true
      },
      row: { row in
        total.add(row)
        if hasVariants { variants[names[row.variant] ?? "", default: GroupAccumulator()].add(row) }
        timeline.add(row)
        dots.add(row, timeline.metric)
      })
    let metrics = Set(Metric.allCases)
    let roundTrips = try source.roundTrips(in: window)
    let history = try source.history(of: window, metrics: metrics, shares: GroupAccumulator.shares)
    var sent: [VariantID: SentTime] = [:]
    for (variant, group) in variants {
      var part = window
      part.variants = Set(names.filter { $0.value == variant }.keys)
      let group = try group.finer(part, source, depth, span) ?? group
      variants[variant] = group
      for id in part.variants ?? [] { sent[id] = group.sentTime(in: window.time) }
    }
    let histories =
      hasVariants
      ? try source.historiesByVariant(
        of: window, sent: sent, metrics: metrics, shares: GroupAccumulator.shares) : [:]
    func summary(_ group: GroupAccumulator, _ variant: String, _ history: SeriesHistory) -> GroupSummary {
      group.summary(
        variant: variant, expectsReceipts: expectsReceipts, roundTrips, .dependent, in: window.time, history)
    }
    let last = series.entries[series.entries.count - 1].target
    return ReportTarget(
      series: series, name: last.name, provider: last.provider, askedRate: last.askedRate,
      receiptDeadline: last.receiptDeadline,
      total: summary(total, "", history),
      variants: variants.sorted { $0.key < $1.key }.map { name, group in
        let own = histories.first { names[$0.key] == name }?.value
        return summary(group, name, own ?? .none)
      }, timeline: timeline, dots: dots, rolledUpTo: covered?.upperBound)
  }
}
