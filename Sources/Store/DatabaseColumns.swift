import GRDB
import Measurement

extension ColumnValue {
  /// A value that a statement gave; bytes are none of a record's.
  init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null, .blob: .null
      case .int64(let value): .integer(value)
      case .double(let value): .real(value)
      case .string(let value): .text(value)
      }
  }

  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let value): value.databaseValue
    case .real(let value): value.databaseValue
    case .text(let value): value.databaseValue
    }
  }
}

extension Row {
  /// A column's value. GRDB's own subscripts end the process where the value is of another type or NULL, which a damaged or
  /// edited file has in spite of its schema.
  /// - Throws: `DatabaseError` with the code of a damaged database.
  func value<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value {
    guard let value = Value.fromDatabaseValue(self[index]) else {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "a row has no usable value of \(Array(columnNames)[index])")
    }
    return value
  }

  /// A column's value; `nil` where it is NULL.
  /// - Throws: `DatabaseError` with the code of a damaged database.
  func optional<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value? {
    (self[index] as DatabaseValue).isNull ? nil : try value(index)
  }

  /// Reads a record, whose columns begin at a place.
  /// - Returns: `nil` where a value is of another type, as of a word that only another version knows.
  func record<Record>(_ columns: [RecordColumn<Record>], from first: Int, into blank: Record) -> Record? {
    var values = databaseValues.dropFirst(first).makeIterator()
    return columns.read(into: blank) { _ in values.next().map { ColumnValue($0) } ?? .null }
  }
}

extension Array {
  /// The select list of a query in which the table is named x and, for findings, the run r.
  func selectList<Record>() -> String where Element == RecordColumn<Record> {
    map(\.sql).joined(separator: ", ")
  }

  /// The columns and the parameters of an INSERT, for ``arguments(of:)`` and the values of further columns.
  func insertList<Record>(with further: String...) -> String where Element == RecordColumn<Record> {
    let names = written().map(\.name) + further
    return "(\(names.joined(separator: ", "))) VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
  }

  /// A record's values of the columns that are written.
  func arguments<Record>(of record: Record) -> StatementArguments where Element == RecordColumn<Record> {
    StatementArguments(written().map { $0.value(record).databaseValue })
  }
}

extension Sequence<String> {
  /// The assignments of an upsert, for columns of these names.
  var upsertAssignments: String { map { "\($0) = excluded.\($0)" }.joined(separator: ", ") }
}

extension Database {
  /// Inserts a record as a row.
  /// - Parameter replacing: whether the row replaces one with the same key.
  func insert<Record>(
    _ record: Record, _ columns: [RecordColumn<Record>], into table: String, replacing: Bool = false
  ) throws {
    try cachedStatement(
      sql: "INSERT \(replacing ? "OR REPLACE " : "")INTO \(table) \(columns.insertList())"
    ).execute(arguments: columns.arguments(of: record))
  }

  /// Reads all rows of a table but those that this version cannot read.
  /// - Parameter table: the table, named x, and the order.
  func records<Record>(
    _ columns: [RecordColumn<Record>], into blank: Record, from table: String
  ) throws -> [Record] {
    try cachedRows("SELECT \(columns.selectList()) FROM \(table)").compactMap {
      $0.record(columns, from: 0, into: blank)
    }
  }
}
