import Measurement

/// One column of a table of rows: its name, and how a row's field is written. A list of these is all that CSV and JSON
/// Lines need to know of a table.
public struct Column<Row>: Sendable {
  public let name: String
  let write: @Sendable (borrowing Row, inout RecordWriter) -> Void

  public init(_ name: String, _ write: @escaping @Sendable (borrowing Row, inout RecordWriter) -> Void) {
    self.name = name
    self.write = write
  }
}

extension RecordWriter {
  /// Writes one row.
  @inline(__always)
  public mutating func row<Row>(_ row: borrowing Row, _ columns: [Column<Row>]) throws(OutputError) {
    beginRow()
    for column in columns { column.write(row, &self) }
    try endRow()
  }
}
