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
