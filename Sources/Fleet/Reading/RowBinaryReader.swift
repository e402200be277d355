import Measurement
import Store

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

  private mutating func advance(_ count: Int) throws(FleetError) -> Range<Int> {
    guard count >= 0, count <= bytes.count - next else { throw cut() }
    defer { next += count }
    return next..<next + count
  }

  /// `Int64`, `UInt64` up to 2⁶³ - 1, `DateTime64`.
  mutating func integer() throws(FleetError) -> Int64 {
    let range = try advance(8)
    return bytes.withUnsafeBytes {
      Int64(littleEndian: $0.loadUnaligned(fromByteOffset: range.lowerBound, as: Int64.self))
    }
  }

  mutating func real() throws(FleetError) -> Double {
    Double(bitPattern: UInt64(bitPattern: try integer()))
  }

  /// `UInt8`, `Bool`.
  mutating func flag() throws(FleetError) -> Bool { bytes[try advance(1).lowerBound] != 0 }

  private mutating func length() throws(FleetError) -> Int {
    var value = 0
    var shift = 0
    while true {
      let byte = bytes[try advance(1).lowerBound]
      value |= Int(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
      guard shift < 42 else { throw cut() }
    }
  }

  /// `String`; hostile where a person or a provider wrote it.
  mutating func text() throws(FleetError) -> String {
    let count = try length()
    return String(decoding: bytes[try advance(count)], as: UTF8.self)
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

  /// Reads a notification's columns that were selected by name.
  mutating func sample(_ columns: [SampleColumn], _ id: SampleID, _ variant: VariantID) throws(FleetError)
    -> Sample
  {
    var sample = Sample(
      id: id, variant: variant, plannedAt: WallTime(microseconds: 0), plannedMonotonic: 0)
    // Stands for a word that only another version knows.
    sample.state = .inFlight
    for column in columns {
      switch (column.access, try value(of: column.type)) {
      case (.number(_, let set), .integer(let number)): set(&sample, number)
      case (.number(_, let set), .text(let text)):
        if let word = column.words.first(where: { $0.word == text }) { set(&sample, word.value) }
      case (.text(_, let set), .text(let text)): set(&sample, text)
      default: break
      }
    }
    return sample
  }

  /// Reads counts that were selected by ``StateCounts/selected``.
  /// More than any engine has, so that what is computed from counts does not overflow; a sequence has 40 bits, too.
  private static let mostRows: Int64 = 1 << 40

  /// A number of rows.
  mutating func count() throws(FleetError) -> Int {
    let count = try integer()
    guard (0...Self.mostRows).contains(count) else {
      throw .unexpectedAnswer("an answer of the engine counts \(count) rows", place: place)
    }
    return Int(count)
  }

  /// The sequence of a notification.
  mutating func sequence() throws(FleetError) -> Int64 {
    let sequence = try integer()
    guard (0..<Self.mostRows).contains(sequence) else {
      throw .unexpectedAnswer("an answer of the engine has a notification \(sequence)", place: place)
    }
    return sequence
  }

  mutating func counts() throws(FleetError) -> StateCounts {
    var counts = StateCounts()
    for state in StateCounts.forwarded { counts[state] = try count() }
    counts.sent = try count()
    counts.acceptedByProvider = try count()
    counts.displayExpected = try count()
    counts.displayed = try count()
    counts.displayAwaited = try count()
    return counts
  }

  mutating func time() throws(FleetError) -> WallTime { WallTime(microseconds: try integer()) }

  /// `Tuple(Array(Int64), Array(UInt64))`: the lower ends of buckets, and how many values are in each.
  mutating func buckets() throws(FleetError) -> PackedLatencies {
    var lower: [Int64] = []
    for _ in 0..<(try length()) { lower.append(try integer()) }
    var values = LatencyAccumulator()
    let count = try length()
    guard count == lower.count else { throw cut() }
    for place in 0..<count { values.add(lower[place], count: try self.count()) }
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
  /// The columns in a query whose answer ``RowBinaryReader/record(_:into:)`` reads.
  func selected<Record>() -> String where Element == RecordColumn<Record> {
    map { $0.type.selected($0.name) }.joined(separator: ", ")
  }

  /// The columns in a query whose answer ``RowBinaryReader/sample(_:_:_:)`` reads.
  func selected() -> String where Element == SampleColumn {
    map { $0.type.selected($0.name) }.joined(separator: ", ")
  }
}

extension StateCounts {
  /// States that an engine has: what is only planned is not forwarded.
  fileprivate static let forwarded = NotificationState.allCases.filter { $0 != .planned }

  /// The columns in a query that counts notifications, whose answer ``RowBinaryReader/counts()`` reads.
  static let selected =
    (forwarded.map { "state = \(EngineText.quoted($0.name))" }
    + [
      "schedule_lag_us IS NOT NULL", "accept_us IS NOT NULL", "display IS NOT NULL",
      "ifNull(display, '') = \(EngineText.quoted(DisplayState.shown.name))",
      "ifNull(display, '') = \(EngineText.quoted(DisplayState.awaited.name))",
    ]).map { "toInt64(countIf(\($0)))" }
    .joined(separator: ", ")
}
