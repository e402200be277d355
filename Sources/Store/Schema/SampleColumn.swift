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

  private var definition: Definition {
    switch self {
    case .id: .integer("id", .internal, { $0.id.rawValue }) { $0.id = SampleID(rawValue: $1) }
    case .variant:
      .integer("variant_id", .internal, { $0.variant.rawValue }) { $0.variant = VariantID(rawValue: $1) }
    case .plannedAt: .time("planned_at", { $0.plannedAt }) { $0.plannedAt = $1 }
    case .plannedMonotonic:
      .integer("planned_monotonic_us", .forwarded, { $0.plannedMonotonic }) { $0.plannedMonotonic = $1 }
    case .state: .word("state", \.name, { $0.state }) { $0.state = $1 }
    case .status: .optional("status", { $0.status }) { $0.status = $1 }
    case .reason: .text("reason", as: .name, { $0.reason }) { $0.reason = $1 }
    case .scheduleLag: .optional("schedule_lag_us", { $0.scheduleLag }) { $0.scheduleLag = $1 }
    case .serviceTime: .optional("service_us", { $0.serviceTime }) { $0.serviceTime = $1 }
    case .acceptLatency: .optional("accept_us", { $0.acceptLatency }) { $0.acceptLatency = $1 }
    case .deliveryLatency: .optional("delivery_us", { $0.deliveryLatency }) { $0.deliveryLatency = $1 }
    case .deliveryError: .optional("delivery_error_us", { $0.deliveryError }) { $0.deliveryError = $1 }
    case .timestampSource:
      .optionalWord("timestamp_source", \.name, { $0.timestampSource }) { $0.timestampSource = $1 }
    case .duplicates: .integer("duplicates", .exported, { $0.duplicates }) { $0.duplicates = $1 }
    case .outOfOrder: .flag("out_of_order", { $0.isOutOfOrder }) { $0.isOutOfOrder = $1 }
    case .connectionID: .optional("connection_id", { $0.connection?.id }) { $0.use.id = $1 }
    case .connectionAge: .optional("connection_age_ms", { $0.connection?.age }) { $0.use.age = $1 }
    case .freshConnection:
      .optionalFlag("fresh_connection", { $0.connection?.isFresh }) { $0.use.isFresh = $1 }
    case .streamsInFlight:
      .optional("streams_in_flight", { $0.connection?.streamsInFlight }) { $0.use.streamsInFlight = $1 }
    case .attempt: .integer("attempt", .exported, { $0.attempt }) { $0.attempt = $1 }
    case .payloadBytes: .optional("payload_bytes", { $0.payloadBytes }) { $0.payloadBytes = $1 }
    case .dns: .optional("dns_us", { $0.connection?.phases?.dns }) { $0.use.setUp.dns = $1 }
    case .connect: .optional("connect_us", { $0.connection?.phases?.connect }) { $0.use.setUp.connect = $1 }
    case .tls: .optional("tls_us", { $0.connection?.phases?.tls }) { $0.use.setUp.tls = $1 }
    case .httpVersion: .optionalWord("http_version", \.name, { $0.httpVersion }) { $0.httpVersion = $1 }
    case .deliveryHigh: .optional("delivery_high_us", { $0.deliveryHigh }) { $0.deliveryHigh = $1 }
    case .peerAck: .optional("peer_ack_us", { $0.peerAck }) { $0.peerAck = $1 }
    case .path:
      .optional("path_us", { $0.path }) { $0.path = $1 }
        .shown("path") { "round trip of PING \(LatencyText.text($0))" }
    }
  }

  /// The definitions, by the columns' raw values.
  public static let definitions = allCases.map(\.definition)

  public var name: String { Self.definitions[rawValue].name }
  public var type: ColumnType { Self.definitions[rawValue].type }
  public var use: Use { Self.definitions[rawValue].use }
  public var words: [Word] { Self.definitions[rawValue].words }
  public var access: Access { Self.definitions[rawValue].access }
  public var isText: Bool {
    if case .text = access { true } else { false }
  }

  /// A title and a text for people, of a notification that has a value; only of columns that say nothing elsewhere.
  public func detail(of sample: Sample) -> (title: String, text: String)? {
    Self.definitions[rawValue].detail?(sample)
  }
}

