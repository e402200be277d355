import GRDB
import Measurement

extension StoreReader {
  /// Visits some samples by their ids, in the order of run, target, sequence; ids that are not there are passed over.
  ///
  /// Rows are copied out a chunk at a time and visited outside any transaction, as when a selection is streamed.
  public func forEachSample(withIDs ids: [SampleID], _ body: (borrowing SampleRow) throws -> Void) throws {
    let sorted = ids.sorted()
    var chunk = SampleChunk(capacity: SampleChunk.streamCapacity)
    var next = 0
    while next < sorted.count {
      let end = min(sorted.count, next + SampleChunk.streamCapacity)
      // Whole numbers need no escaping, and one statement takes any number of them.
      let list = "[" + sorted[next..<end].map { "\($0.rawValue)" }.joined(separator: ",") + "]"
      try read { db in
        let statement = try RawStatement(
          db,
          """
          SELECT \(SampleColumn.list) FROM sample
          WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id
          """)
        statement.bind(list, at: 1)
        try chunk.fill(from: statement)
      }
      try chunk.forEach(body)
      next = end
    }
  }
}
