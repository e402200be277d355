import GRDB
import GRDBSQLite
import Measurement

/// A prepared statement of GRDB that is bound, stepped and read through SQLite's C interface: boxing each value would
/// double the cost of reading and writing millions of rows.
///
/// Valid while the connection is accessed, on the thread that accesses it.
struct RawStatement {
  let handle: OpaquePointer
  /// Keeps the handle alive.
  private let statement: Statement

  /// Tells SQLite to copy a bound text (the C macro casts a number to a function and is not imported).
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// A statement from the connection's cache, which keeps it for the connection's lifetime.
  init(_ db: Database, _ sql: String) throws {
    statement = try db.cachedStatement(sql: sql)
    handle = statement.sqliteStatement
  }

  // MARK: Binding, columns from 1

  @inline(__always)
  func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, value) }

  @inline(__always)
  func bind(_ value: Int, at index: Int32) { sqlite3_bind_int64(handle, index, Int64(value)) }

  @inline(__always)
  func bind(_ value: Int64?, at index: Int32) {
    if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
  }

  @inline(__always)
  func bind(_ value: Int?, at index: Int32) { bind(value.map(Int64.init), at: index) }

  func bind(_ text: String?, at index: Int32) {
    guard var text else {
      sqlite3_bind_null(handle, index)
      return
    }
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // An empty buffer may have no address, which SQLite would bind as NULL.
        guard let start = characters.baseAddress else {
          _ = sqlite3_bind_text(handle, index, "", 0, Self.transient)
          return
        }
        _ = sqlite3_bind_text(handle, index, start, Int32(characters.count), Self.transient)
      }
    }
  }

  /// Binds bytes; empty ones as NULL.
  func bind(_ bytes: [UInt8], at index: Int32) {
    guard !bytes.isEmpty else {
      sqlite3_bind_null(handle, index)
      return
    }
    _ = bytes.withUnsafeBytes {
      sqlite3_bind_blob(handle, index, $0.baseAddress, Int32($0.count), Self.transient)
    }
  }

  func bind(_ value: ColumnValue, at index: Int32) {
    switch value {
    case .null: sqlite3_bind_null(handle, index)
    case .integer(let number): bind(number, at: index)
    case .real(let number): sqlite3_bind_double(handle, index, number)
    case .text(let text): bind(text, at: index)
    }
  }

  // MARK: Running

  /// Steps to the next row.
  /// - Returns: `false` when there is none; the statement is then reset.
  @inline(__always)
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    default: throw failure()
    }
  }

  /// Runs a statement without rows, and resets it.
  @inline(__always)
  func run() throws {
    if sqlite3_step(handle) != SQLITE_DONE { throw failure() }
    sqlite3_reset(handle)
  }

  func reset() { sqlite3_reset(handle) }

  private func failure() -> DatabaseError {
    let code = sqlite3_reset(handle)
    let connection = sqlite3_db_handle(handle)
    return DatabaseError(
      resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
      message: code == SQLITE_OK ? nil : String(cString: sqlite3_errmsg(connection)),
      sql: String(cString: sqlite3_sql(handle)))
  }

  // MARK: Reading, columns from 0

  @inline(__always)
  func isNull(_ index: Int32) -> Bool { sqlite3_column_type(handle, index) == SQLITE_NULL }

  @inline(__always)
  func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

  func real(_ index: Int32) -> Double { sqlite3_column_double(handle, index) }

  @inline(__always)
  func optionalInteger(_ index: Int32) -> Int64? {
    isNull(index) ? nil : sqlite3_column_int64(handle, index)
  }

  /// The integer; `Int64.min` for NULL.
  @inline(__always)
  func rawInteger(_ index: Int32) -> Int64 {
    isNull(index) ? .min : sqlite3_column_int64(handle, index)
  }

  func text(_ index: Int32) -> String? {
    guard let bytes = bytes(index) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads a record, whose columns begin at a place.
  /// - Returns: `nil` where a value is of another type, as of a word that only another version knows.
  func record<Record>(_ columns: [RecordColumn<Record>], from first: Int32, into blank: Record) -> Record? {
    var index = first
    return columns.read(into: blank) { _ in
      defer { index += 1 }
      return value(index)
    }
  }

  private func value(_ index: Int32) -> ColumnValue {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: .integer(integer(index))
    case SQLITE_FLOAT: .real(real(index))
    case SQLITE_TEXT: .text(text(index) ?? "")
    default: .null
    }
  }

  /// The text's bytes, valid until the next step.
  @inline(__always)
  func bytes(_ index: Int32) -> UnsafeBufferPointer<UInt8>? {
    guard let start = sqlite3_column_text(handle, index) else { return nil }
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
  }

  /// A copy of a blob; empty for NULL.
  func blob(_ index: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, index) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
  }
}

extension Database {
  /// All rows of a cached statement: for short queries, preparing takes longer than running.
  func cachedRows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
    try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
  }
}
