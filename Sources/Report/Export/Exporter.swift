import Analysis
import Formats
import Measurement
import Store

/// Writes the rows of a selection as CSV or JSON Lines. It streams: memory does not grow with the number of rows.
public struct Exporter {
  let reader: any SampleSource
  let selection: RowSelection
  let format: RecordFormat
  /// How much of `summary` and `histogram` is read from single notifications.
  let depth: RollupThreshold
  /// How the intervals of `summary` are computed.
  let method: IntervalMethod
  /// Called with the number of rows written, every few thousand.
  let progress: (Int64) -> Void

  static let rowsBetweenReports: Int64 = 8192

  public init(
    reader: any SampleSource, selection: RowSelection = RowSelection(), format: RecordFormat = .csv,
    isExact: Bool = false, method: IntervalMethod = .dependent,
    progress: @escaping (Int64) -> Void = { _ in }
  ) {
    self.init(
      reader: reader, selection: selection, format: format, depth: isExact ? .exact : .standard,
      method: method, progress: progress)
  }

  init(
    reader: any SampleSource, selection: RowSelection = RowSelection(), format: RecordFormat = .csv,
    depth: RollupThreshold, method: IntervalMethod = .dependent,
    progress: @escaping (Int64) -> Void = { _ in }
  ) {
    self.reader = reader
    self.selection = selection
    self.format = format
    self.depth = depth
    self.method = method
    self.progress = progress
  }

  /// Writes a table.
  ///
  /// - Returns: the number of rows.
  /// - Throws: ``StoreError`` while reading, ``OutputError`` while writing, ``ReportError`` when a run was deleted meanwhile.
  @discardableResult
  public func export(_ table: ExportTable, to sink: any ByteSink) throws -> Int64 {
    switch table {
    case .samples: try samples(to: sink)
    case .receipts: try receipts(to: sink)
    case .events: try events(to: sink)
    case .log: try log(to: sink)
    case .runs: try runs(to: sink)
    case .histogram: try histogram(to: sink)
    case .summary: try summary(to: sink)
    case .findings: try findings(to: sink)
    }
  }

  /// Writes the header and the rows.
  func write<Row: ~Copyable, Context>(
    _ columns: [Column<Row, Context>], to sink: any ByteSink, _ body: (inout RecordWriter) throws -> Void
  ) throws -> Int64 {
    var writer = RecordWriter(format: format, columns: columns.map(\.name), sink: sink)
    try writer.header()
    try body(&writer)
    try writer.finish()
    return writer.rowCount
  }

  /// Writes one row, and reports progress every few thousand.
  func write<Row: ~Copyable, Context>(
    _ row: borrowing Row, _ context: Context, _ columns: [Column<Row, Context>], to writer: inout RecordWriter
  ) throws {
    try writer.row(row, in: context, columns)
    if writer.rowCount % Self.rowsBetweenReports == 0 { progress(writer.rowCount) }
  }
}

/// The tables that can be exported.
public enum ExportTable: String, Sendable, Hashable, CaseIterable {
  case samples, receipts, events, log, runs, histogram, summary, findings

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
    case .findings: FindingsTable.columns.map(\.name)
    }
  }
}

extension Exporter {
  /// Writes some rows of a source's table `samples`, in its order. Ids that are not in it are skipped. The exporter's selection
  /// must include the runs of all ids.
  /// - Returns: the number of rows.
  @discardableResult
  public func exportSamples(withIDs ids: [SampleID], of source: any DashboardSource, to sink: any ByteSink)
    throws
    -> Int64
  {
    let columns = SamplesTable.columns
    let directory = try TargetDirectory(source, selection)
    return try write(columns, to: sink) { writer in
      var context: SamplesTable.Context?
      try source.forEachSample(withIDs: ids) { row in
        let current: SamplesTable.Context
        if let context, context.id == row.id.target {
          current = context
        } else {
          current = SamplesTable.Context(try directory.entry(for: row.id.target), format: format)
          context = current
        }
        try write(row, current, columns, to: &writer)
      }
    }
  }
}
