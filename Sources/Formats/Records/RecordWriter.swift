import Measurement

/// Writes rows of typed fields, as CSV or as JSON Lines, through one reused buffer.
///
/// Between ``beginRow()`` and ``endRow()`` every column gets exactly one call, in order; each writer takes `nil` for
/// an absent value. Nothing is allocated per row.
public struct RecordWriter: ~Copyable {
  /// Buffered bytes are written when there are this many.
  static let bufferBytes = 256 * 1024

  var bytes: ByteBuffer
  public let format: RecordFormat
  private let sink: any ByteSink
  /// The separators before each field, concatenated, and the offset of each.
  private let prefixes: UnsafeMutableRawBufferPointer
  private let starts: UnsafeMutableBufferPointer<Int>
  private let columns: [String]
  private var column = 0
  private var day = DayText()

  /// Rows finished so far.
  public private(set) var rowCount: Int64 = 0

  public init(format: RecordFormat, columns: [String], sink: any ByteSink) {
    self.format = format
    self.columns = columns
    self.sink = sink
    bytes = ByteBuffer(capacity: Self.bufferBytes + 16 * 1024)
    starts = .allocate(capacity: columns.count + 1)
    var joined = ByteBuffer(capacity: 1024)
    for (index, name) in columns.enumerated() {
      starts[index] = joined.count
      switch format {
      case .csv:
        if index > 0 { joined.append(0x2C) }
      case .jsonl:
        joined.append(index == 0 ? 0x7B : 0x2C)
        joined.append(jsonString: name)
        joined.append(0x3A)
      }
    }
    starts[columns.count] = joined.count
    prefixes = .allocate(byteCount: max(1, joined.count), alignment: 1)
    prefixes.copyMemory(from: joined.bytes)
  }

  deinit {
    prefixes.deallocate()
    starts.deallocate()
  }

  /// Writes the header row, where the format has one.
  public mutating func header() throws(OutputError) {
    guard format == .csv else { return }
    for (index, name) in columns.enumerated() {
      if index > 0 { bytes.append(0x2C) }
      bytes.append(csvText: name)
    }
    bytes.append("\r\n")
    try handOnIfFull()
  }

  /// Begins a row; its fields follow in the order of the columns.
  public mutating func beginRow() { column = 0 }

  /// Ends the row. Writes when enough is buffered.
  public mutating func endRow() throws(OutputError) {
    assert(column == columns.count, "a row of \(column) fields for \(columns.count) columns")
    switch format {
    case .csv: bytes.append("\r\n")
    case .jsonl: bytes.append(columns.isEmpty ? "{}\n" : "}\n")
    }
    rowCount += 1
    try handOnIfFull()
  }

  /// Writes what is buffered. Call it once, after the last row.
  public mutating func finish() throws(OutputError) {
    try sink.write(bytes.bytes)
    bytes.removeAll()
  }

  /// Adds a field; `nil` is empty in CSV and null in JSON Lines.
  public mutating func integer(_ value: Int64?) {
    next()
    if let value { bytes.append(integer: value) } else { absent() }
  }

  /// Adds a field; `nil` is empty in CSV and null in JSON Lines.
  public mutating func integer(_ value: Int?) { integer(value.map(Int64.init)) }

  /// Adds a field; `nil`, and what is not finite, is empty in CSV and null in JSON Lines.
  public mutating func number(_ value: Double?) {
    next()
    if let value, value.isFinite { bytes.append(number: value) } else { absent() }
  }

  /// Adds a field, `true` or `false`; `nil` is empty in CSV and null in JSON Lines.
  public mutating func boolean(_ value: Bool?) {
    next()
    if let value { bytes.append(value ? "true" : "false") } else { absent() }
  }

  /// RFC 3339, UTC, microseconds.
  public mutating func time(_ value: WallTime?) {
    next()
    guard let value else { return absent() }
    if format == .jsonl { bytes.append(0x22) }
    day.append(value, to: &bytes)
    if format == .jsonl { bytes.append(0x22) }
  }

  /// A UUID in lower case (RFC 9562), as its two halves, big-endian.
  public mutating func uuid(_ words: (high: UInt64, low: UInt64)) {
    next()
    if format == .jsonl { bytes.append(0x22) }
    bytes.append(uuid: words)
    if format == .jsonl { bytes.append(0x22) }
  }

  /// Text that was encoded for this format before.
  public mutating func prepared(_ value: PreparedText) {
    next()
    value.bytes.withUnsafeBytes { bytes.append($0) }
  }

  /// Untrusted text, as UTF-8.
  public mutating func text(_ value: UnsafeRawBufferPointer?) {
    next()
    guard let value else { return absent() }
    switch format {
    case .csv: bytes.append(csvText: value)
    case .jsonl: bytes.append(jsonString: value)
    }
  }

  /// Untrusted text.
  public mutating func text(_ value: String?) {
    guard var value else { return text(UnsafeRawBufferPointer?.none) }
    value.withUTF8 { text(UnsafeRawBufferPointer($0)) }
  }

  /// Adds a field of a column.
  public mutating func value(_ value: ColumnValue, of type: ColumnType) {
    switch value {
    case .null: text(nil as String?)
    case .integer(let number):
      switch type.kind {
      case .time: time(WallTime(microseconds: number))
      case .flag: boolean(number != 0)
      case .uuid, .name, .text, .list, .integer, .real, .revision, .labels: integer(number)
      }
    case .real(let number): self.number(number)
    case .text(let text): self.text(text)
    }
  }

  @inline(__always)
  private mutating func next() {
    let start = starts[column]
    let end = starts[column + 1]
    bytes.append(UnsafeRawBufferPointer(rebasing: prefixes[start..<end]))
    column += 1
  }

  private mutating func absent() {
    if format == .jsonl { bytes.append("null") }
  }

  private mutating func handOnIfFull() throws(OutputError) {
    guard bytes.count >= Self.bufferBytes else { return }
    try sink.write(bytes.bytes)
    bytes.removeAll()
  }
}

/// How rows are written.
public enum RecordFormat: String, Sendable, Hashable, CaseIterable {
  /// RFC 4180: a header row, CRLF, quotes only where needed. Text that acts on a terminal or in a spreadsheet is escaped, so
  /// a field may differ from what was stored. A field never contains a line break.
  case csv
  /// JSON Lines: one object per row, all keys in column order, absent values `null`. Text reads back exactly as stored.
  case jsonl
}

/// One column of a table: its name, and how the field of a row is written. A list of columns describes a table.
///
/// `Context` holds what neighboring rows share, like the run and the target.
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
    // By index: iterating would retain and release each column's name.
    for index in columns.indices { columns[index].write(row, context, &self) }
    try endRow()
  }
}

/// Text encoded for one format in advance, for fields that many rows share.
public struct PreparedText: Sendable {
  let bytes: [UInt8]

  /// - Parameter text: `nil` for an absent value.
  public init(_ text: String?, for format: RecordFormat) {
    var buffer = ByteBuffer(capacity: 64)
    switch (format, text) {
    case (.csv, let text?): buffer.append(csvText: text)
    case (.csv, nil): break
    case (.jsonl, let text?): buffer.append(jsonString: text)
    case (.jsonl, nil): buffer.append("null")
    }
    bytes = Array(buffer.bytes)
  }
}
