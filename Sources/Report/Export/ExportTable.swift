import Formats

/// The tables that can be exported.
public enum ExportTable: String, Sendable, Hashable, CaseIterable {
  case samples, receipts, events, log, runs, histogram, summary

  /// Its columns, in order.
  public var columns: [String] {
    switch self {
    case .samples: SamplesTable.columns.map(\.name)
    case .receipts: ReceiptsTable.columns.map(\.name)
    case .events: EventsTable.columns.map(\.name)
    case .log: LogTable.columns.map(\.name)
    case .runs: RunsTable.columns.map(\.name)
    case .histogram: HistogramTable.columns.map(\.name)
    case .summary: SummaryTable.columns.map(\.name)
    }
  }
}
