import GRDB
import Measurement

/// One row of the `sample` table during a visit. Values are decoded on access and the text is borrowed, so that an
/// export decodes only what it writes.
///
/// It points into a buffer that is reused after the visit, so it cannot be copied; ``sample`` returns a copy.
public struct SampleRow: ~Copyable {
  /// ``SampleColumn/count`` numbers; absent ones are ``absent``.
  private let values: UnsafePointer<Int64>
  /// `nil` when no row of the chunk has a text but empty ones.
  private let texts: UnsafePointer<UInt8>?
  /// The columns that were read.
  private let columns: SampleColumns

  static let absent = Int64.min

  init(values: UnsafePointer<Int64>, texts: UnsafePointer<UInt8>?, columns: SampleColumns) {
    self.values = values
    self.texts = texts
    self.columns = columns
  }

  @inline(__always)
  private func number(_ column: SampleColumn) -> Int64 {
    assert(columns.contains(column), "\(column) is not among the columns that this visit reads")
    return values[column.rawValue]
  }

  @inline(__always)
  private func optional(_ column: SampleColumn) -> Int64? {
    let value = number(column)
    return value == Self.absent ? nil : value
  }

  /// The number of a column that is not text; `nil` where there is none.
  @inline(__always)
  public subscript(column: SampleColumn) -> Int64? { optional(column) }

  public var id: SampleID { SampleID(rawValue: number(.id)) }
  public var variant: VariantID { VariantID(rawValue: number(.variant)) }
  public var plannedAt: WallTime { WallTime(microseconds: number(.plannedAt)) }
  public var plannedMonotonic: Int64 { number(.plannedMonotonic) }
  public var state: NotificationState { NotificationState(rawValue: Int(number(.state))) ?? .planned }
  public var status: Int? { optional(.status).map { Int($0) } }
  public var scheduleLag: Int64? { optional(.scheduleLag) }
  public var serviceTime: Int64? { optional(.serviceTime) }
  public var acceptLatency: Int64? { optional(.acceptLatency) }
  public var deliveryLatency: Int64? { optional(.deliveryLatency) }
  public var deliveryError: Int64? { optional(.deliveryError) }
  public var deliveryHigh: Int64? { optional(.deliveryHigh) }
  public var peerAck: Int64? { optional(.peerAck) }
  public var path: Int64? { optional(.path) }
  public var shownLatency: Int64? { optional(.shown) }
  public var display: DisplayState? { optional(.display).flatMap { DisplayState(rawValue: Int($0)) } }
  public var context: DeviceContextID? { optional(.context).map(DeviceContextID.init(rawValue:)) }
  public var timestampSource: TimestampSource? {
    optional(.timestampSource).flatMap { TimestampSource(rawValue: Int($0)) }
  }
  public var duplicates: Int { Int(number(.duplicates)) }
  public var isOutOfOrder: Bool { number(.outOfOrder) != 0 }
  public var connectionID: Int64? { optional(.connectionID) }
  /// Milliseconds.
  public var connectionAge: Int64? { optional(.connectionAge) }
  public var isFreshConnection: Bool? { optional(.freshConnection).map { $0 != 0 } }
  public var streamsInFlight: Int? { optional(.streamsInFlight).map { Int($0) } }
  public var attempt: Int { Int(number(.attempt)) }
  public var payloadBytes: Int? { optional(.payloadBytes).map { Int($0) } }
  public var dns: Int64? { optional(.dns) }
  public var connect: Int64? { optional(.connect) }
  public var tls: Int64? { optional(.tls) }
  public var httpVersion: HTTPVersion? { optional(.httpVersion).flatMap { HTTPVersion(rawValue: Int($0)) } }

  /// How well ``deliveryLatency`` is known; `nil` without one.
  public var deliveryCertainty: DeliveryCertainty? {
    deliveryLatency.map { DeliveryCertainty(latency: $0, error: deliveryError) }
  }

  /// The range of the true delivery latency; `nil` without one.
  public var deliveryRange: DeliveryRange? {
    deliveryLatency.map { DeliveryRange(latency: $0, error: deliveryError, high: deliveryHigh) }
  }

