import GRDB

extension Database {
  /// All rows of a statement that is prepared once in a connection's life: screens ask the same again and again, and
  /// preparing takes longer than the answer.
  func cachedRows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
    try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
  }
}
