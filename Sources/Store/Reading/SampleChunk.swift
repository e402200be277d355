import GRDB
import Measurement

/// Rows copied out of the database as plain numbers, so that whoever visits them may take its time: a slow reader of an
/// export's pipe holds no read transaction open, which would keep the WAL from starting over.
struct SampleChunk {
  /// ``SampleColumn/count`` numbers a row.
  private var values: ContiguousArray<Int64>
  /// The texts of all rows, one after the other.
  private var texts: ContiguousArray<UInt8> = []
  private let capacity: Int
  private(set) var count = 0

  /// How many rows a stream copies at a time.
  static let streamCapacity = 1024

  init(capacity: Int) {
    self.capacity = capacity
    values = ContiguousArray(repeating: 0, count: capacity * SampleColumn.count)
  }

  /// Whether there may be more where these came from.
  var isFull: Bool { count == capacity }

  /// The id of the last row; `nil` when there is none.
  var lastID: Int64? { count == 0 ? nil : values[(count - 1) * SampleColumn.count] }

  /// Takes the rows of a statement that selects ``SampleColumn/list``, as many as there is room for.
  mutating func fill(from statement: RawStatement) throws {
    var texts = ContiguousArray<UInt8>()
    swap(&texts, &self.texts)
    texts.removeAll(keepingCapacity: true)
    var filled = 0
    let capacity = capacity
    let required = SampleColumn.requiredMask
    try values.withUnsafeMutableBufferPointer { values in
      while filled < capacity, try statement.step() {
        let row = UnsafeMutableBufferPointer(
          rebasing: values[filled * SampleColumn.count..<(filled + 1) * SampleColumn.count])
        Self.copy(statement, to: row, required: required, texts: &texts)
        filled += 1
      }
    }
    if filled == capacity { statement.reset() }
    swap(&texts, &self.texts)
    count = filled
  }

  @inline(__always)
  private static func copy(
    _ statement: RawStatement, to row: UnsafeMutableBufferPointer<Int64>, required: UInt32,
    texts: inout ContiguousArray<UInt8>
  ) {
    for column in 0..<SampleColumn.count {
      if required & (1 << UInt32(column)) != 0 {
        row[column] = statement.integer(Int32(column))
      } else {
        row[column] = statement.rawInteger(Int32(column))
      }
    }
    let reason = SampleColumn.reason.rawValue
    if row[Int(reason)] != SampleRow.absent, let bytes = statement.bytes(reason) {
      row[Int(reason)] = TextSlice(offset: texts.count, count: bytes.count).packed
      texts.append(contentsOf: bytes)
    }
  }

  func forEach(_ body: (borrowing SampleRow) throws -> Void) rethrows {
    try values.withUnsafeBufferPointer { values in
      try texts.withUnsafeBufferPointer { texts in
        guard let numbers = values.baseAddress else { return }
        for index in 0..<count {
          try body(SampleRow(values: numbers + index * SampleColumn.count, texts: texts.baseAddress))
        }
      }
    }
  }
}