extension SampleColumn {
  /// Who sees a column.
  public enum Use: Sendable, Hashable {
    /// The store alone.
    case `internal`
    /// The engine of a fleet, too.
    case forwarded
    /// The engine, CSV, JSON and views.
    case exported
  }

  /// A number of a column that stands for a word.
  public struct Word: Sendable, Hashable {
    public let value: Int64
    public let word: String
  }

  /// A column's value in a notification: a number, of times in µs since 1970, of flags 0 or 1; or text.
  public enum Access: Sendable {
    case number(get: @Sendable (Sample) -> Int64?, set: @Sendable (inout Sample, Int64) -> Void)
    case text(get: @Sendable (Sample) -> String?, set: @Sendable (inout Sample, String) -> Void)
  }

  /// What there is to know of a column.
  public struct Definition: Sendable {
    /// The name in the store, in CSV and JSON, and in the engine.
    public let name: String
    public let type: ColumnType
    public var use = Use.exported
    /// What the numbers are called outside of the store; empty where they are numbers there, too.
    public var words: [Word] = []
    public let access: Access
    var detail: (@Sendable (Sample) -> (title: String, text: String)?)?
  }
}

extension SampleColumn.Definition {
  private init(
    _ name: String, _ type: ColumnType, _ use: SampleColumn.Use = .exported, words: [SampleColumn.Word] = [],
    get: @escaping @Sendable (Sample) -> Int64?, set: @escaping @Sendable (inout Sample, Int64) -> Void
  ) {
    (self.name, self.type, self.use, self.words) = (name, type, use, words)
    access = .number(get: get, set: set)
  }

  fileprivate static func integer<Value: BinaryInteger & SendableMetatype>(
    _ name: String, _ use: SampleColumn.Use, _ get: @escaping @Sendable (Sample) -> Value,
    _ set: @escaping @Sendable (inout Sample, Value) -> Void
  ) -> Self {
    Self(name, .integer, use, get: { Int64(get($0)) }, set: { set(&$0, Value(truncatingIfNeeded: $1)) })
  }

  fileprivate static func optional<Value: BinaryInteger & SendableMetatype>(
    _ name: String, _ get: @escaping @Sendable (Sample) -> Value?,
    _ set: @escaping @Sendable (inout Sample, Value) -> Void
  ) -> Self {
    Self(
      name, .optionalInteger, get: { get($0).map { Int64($0) } },
      set: { set(&$0, Value(truncatingIfNeeded: $1)) })
  }

  fileprivate static func time(
    _ name: String, _ get: @escaping @Sendable (Sample) -> WallTime,
    _ set: @escaping @Sendable (inout Sample, WallTime) -> Void
  ) -> Self {
    Self(name, .time, get: { get($0).microseconds }, set: { set(&$0, WallTime(microseconds: $1)) })
  }

  fileprivate static func flag(
    _ name: String, _ get: @escaping @Sendable (Sample) -> Bool,
    _ set: @escaping @Sendable (inout Sample, Bool) -> Void
  ) -> Self {
    Self(name, .flag, get: { get($0) ? 1 : 0 }, set: { set(&$0, $1 != 0) })
  }

  fileprivate static func optionalFlag(
    _ name: String, _ get: @escaping @Sendable (Sample) -> Bool?,
    _ set: @escaping @Sendable (inout Sample, Bool) -> Void
  ) -> Self {
    Self(name, .optionalFlag, get: { get($0).map { $0 ? 1 : 0 } }, set: { set(&$0, $1 != 0) })
  }

  /// A number that stands for a word. One that is not known leaves the property as it is.
  fileprivate static func word<Value: RawRepresentable<Int> & CaseIterable & Sendable>(
    _ name: String, _ word: (Value) -> String, _ get: @escaping @Sendable (Sample) -> Value,
    _ set: @escaping @Sendable (inout Sample, Value) -> Void
  ) -> Self {
    Self(
      name, .name, words: words(word), get: { Int64(get($0).rawValue) },
      set: { if let value = Value(rawValue: Int($1)) { set(&$0, value) } })
  }

