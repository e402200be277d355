import Formats
import Measurement
import Store

extension Exporter {
  /// Writes some rows of the table `samples`, with its columns and in its order; ids that are not in the store are passed
  /// over. The exporter's selection should hold all of the ids' runs.
  /// - Returns: how many rows there were.
  @discardableResult
  public func exportSamples(withIDs ids: [SampleID], to sink: any ByteSink) throws -> Int64 {
    let columns = SamplesTable.columns
    let directory = try TargetDirectory(reader, selection)
    return try write(columns, to: sink) { writer in
      var context: SamplesTable.Context?
      try reader.forEachSample(withIDs: ids) { row in
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
