import GRDB
import Measurement

/// Statements over the `sample` table that the writer and readers share.
enum SampleQuery {
  static func sample(_ id: SampleID, _ db: Database) throws -> Sample? {
    let statement = try RawStatement(db, "SELECT \(SampleColumn.list) FROM sample WHERE id = ?1")
    statement.bind(id.rawValue, at: 1)
    var chunk = SampleChunk(capacity: 1)
    try chunk.fill(from: statement)
    var found: Sample?
    chunk.forEach { found = $0.sample }
    return found
  }
}
