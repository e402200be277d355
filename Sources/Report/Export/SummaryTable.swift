import Findings
import Formats
import Measurement
import Store

/// The columns of `summary`: one row for each quantile of each target, variant and metric.
enum SummaryTable {
  struct Row {
    let summary: MetricSummary
    let figure: MetricSummary.Figure
  }

  struct Context {
    let run: RunID
    let target: String
    let variant: String
    let errors: DeliveryErrorSummary?

    /// How many values of the metric are only upper limits.
    func limits(_ metric: Metric) -> Int? { metric == .delivery ? errors?.limits ?? 0 : nil }
  }

  static let columns: [Column<Row, Context>] = [
    Column("run") { $2.uuid($1.run.uuid.words) },
    Column("target") { $2.text($1.target) },
    Column("variant") { $2.text($1.variant.isEmpty ? nil : $1.variant) },
    Column("metric") { $2.text($0.summary.metric.rawValue) },
    Column("planned") { $2.integer($0.summary.share.planned) },
    Column("counted") { $2.integer($0.summary.share.counted) },
    Column("quantile") { $2.number($0.figure.quantile.fraction) },
    Column("value_us") { $2.integer($0.figure.known?.value) },
    Column("low_us") { $2.integer($0.figure.known?.low) },
    Column("high_us") { $2.integer($0.figure.known?.high) },
    Column("upper_limits") { $2.integer($1.limits($0.summary.metric)) },
    Column("rests_on_limits") { $2.boolean($0.figure.known == nil ? nil : $0.figure.restsOnLimits) },
    Column("fresh_counted") { $2.integer($0.summary.fresh?.share.counted ?? 0) },
    Column("effective_count") { $2.number($0.figure.effectiveCount.map { ($0 * 10).rounded() / 10 }) },
    Column("history") { $2.boolean($0.figure.usesHistory) },
  ]
}

extension Exporter {
  func summary(to sink: any ByteSink) throws -> Int64 {
    let columns = SummaryTable.columns
    return try write(columns, to: sink) { writer in
      try SummaryReport.forEachTarget(reader, selection, depth, method) { run, target in
        for group in target.groups {
          let context = SummaryTable.Context(
            run: run.id, target: target.record.name, variant: group.variant,
            errors: group.deliveryErrors)
          for metric in group.metrics {
            for figure in metric.figures {
              try write(SummaryTable.Row(summary: metric, figure: figure), context, columns, to: &writer)
            }
          }
        }
      }
    }
  }
}

extension QuantileEstimate {
  /// The figures, unless there are too few values for them.
  var known: (value: Int64, low: Int64, high: Int64)? {
    guard case .known(let value, let low, let high) = self else { return nil }
    return (value, low, high)
  }
}
