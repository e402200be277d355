import Measurement

/// Finds the row of dots of a latency without logarithms, for thousands of points per frame.
///
/// The rows' lower edges are whole microseconds. The value's floating-point representation, truncated after five bits of the
/// fraction, is the index into a table with the row of the smallest value of the same bits; the row is at most a few edges
/// above that one. Exact for every value and every scale of the axis.
struct RowLookup: Sendable {
  let rows: Int
  /// Smallest value of each row, ascending; one more entry for values above the axis.
  private let edges: ContiguousArray<Int64>
  private let guesses: ContiguousArray<UInt16>

  /// The row of values below the axis; values above it have the row `rows`.
  static let below = -1

  private static let fractionBits = 5
  private static let octaves = 41
  private static let bias: UInt32 = 127

  init(axis: LatencyAxis, rows: Int) {
    let rows = min(max(rows, 1), 4_096)
    self.rows = rows
    var edges = ContiguousArray<Int64>()
    edges.reserveCapacity(rows + 1)
    for row in 0..<rows {
      edges.append(Self.lowerEdge(of: row, rows: rows, axis: axis))
    }
    edges.append(axis.upper + 1)
    var guesses = ContiguousArray<UInt16>()
    guesses.reserveCapacity(Self.octaves << Self.fractionBits)
    var row = 0
    for index in 0..<(Self.octaves << Self.fractionBits) {
      // Smallest value whose leading bits are these.
      let bits = UInt32(index) << UInt32(23 - Self.fractionBits) + Self.bias << 23
      let value = Int64(Float(bitPattern: bits).rounded(.up))
      while row < rows && edges[row + 1] <= value { row += 1 }
      guesses.append(UInt16(row))
    }
    self.edges = edges
    self.guesses = guesses
  }

  /// The row from the bottom, `below` or `rows`.
  func row(of value: Int64) -> Int { withReader { $0.row(of: value) } }

  /// Looks up many values without checking the tables' bounds for each.
  func withReader<Result>(_ body: (Reader) -> Result) -> Result {
    edges.withUnsafeBufferPointer { edges in
      guesses.withUnsafeBufferPointer { guesses in
        // Both hold at least one element: there is at least one row.
        body(Reader(rows: rows, edges: edges, guesses: guesses))
      }
    }
  }

  /// The tables as plain memory. Indices are in range by construction: a guess is at most `rows`, and there is one more edge.
  struct Reader {
    let rows: Int
    fileprivate let edges: UnsafeBufferPointer<Int64>
    fileprivate let guesses: UnsafeBufferPointer<UInt16>

    @inline(__always)
    func row(of value: Int64) -> Int {
      if value < edges[0] { return RowLookup.below }
      if value >= edges[rows] { return rows }
      // Truncated, not rounded: a value must not get the index of the next step.
      let bits = Float(truncating: value).bitPattern
      let index =
        Int(bits >> UInt32(23 - RowLookup.fractionBits)) - Int(RowLookup.bias) << RowLookup.fractionBits
      var row = index < 0 ? 0 : Int(guesses[min(index, guesses.count - 1)])
      while edges[row + 1] <= value { row += 1 }
      return row
    }
  }

  /// The smallest whole number that `LatencyAxis.row(of:rows:)` puts into the row.
  private static func lowerEdge(of row: Int, rows: Int, axis: LatencyAxis) -> Int64 {
    if row == 0 { return axis.kind == .logarithmic && axis.lower == 1 ? 0 : axis.lower }
    var edge = Int64(axis.value(at: Double(row) / Double(rows)).rounded(.up))
    // Floating-point arithmetic may be off by one in either direction.
    while let found = axis.row(of: edge, rows: rows), found < row { edge += 1 }
    while let found = axis.row(of: edge - 1, rows: rows), found >= row { edge -= 1 }
    return min(edge, axis.upper + 1)
  }
}

extension Float {
  /// The nearest value not above a non-negative whole number.
  @inline(__always)
  init(truncating value: Int64) {
    self.init(value)
    if self > 0 && Int64(self) > value { self = nextDown }
  }
}