  /// The value of a metric, µs.
  public func value(of metric: Metric) -> Int64? {
    metric.value(
      service: serviceTime, accept: acceptLatency, delivery: deliveryLatency, shown: shownLatency, path: path,
      absent: nil)
  }

  /// The range of the true value of a metric; `nil` of one whose values are exact, or without a value.
  public func range(of metric: Metric) -> DeliveryRange? {
    switch metric {
    case .delivery: deliveryRange
    case .shown:
      deliveryRange.flatMap { range in
        Sample.displayTime(shown: shownLatency, delivery: deliveryLatency).map { range.shown(after: $0) }
      }
    case .service, .accept, .path: nil
    }
  }

  /// A text as UTF-8, valid during the call; `nil` when there is none. It may come from outside: sinks escape it.
  public func withText<R>(_ column: SampleColumn, _ body: (UnsafeBufferPointer<UInt8>?) throws -> R) rethrows
    -> R
  {
    guard let place = optional(column).map(TextSlice.init(packed:)) else { return try body(nil) }
    return try body(UnsafeBufferPointer(start: texts.map { $0 + place.offset }, count: place.count))
  }

  /// The whole row as a value.
  public var sample: Sample {
    var sample = Sample(id: id, variant: variant, plannedAt: plannedAt, plannedMonotonic: plannedMonotonic)
    for column in SampleColumn.allCases {
      switch column.access {
      case .number(_, let set): if let value = optional(column) { set(&sample, value) }
      case .text(_, let set):
        withText(column) { if let text = $0 { set(&sample, String(decoding: text, as: UTF8.self)) } }
      }
    }
    return sample
  }
}

extension SampleRow {
  /// Visits notifications that do not come from a store as its rows.
  public static func forEach(of samples: [Sample], _ body: (borrowing SampleRow) throws -> Void) rethrows {
    try SampleChunk(samples).forEach(body)
  }
}

/// Rows copied from the database as plain numbers, so that they are visited outside of a transaction: an open read
/// transaction, as of a slow reader of an export's pipe, would keep the WAL from being reset.
struct SampleChunk {
  /// ``SampleColumn/count`` numbers a row.
  private var values: ContiguousArray<Int64>
  /// The texts of all rows, concatenated.
  private var texts: ContiguousArray<UInt8> = []
  private let columns: SampleColumns
  let capacity: Int
  private(set) var count = 0

  /// The number of rows in the first chunk of a stream.
  static let streamCapacity = 1024

  init(capacity: Int, columns: SampleColumns = .all) {
    self.capacity = capacity
    self.columns = columns
    values = ContiguousArray(repeating: SampleRow.absent, count: capacity * SampleColumn.count)
  }

  /// Whether there may be more rows.
  var isFull: Bool { count == capacity }

  /// The place of the last row in the orders of ids and of planned times; `nil` when there is none.
  var last: (id: Int64, plannedAt: Int64)? {
    guard count > 0 else { return nil }
    let first = (count - 1) * SampleColumn.count
    return (values[first + SampleColumn.id.rawValue], values[first + SampleColumn.plannedAt.rawValue])
  }

  /// Copies rows of a statement that selects the chunk's columns, up to the capacity.
  mutating func fill(from statement: RawStatement) throws {
    var texts = ContiguousArray<UInt8>()
    swap(&texts, &self.texts)
    texts.removeAll(keepingCapacity: true)
    var filled = 0
    let capacity = capacity
    let columns = columns
    try values.withUnsafeMutableBufferPointer { values in
      while filled < capacity, try statement.step() {
        let row = UnsafeMutableBufferPointer(
          rebasing: values[filled * SampleColumn.count..<(filled + 1) * SampleColumn.count])
        Self.copy(statement, columns, to: row, texts: &texts)
        filled += 1
      }
    }
    if filled == capacity { statement.reset() }
    swap(&texts, &self.texts)
    count = filled
  }

