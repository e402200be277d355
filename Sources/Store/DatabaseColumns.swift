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
  /// Reads a record, whose columns begin at a place.
  /// - Returns: `nil` where a value is of another type, as of a word that only another version knows.
  func record<Record>(_ columns: [RecordColumn<Record>], from first: Int, into blank: Record) -> Record? {
    var values = databaseValues.dropFirst(first).makeIterator()
    return columns.read(into: blank) { _ in values.next().map { ColumnValue($0) } ?? .null }
  }
}
