import Formats
import Measurement
import Store

/// The columns of `histogram`: the buckets of a target's, variant's and metric's values that hold any.
enum HistogramTable {
  struct Row {
    let metric: Metric
    let lower: Int64
    let upper: Int64
    let count: Int
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
  ]
}

extension Exporter {
  func histogram(to sink: any ByteSink) throws -> Int64 {
    let columns = HistogramTable.columns
    return try write(columns, to: sink) { writer in
      try TargetWalk.forEach(
        reader, selection, start: { _ in [VariantID: [LatencyHistogram]]() },
        add: { tally, row in
          for (index, metric) in Metric.allCases.enumerated() {
            guard let value = row.value(of: metric) else { continue }
            tally[row.variant, default: Metric.allCases.map { _ in LatencyHistogram() }][index].record(value)
          }
        },
        finish: { entry, tally in
          for variant in entry.target.variants {
            guard let histograms = tally[variant.id] else { continue }
            let context = HistogramTable.Context(entry: entry, variant: variant.name)
            for (metric, histogram) in zip(Metric.allCases, histograms) {
              for bucket in histogram.buckets where bucket.count > 0 {
                let row = HistogramTable.Row(
                  metric: metric, lower: bucket.lower, upper: bucket.upper, count: bucket.count)
                try write(row, context, columns, to: &writer)
              }
            }
          }
        })
    }
  }
}
