import Measurement

/// The stored columns of a notification: a row of the table `sample`, in the order in which values are bound and read.
///
/// Statements, the view `sample_view`, what is forwarded, the engine's table, CSV, JSON and the details of a notification are
/// computed from this table. A new column is a case and its definition here, a step of the schema, and what computes its value.
public enum SampleColumn: Int, Sendable, CaseIterable {
  case id, variant, plannedAt, plannedMonotonic
  case state, status, reason
  case scheduleLag, serviceTime, acceptLatency, deliveryLatency, deliveryError, timestampSource
  case duplicates, outOfOrder
  case connectionID, connectionAge, freshConnection, streamsInFlight
  case attempt, payloadBytes, dns, connect, tls, httpVersion
  case deliveryHigh, peerAck, path
  case shown, display, context
  case answerID

  /// Closures without captures, which are called for each row.
  private var definition: Definition {
    switch self {
    case .id: Definition("id", .integer, use: .local, { $0.id.rawValue }) { $0.id = SampleID(rawValue: $1) }
    case .variant:
      Definition("variant_id", .integer, use: .local, { $0.variant.rawValue }) {
        $0.variant = VariantID(rawValue: $1)
      }
    case .plannedAt:
      Definition("planned_at", .time, { $0.plannedAt.microseconds }) {
        $0.plannedAt = WallTime(microseconds: $1)
      }
    case .plannedMonotonic:
      Definition("planned_monotonic_us", .integer, use: [], { $0.plannedMonotonic }) {
        $0.plannedMonotonic = $1
      }
    case .state:
      Definition("state", .name, words: wordList(\NotificationState.name), { Int64($0.state.rawValue) }) {
        sample, value in
        NotificationState(rawValue: Int(value)).map { sample.state = $0 }
      }
    case .status:
      Definition("status", .optionalInteger, { $0.status.map { Int64($0) } }) { $0.status = Int($1) }
    case .reason: Definition("reason", .optionalName, text: { $0.reason }) { $0.reason = $1 }
    case .scheduleLag:
      Definition("schedule_lag_us", .optionalInteger, { $0.scheduleLag }) { $0.scheduleLag = $1 }
    case .serviceTime: Definition("service_us", .optionalInteger, { $0.serviceTime }) { $0.serviceTime = $1 }
    case .acceptLatency:
      Definition("accept_us", .optionalInteger, { $0.acceptLatency }) { $0.acceptLatency = $1 }
    case .deliveryLatency:
      Definition("delivery_us", .optionalInteger, { $0.deliveryLatency }) { $0.deliveryLatency = $1 }
    case .deliveryError:
      Definition("delivery_error_us", .optionalInteger, { $0.deliveryError }) { $0.deliveryError = $1 }
    case .timestampSource:
      Definition(
        "timestamp_source", .optionalName, words: wordList(\TimestampSource.name),
        { $0.timestampSource.map { Int64($0.rawValue) } }
      ) { $0.timestampSource = TimestampSource(rawValue: Int($1)) }
    case .duplicates: Definition("duplicates", .integer, { Int64($0.duplicates) }) { $0.duplicates = Int($1) }
    case .outOfOrder:
      Definition("out_of_order", .flag, { $0.isOutOfOrder ? 1 : 0 }) { $0.isOutOfOrder = $1 != 0 }
    case .connectionID:
      Definition("connection_id", .optionalInteger, { $0.connection?.id }) { $0.use.id = $1 }
    case .connectionAge:
      Definition("connection_age_ms", .optionalInteger, { $0.connection?.age }) { $0.use.age = $1 }
    case .freshConnection:
      Definition("fresh_connection", .optionalFlag, { $0.connection.map { $0.isFresh ? 1 : 0 } }) {
        $0.use.isFresh = $1 != 0
      }
    case .streamsInFlight:
      Definition("streams_in_flight", .optionalInteger, { $0.connection.map { Int64($0.streamsInFlight) } }) {
        $0.use.streamsInFlight = Int($1)
      }
    case .attempt: Definition("attempt", .integer, { Int64($0.attempt) }) { $0.attempt = Int($1) }
    case .payloadBytes:
      Definition("payload_bytes", .optionalInteger, { $0.payloadBytes.map { Int64($0) } }) {
        $0.payloadBytes = Int($1)
      }
    case .dns:
      Definition("dns_us", .optionalInteger, { $0.connection?.phases?.dns }) { $0.use.setUp.dns = $1 }
    case .connect:
      Definition("connect_us", .optionalInteger, { $0.connection?.phases?.connect }) {
        $0.use.setUp.connect = $1
      }
    case .tls:
      Definition("tls_us", .optionalInteger, { $0.connection?.phases?.tls }) { $0.use.setUp.tls = $1 }
    case .httpVersion:
      Definition(
        "http_version", .optionalName, words: wordList(\HTTPVersion.name),
        { $0.httpVersion.map { Int64($0.rawValue) } }
      ) { $0.httpVersion = HTTPVersion(rawValue: Int($1)) }
    case .deliveryHigh:
      Definition("delivery_high_us", .optionalInteger, { $0.deliveryHigh }) { $0.deliveryHigh = $1 }
    case .peerAck: Definition("peer_ack_us", .optionalInteger, { $0.peerAck }) { $0.peerAck = $1 }
    case .path:
      Definition("path_us", .optionalInteger, title: "path", { $0.path }) { $0.path = $1 }
        .shown { "round trip of PING \(LatencyText.text($0))" }
    case .shown: Definition("shown_us", .optionalInteger, { $0.shownLatency }) { $0.shownLatency = $1 }
    case .display:
      Definition(
        "display", .optionalName, use: [], words: wordList(\DisplayState.name),
        { $0.display.map { Int64($0.rawValue) } }
      ) { $0.display = DisplayState(rawValue: Int($1)) }
    case .context:
      Definition("context_id", .optionalInteger, use: .local, { $0.context?.rawValue }) {
        $0.context = DeviceContextID(rawValue: $1)
      }
    // Until the TTL is over, that of Web Push lets its reader delete the message: it does not leave the store.
    case .answerID:
      Definition("answer_id", .optionalText, use: .local, text: { $0.answerID }) { $0.answerID = $1 }
    }
  }