  @inline(__always)
  private static func copy(
    _ statement: RawStatement, _ columns: SampleColumns, to row: UnsafeMutableBufferPointer<Int64>,
    texts: inout ContiguousArray<UInt8>
  ) {
    var (left, place): (UInt64, Int32) = (columns.mask, 0)
    while left != 0 {
      let bit = left & (~left + 1)
      left ^= bit
      let column = bit.trailingZeroBitCount
      if SampleColumn.requiredMask & bit != 0 {
        row[column] = statement.integer(place)
      } else if SampleColumn.textMask & bit == 0 {
        row[column] = statement.rawInteger(place)
      } else if let bytes = statement.bytes(place) {
        row[column] = TextSlice(offset: texts.count, count: bytes.count).packed
        texts.append(contentsOf: bytes)
      } else {
        row[column] = SampleRow.absent
      }
      place += 1
    }
  }

  init(_ samples: [Sample]) {
    self.init(capacity: samples.count)
    count = samples.count
    for (place, sample) in samples.enumerated() {
      let first = place * SampleColumn.count
      for column in SampleColumn.allCases {
        let value: Int64? =
          switch column.access {
          case .number(let get, _): get(sample)
          case .text(let get, _): get(sample).map { add($0) }
          }
        values[first + column.rawValue] = value ?? SampleRow.absent
      }
    }
  }

  /// Appends a text.
  /// - Returns: its place, packed.
  private mutating func add(_ text: String) -> Int64 {
    let slice = TextSlice(offset: texts.count, count: text.utf8.count)
    texts.append(contentsOf: text.utf8)
    return slice.packed
  }

  func forEach(_ body: (borrowing SampleRow) throws -> Void) rethrows {
    try values.withUnsafeBufferPointer { values in
      try texts.withUnsafeBufferPointer { texts in
        guard let numbers = values.baseAddress else { return }
        for index in 0..<count {
          try body(
            SampleRow(
              values: numbers + index * SampleColumn.count, texts: texts.baseAddress, columns: columns))
        }
      }
    }
  }
}

/// The range of a text in a chunk's bytes, packed into one number in the text's column.
struct TextSlice {
  var offset: Int
  var count: Int

  init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }

  init(packed: Int64) {
    offset = Int(packed >> 32)
    count = Int(packed & 0xFFFF_FFFF)
  }

  var packed: Int64 { Int64(offset) << 32 | Int64(count) }
}

extension SampleColumn {
  static let count = allCases.count
  /// All columns, for SELECT and INSERT.
  static let list = allCases.map(\.name).joined(separator: ", ")
  /// The columns that are never NULL, one bit each.
  static let requiredMask: UInt64 = allCases.reduce(0) {
    $1.type.isOptional ? $0 : $0 | 1 << UInt64($1.rawValue)
  }
  /// The columns of text, one bit each.
  static let textMask: UInt64 = allCases.reduce(0) { $1.isText ? $0 | 1 << UInt64($1.rawValue) : $0 }
}

/// Which columns of notifications a visit reads: SQLite takes as long for a row as it has columns that are asked for. Asking a row for
/// another one is a mistake, which ends a debug build.
public struct SampleColumns: Sendable, Hashable {
  /// One bit each.
  fileprivate let mask: UInt64

  public static let all = SampleColumns(SampleColumn.allCases)

  /// - Parameter columns: beside the id, the variant, the planned time and the state, which are always read.
  public init(_ columns: some Sequence<SampleColumn>) {
    mask = ([.id, .variant, .plannedAt, .state] + Array(columns)).reduce(0) { $0 | 1 << UInt64($1.rawValue) }
  }

  private init(mask: UInt64) { self.mask = mask }

  /// The columns of both.
  public func union(_ other: SampleColumns) -> SampleColumns { SampleColumns(mask: mask | other.mask) }

  /// Whether a visit reads the column.
  public func contains(_ column: SampleColumn) -> Bool { mask & 1 << UInt64(column.rawValue) != 0 }

  /// The names of the columns, as SELECT takes them.
  var list: String { SampleColumn.allCases.filter(contains).map(\.name).joined(separator: ", ") }
}

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
