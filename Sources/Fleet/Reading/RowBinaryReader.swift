import Measurement

/// Reads the engine's format RowBinary (https://clickhouse.com/docs/en/interfaces/formats#rowbinary), value by value. What ends
/// too early is an error: the answer is another program's.
struct RowBinaryReader {
  private let bytes: [UInt8]
  private let place: String
  private var next = 0

  /// - Parameter place: of the engine, for errors.
  init(_ bytes: [UInt8], place: String) {
    (self.bytes, self.place) = (bytes, place)
  }

  var isAtEnd: Bool { next == bytes.count }

  private func cut() -> FleetError {
    .unexpectedAnswer("an answer of the engine ends within a row", place: place)
  }

  private mutating func take(_ count: Int) throws(FleetError) -> Range<Int> {
    guard count >= 0, count <= bytes.count - next else { throw cut() }
    defer { next += count }
    return next..<next + count
  }

  /// `Int64`, `UInt64` up to 2⁶³ - 1, `DateTime64`.
  mutating func integer() throws(FleetError) -> Int64 {
    let range = try take(8)
    return bytes.withUnsafeBytes {
      Int64(littleEndian: $0.loadUnaligned(fromByteOffset: range.lowerBound, as: Int64.self))
    }
  }

  mutating func real() throws(FleetError) -> Double {
    Double(bitPattern: UInt64(bitPattern: try integer()))
  }

  /// `UInt8`, `Bool`.
  mutating func flag() throws(FleetError) -> Bool { bytes[try take(1).lowerBound] != 0 }

  private mutating func length() throws(FleetError) -> Int {
    var value = 0
    var shift = 0
    while true {
      let byte = bytes[try take(1).lowerBound]
      value |= Int(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
      guard shift < 42 else { throw cut() }
    }
  }

  /// `String`; hostile where a person or a provider wrote it.
  mutating func text() throws(FleetError) -> String {
    let count = try length()
    return String(decoding: bytes[try take(count)], as: UTF8.self)
  }

  /// A value of a `Nullable` type.
  mutating func optional<Value>(
    _ value: (inout RowBinaryReader) throws(FleetError) -> Value
  ) throws(FleetError) -> Value? {
    try flag() ? nil : try value(&self)
  }

  mutating func optionalInteger() throws(FleetError) -> Int64? {
    try flag() ? nil : try integer()
  }

  mutating func optionalText() throws(FleetError) -> String? {
    try flag() ? nil : try text()
  }

  /// A value of a column.
  mutating func value(of type: ColumnType) throws(FleetError) -> ColumnValue {
    if type.isOptional, try flag() { return .null }
    return switch type.kind {
    case .uuid, .name, .text, .list, .labels: .text(try text())
    case .integer, .time, .revision: .integer(try integer())
    case .real: .real(try real())
    case .flag: .integer(try flag() ? 1 : 0)
    }
  }

  /// Reads the columns of a record that were selected by name.
  /// - Returns: `nil` where a value is not what this version knows; all columns are read then, too.
  mutating func record<Record>(_ columns: [RecordColumn<Record>], into blank: Record) throws(FleetError)
    -> Record?
  {
    try columns.read(into: blank) { column throws(FleetError) in try value(of: column.type) }
  }

  mutating func time() throws(FleetError) -> WallTime { WallTime(microseconds: try integer()) }

  mutating func optionalTime() throws(FleetError) -> WallTime? {
    try flag() ? nil : try time()
  }

  /// `Tuple(Array(Int64), Array(UInt64))`: the lower ends of buckets, and how many values are in each.
  mutating func buckets() throws(FleetError) -> PackedLatencies {
    var lower: [Int64] = []
    for _ in 0..<(try length()) { lower.append(try integer()) }
    var values = LatencyAccumulator()
    let count = try length()
    guard count == lower.count else { throw cut() }
    for place in 0..<count { values.add(lower[place], count: Int(try integer())) }
    return values.packed
  }
}

extension ColumnType {
  /// The column in a query whose answer ``RowBinaryReader/value(of:)`` reads.
  func selected(_ name: String) -> String {
    switch kind {
    case .name where isOptional: "CAST(\(name) AS Nullable(String))"
    case .uuid, .name: "toString(\(name))"
    case .revision: "toInt64(\(name))"
    case .labels: "''"
    case .text, .list, .integer, .real, .time, .flag: name
    }
  }
}

extension Array {
  /// The columns that an engine has.
  func forwarded<Record>() -> Self where Element == RecordColumn<Record> {
    filter { !$0.use.contains(.local) }
  }

  /// The columns in a query whose answer ``RowBinaryReader/record(_:into:)`` reads.
  func selected<Record>() -> String where Element == RecordColumn<Record> {
    map { $0.type.selected($0.name) }.joined(separator: ", ")
  }
}