  /// The definitions, by the columns' raw values.
  private static let definitions = allCases.map(\.definition)

  public var name: String { Self.definitions[rawValue].name }
  public var type: ColumnType { Self.definitions[rawValue].type }
  public var use: ColumnUse { Self.definitions[rawValue].use }
  public var words: [Word] { Self.definitions[rawValue].words }
  public var access: Access { Self.definitions[rawValue].access }
  public var isText: Bool {
    if case .text = access { true } else { false }
  }

  /// The title and text that a notification's details show for this column; `nil` where another line shows it.
  public func detail(of sample: Sample) -> (title: String, text: String)? {
    let definition = Self.definitions[rawValue]
    guard let title = definition.title else { return nil }
    switch definition.access {
    case .number(let get, _): return get(sample).map { (title, definition.shown($0)) }
    case .text(let get, _): return get(sample).map { (title, $0) }
    }
  }
}

extension SampleColumn {
  /// A stored number and the name that it is exported as.
  public struct Word: Sendable, Hashable {
    public let value: Int64
    public let word: String
  }

  /// Reads and writes the column's value. Times are µs since 1970, flags are 0 or 1.
  public enum Access: Sendable {
    case number(get: @Sendable (Sample) -> Int64?, set: @Sendable (inout Sample, Int64) -> Void)
    case text(get: @Sendable (Sample) -> String?, set: @Sendable (inout Sample, String) -> Void)
  }

  /// Name, type and access of a column.
  fileprivate struct Definition: Sendable {
    /// The name in the store, in CSV and JSON, and in the engine.
    let name: String
    let type: ColumnType
    var use = ColumnUse.exported
    /// Exported names of the numbers; empty where the number itself is exported.
    var words: [Word] = []
    let access: Access
    /// Title among the details of a notification; `nil` if they do not list it.
    let title: String?
    /// The text of a number with a title.
    var shown: @Sendable (Int64) -> String = { CountText.grouped($0) }
  }
}

