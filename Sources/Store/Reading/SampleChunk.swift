import GRDB
import Measurement

/// Rows copied out of the database as plain numbers, so that whoever visits them may take its time: a slow reader of an
/// export's pipe holds no read transaction open, which would keep the WAL from starting over.
struct SampleChunk {
  private var values: ContiguousArray<Int64> = []
  /// The texts of all rows, one after the other.
  private var texts: ContiguousArray<UInt8> = []
  private(set) var count = 0

  /// How many rows are copied at a time.
  static let capacity = 1024

  init() {
    values.reserveCapacity(Self.capacity * SampleColumn.count)
    texts.reserveCapacity(1)
  }

  /// Steps through a statement that selects ``SampleColumn/list``.
  mutating func fill(from statement: RawStatement) throws {
    values.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    count = 0
    while try statement.step() {
      append(from: statement)
    }
  }

  @inline(__always)
  private mutating func append(from statement: RawStatement) {
    let reason = SampleColumn.reason.rawValue
    for column in 0..<Int32(SampleColumn.count) where column != reason {
      values.append(statement.rawInteger(column))
      if column == reason - 1 { values.append(copyText(statement.bytes(reason))) }
    }
    count += 1
  }

  private mutating func copyText(_ bytes: UnsafeBufferPointer<UInt8>?) -> Int64 {
    guard let bytes else { return SampleRow.absent }
    defer { texts.append(contentsOf: bytes) }
    return TextPlace(offset: texts.count, count: bytes.count).packed
  }

  /// The id of the last row; `nil` when there is none.
  var lastID: Int64? { count == 0 ? nil : values[(count - 1) * SampleColumn.count] }

  func forEach(_ body: (borrowing SampleRow) throws -> Void) rethrows {
    try values.withUnsafeBufferPointer { values in
      try texts.withUnsafeBufferPointer { texts in
        // An empty array may have no address; no row of it has a text to look up then.
        guard let numbers = values.baseAddress else { return }
        let characters = texts.baseAddress ?? UnsafePointer(bitPattern: 1)
        guard let characters else { return }
        for index in 0..<count {
          try body(SampleRow(values: numbers + index * SampleColumn.count, texts: characters))
        }
      }
    }
  }
}

/// Statements over the `sample` table that more than one kind of reader uses.
enum SampleQuery {
  static func sample(_ id: SampleID, _ db: Database) throws -> Sample? {
    let statement = try RawStatement(db, "SELECT \(SampleColumn.list) FROM sample WHERE id = ?1")
    statement.bind(id.rawValue, at: 1)
    var chunk = SampleChunk()
    try chunk.fill(from: statement)
    var found: Sample?
    chunk.forEach { found = $0.sample }
    return found
  }
}
