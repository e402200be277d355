import Analysis
import Findings
import Formats
import Measurement
import Store

/// The columns of `histogram`: the non-empty buckets of each target, variant and metric.
enum HistogramTable {
  struct Row {
    let metric: Metric
    let lower: Int64
    let upper: Int64
    let count: Int
    /// How many of these are only upper limits; `nil` for metrics without an error.
    let limits: Int?
    /// How many of these opened a connection.
    let fresh: Int
  }

  struct Context {
    let entry: TargetDirectory.Entry
    let variant: String
  }

  static let columns: [Column<Row, Context>] = [
    Column("run") { $2.uuid($1.entry.run.id.uuid.words) },
    Column("target") { $2.text($1.entry.target.name) },
    Column("variant") { $2.text($1.variant.isEmpty ? nil : $1.variant) },
    Column("metric") { $2.text($0.metric.rawValue) },
    Column("lower_us") { $2.integer($0.lower) },
    Column("upper_us") { $2.integer($0.upper) },
    Column("count") { $2.integer($0.count) },
    Column("upper_limits") { $2.integer($0.limits) },
    Column("fresh_count") { $2.integer($0.fresh) },
  ]
}

extension Exporter {
  func histogram(to sink: any ByteSink) throws -> Int64 {
    let columns = HistogramTable.columns
    let figures = TargetFigures(reader: reader, selection: selection, depth: depth)
    return try write(columns, to: sink) { writer in
      for entry in try TargetDirectory(reader, selection).entries {
        var accumulators: [VariantID: HistogramAccumulator] = [:]
        try figures.read(
          entry.target, HistogramAccumulator.figures,
          totals: {
            for total in $0.variants {
              accumulators[total.variant, default: HistogramAccumulator()].add(total, from: $0.from)
            }
          },
          row: { accumulators[$0.variant, default: HistogramAccumulator()].add($0) })
        let roundTrips = try self.roundTrips(of: entry.target)
        for variant in entry.target.variants {
          guard var accumulator = accumulators[variant.id] else { continue }
          if let roundTrips { accumulator.replacePath(roundTrips) }
          let context = HistogramTable.Context(entry: entry, variant: variant.name)
          try accumulator.forEachRow { try write($0, context, columns, to: &writer) }
        }
      }
    }
  }
}

extension Exporter {
  /// The PINGs of a target in the time that is selected; `nil` where nothing was due.
  private func roundTrips(of target: TargetRecord) throws -> RoundTrips? {
    let series = SeriesReader(reader)
    return try series.window(of: [target.id], since: selection.since, until: selection.until).map {
      try series.roundTrips(in: $0)
    }
  }
}

/// Counts the latencies of a variant in buckets, and separately those of requests that opened a connection and the deliveries
/// that are only upper limits.
struct HistogramAccumulator {
  private var latencies = Metric.allCases.map { _ in LatencyHistogram() }
  private var fresh = Metric.allCases.map { _ in LatencyHistogram() }
  private var limits = LatencyHistogram()
  /// When the first notification was planned that carries a round trip.
  private var firstPath: WallTime?

  /// The rollup figures that it reads.
  static let figures = Metric.allCases.reduce(into: Set([RollupFigure.deliveryLimit])) { figures, metric in
    figures.formUnion([RollupFigure(metric), RollupFigure(metric).fresh].compactMap { $0 })
  }

  mutating func add(_ row: borrowing SampleRow) {
    let isFresh = row.isFreshConnection ?? false
    for (index, metric) in Metric.allCases.enumerated() {
      guard let value = row.value(of: metric) else { continue }
      latencies[index].record(value)
      if isFresh { fresh[index].record(value) }
      if metric == .path { firstPath = min(firstPath ?? row.plannedAt, row.plannedAt) }
    }
    if row.deliveryCertainty == .limit, let value = row.deliveryLatency { limits.record(value) }
  }

  /// - Parameter start: of the time that it is the total of. What it has of the path is taken to begin in its first hour.
  mutating func add(_ total: RollupTotal, from start: WallTime) {
    if !total.latencies(of: .path).isEmpty {
      let first = start.advanced(byMicroseconds: RollupSpan.hour.microseconds)
      firstPath = min(firstPath ?? first, first)
    }
    for (index, metric) in Metric.allCases.enumerated() {
      let figure = RollupFigure(metric)
      latencies[index].merge(total.latencies(of: figure))
      if let fresh = figure.fresh { self.fresh[index].merge(total.latencies(of: fresh)) }
    }
    limits.merge(total.latencies(of: .deliveryLimit))
  }

  /// Counts each PING once in place of what notifications carry, where the PINGs reach back as far.
  mutating func replacePath(_ roundTrips: RoundTrips) {
    guard roundTrips.covers(carriedSince: firstPath), let index = Metric.allCases.firstIndex(of: .path) else {
      return
    }
    (latencies[index], fresh[index]) = (LatencyHistogram(), LatencyHistogram())
    roundTrips.forEach({ latencies[index].record($0.latency) }) { latencies[index].merge($0.latencies) }
  }

  func forEachRow(_ body: (HistogramTable.Row) throws -> Void) rethrows {
    let limited = Self.counts(limits)
    for (index, metric) in Metric.allCases.enumerated() {
      let opened = Self.counts(fresh[index])
      for bucket in latencies[index].buckets where bucket.count > 0 {
        try body(
          HistogramTable.Row(
            metric: metric, lower: bucket.lower, upper: bucket.upper, count: bucket.count,
            limits: metric == .delivery ? limited[bucket.lower] ?? 0 : nil, fresh: opened[bucket.lower] ?? 0))
      }
    }
  }

  /// The counts of the histogram, keyed by the lower end of the bucket.
  private static func counts(_ histogram: LatencyHistogram) -> [Int64: Int] {
    Dictionary(histogram.buckets.map { ($0.lower, $0.count) }) { first, _ in first }
  }
}