extension SampleColumn.Definition {
  fileprivate init(
    _ name: String, _ type: ColumnType, use: ColumnUse = .exported, words: [SampleColumn.Word] = [],
    title: String? = nil, _ get: @escaping @Sendable (Sample) -> Int64?,
    _ set: @escaping @Sendable (inout Sample, Int64) -> Void
  ) {
    self.init(
      name: name, type: type, use: use, words: words, access: .number(get: get, set: set), title: title)
  }

  fileprivate init(
    _ name: String, _ type: ColumnType, use: ColumnUse = .exported, title: String? = nil,
    text get: @escaping @Sendable (Sample) -> String?,
    _ set: @escaping @Sendable (inout Sample, String) -> Void
  ) {
    self.init(name: name, type: type, use: use, access: .text(get: get, set: set), title: title)
  }

  /// Sets how a number is written among the details.
  fileprivate func shown(_ text: @escaping @Sendable (Int64) -> String) -> Self {
    var definition = self
    definition.shown = text
    return definition
  }
}

/// The names of a number's values.
private func wordList<Value: RawRepresentable<Int> & CaseIterable>(_ name: (Value) -> String) -> [SampleColumn
  .Word]
{
  Value.allCases.map { SampleColumn.Word(value: Int64($0.rawValue), word: name($0)) }
}

extension Sample {
  /// The connection; created with zeros when one of its properties is set.
  fileprivate var use: ConnectionUse {
    get { connection ?? ConnectionUse(id: 0, age: 0, isFresh: false, streamsInFlight: 0) }
    set { connection = newValue }
  }
}

extension ConnectionUse {
  /// The set-up durations; created with zeros when one of them is set.
  fileprivate var setUp: ConnectionPhases {
    get { phases ?? ConnectionPhases(dns: 0, connect: 0, tls: nil) }
    set { phases = newValue }
  }
}

/// A field of a notification outside the store: a column, or a value computed from several columns. The order is that of CSV,
/// views and the engine.
public enum SampleField: Sendable, Hashable {
  case column(SampleColumn)
  /// Planned time and an interval.
  case time(String, after: SampleColumn)
  /// How well a delivery is known (``DeliveryCertainty``).
  case deliveryCertainty
  /// The lower end of the delivery's range (``DeliveryRange``).
  case deliveryLow
  /// The upper end of it.
  case deliveryHigh
  /// The circumstances on the device (``DeviceContext``).
  case context

  public static let all: [SampleField] = SampleColumn.allCases.flatMap { column -> [SampleField] in
    switch column {
    case .state:
      [
        .time("sent_at", after: .scheduleLag), .time("accepted_at", after: .acceptLatency),
        .time("received_at", after: .deliveryLatency), .column(column),
      ]
    case .deliveryHigh: [.deliveryCertainty, .deliveryLow, .deliveryHigh]
    case .context: [.context]
    default: [.column(column)]
    }
  }

  public static let exported = all.filter { $0.use.contains(.exported) }
  /// Fields of the engine's view.
  public static let shared = all.filter(\.use.isForwarded)
  /// Fields stored in the engine. Its view computes the others.
  public static let forwarded = shared.filter { field in
    switch field {
    case .time, .deliveryCertainty: false
    case .column, .deliveryLow, .deliveryHigh, .context: true
    }
  }

  public var name: String {
    switch self {
    case .column(let column): column.name
    case .time(let name, _): name
    case .deliveryCertainty: "delivery_certainty"
    case .deliveryLow: "delivery_low_us"
    case .deliveryHigh: SampleColumn.deliveryHigh.name
    case .context: "context"
    }
  }

  public var type: ColumnType {
    switch self {
    case .column(let column): column.type
    case .time: .optionalTime
    case .deliveryCertainty, .context: .optionalName
    case .deliveryLow, .deliveryHigh: .optionalInteger
    }
  }

  private var use: ColumnUse {
    switch self {
    case .column(let column): column.use
    case .time, .deliveryCertainty, .deliveryLow, .deliveryHigh: .exported
    case .context: []
    }
  }
}