  fileprivate static func optionalWord<Value: RawRepresentable<Int> & CaseIterable & Sendable>(
    _ name: String, _ word: (Value) -> String, _ get: @escaping @Sendable (Sample) -> Value?,
    _ set: @escaping @Sendable (inout Sample, Value) -> Void
  ) -> Self {
    Self(
      name, .optionalName, words: words(word), get: { get($0).map { Int64($0.rawValue) } },
      set: { if let value = Value(rawValue: Int($1)) { set(&$0, value) } })
  }

  private static func words<Value: RawRepresentable<Int> & CaseIterable>(_ word: (Value) -> String)
    -> [SampleColumn.Word]
  {
    Value.allCases.map { SampleColumn.Word(value: Int64($0.rawValue), word: word($0)) }
  }

  /// - Parameter kind: `name` for text of few different values.
  fileprivate static func text(
    _ name: String, as kind: ColumnType.Kind = .text, _ get: @escaping @Sendable (Sample) -> String?,
    _ set: @escaping @Sendable (inout Sample, String) -> Void
  ) -> Self {
    Self(name: name, type: ColumnType(kind, isOptional: true), access: .text(get: get, set: set))
  }

  /// Adds what a notification's details say of a number.
  fileprivate func shown(_ title: String, _ text: @escaping @Sendable (Int64) -> String) -> Self {
    var definition = self
    if case .number(let get, _) = access {
      definition.detail = { sample in get(sample).map { (title, text($0)) } }
    }
    return definition
  }

  /// Adds what a notification's details say of a text, which may come from outside.
  fileprivate func shown(_ title: String) -> Self {
    var definition = self
    if case .text(let get, _) = access { definition.detail = { sample in get(sample).map { (title, $0) } } }
    return definition
  }
}

extension Sample {
  /// The connection, which setting one of its properties begins.
  fileprivate var use: ConnectionUse {
    get { connection ?? ConnectionUse(id: 0, age: 0, isFresh: false, streamsInFlight: 0) }
    set { connection = newValue }
  }
}

extension ConnectionUse {
  /// The durations of the set-up, which setting one of them begins.
  fileprivate var setUp: ConnectionPhases {
    get { phases ?? ConnectionPhases(dns: 0, connect: 0, tls: nil) }
    set { phases = newValue }
  }
}

/// What is told of notifications outside of the store, in the order of CSV, views and the engine's tables: columns, and what is
/// computed from several of them.
public enum SampleField: Sendable, Hashable {
  case column(SampleColumn)
  /// Planned time and an interval.
  case time(String, after: SampleColumn)
  /// How well a delivery is known (``DeliveryCertainty``).
  case deliveryCertainty
  /// The lower end of the delivery's range (``DeliveryRange``).
  case deliveryLow

  public static let all: [SampleField] = SampleColumn.allCases.flatMap { column -> [SampleField] in
    switch column {
    case .state:
      [
        .time("sent_at", after: .scheduleLag), .time("accepted_at", after: .acceptLatency),
        .time("received_at", after: .deliveryLatency), .column(column),
      ]
    case .deliveryHigh: [.deliveryCertainty, .deliveryLow, .column(column)]
    default: [.column(column)]
    }
  }

  public static let exported = all.filter { $0.use == .exported }
  /// The fields that an engine stores: all but those that a view computes as easily.
  public static let forwarded = all.filter { field in
    switch field {
    case .column(let column): column.use != .internal
    case .time, .deliveryCertainty: false
    case .deliveryLow: true
    }
  }

  public var name: String {
    switch self {
    case .column(let column): column.name
    case .time(let name, _): name
    case .deliveryCertainty: "delivery_certainty"
    case .deliveryLow: "delivery_low_us"
    }
  }

  public var type: ColumnType {
    switch self {
    case .column(let column): column.type
    case .time: .optionalTime
    case .deliveryCertainty: .optionalName
    case .deliveryLow: .optionalInteger
    }
  }

  private var use: SampleColumn.Use {
    switch self {
    case .column(let column): column.use
    case .time, .deliveryCertainty, .deliveryLow: .exported
    }
  }
}
