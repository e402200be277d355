/// One column of a table: its name, and how a row's field is written. A list of these is all that CSV and JSON Lines
/// need to know of a table.
///
/// `Context` is what neighboring rows share, like the run and the target, so that rows need not carry it.
public struct Column<Row: ~Copyable, Context>: Sendable {
  /// Writes exactly one field.
  public typealias Write = @Sendable (borrowing Row, Context, inout RecordWriter) -> Void

  public let name: String
  @usableFromInline let write: Write

  public init(_ name: String, _ write: @escaping Write) {
    self.name = name
    self.write = write
  }
}

extension RecordWriter {
  /// Writes one row.
  @inlinable
  public mutating func row<Row: ~Copyable, Context>(
    _ row: borrowing Row, in context: Context, _ columns: [Column<Row, Context>]
  ) throws(OutputError) {
    beginRow()
    // By index: taking a column out of the array would count references to its name, each time.
    for index in columns.indices { columns[index].write(row, context, &self) }
    try endRow()
  }
}
