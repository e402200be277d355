import FoundationEssentials

/// What a column holds, which says how it is stored, sent and written.
public struct ColumnType: Sendable, Hashable {
  /// The meaning of a value.
  public enum Kind: Sendable, Hashable {
    /// 36 characters.
    case uuid
    /// Text of few different values.
    case name
    case text
    /// Names with semicolons between them.
    case list
    case integer
    case real
    /// µs since 1970.
    case time
    case flag
    /// A number that grows with each change: which of two rows with one key is the newer one.
    case revision
    /// A JSON object of texts; NULL for an empty one.
    case labels
  }

  public var kind: Kind
  public var isOptional: Bool

  public init(_ kind: Kind, isOptional: Bool = false) { (self.kind, self.isOptional) = (kind, isOptional) }
}

extension ColumnType {
  public static let uuid = ColumnType(.uuid)
  public static let name = ColumnType(.name)
  public static let optionalName = ColumnType(.name, isOptional: true)
  public static let text = ColumnType(.text)
  public static let optionalText = ColumnType(.text, isOptional: true)
  public static let integer = ColumnType(.integer)
  public static let optionalInteger = ColumnType(.integer, isOptional: true)
  public static let real = ColumnType(.real)
  public static let time = ColumnType(.time)
  public static let optionalTime = ColumnType(.time, isOptional: true)
  public static let flag = ColumnType(.flag)
  public static let optionalFlag = ColumnType(.flag, isOptional: true)
  public static let revision = ColumnType(.revision)
  public static let labels = ColumnType(.labels)
}

/// A value as a database returns it: times are numbers, flags are 0 or 1.
public enum ColumnValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
}

/// A type of a record's properties that columns hold.
public protocol ColumnRepresentable: SendableMetatype {
  static var columnType: ColumnType { get }
  var columnValue: ColumnValue { get }
  /// `nil` for a value of another type.
  init?(_ value: ColumnValue)
}

/// How a column is used, in addition to being read, written and forwarded.
public struct ColumnUse: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// It is a column of the CSV and a member of the JSON.
  public static let exported = ColumnUse(rawValue: 1)
  /// It does not leave the store.
  public static let local = ColumnUse(rawValue: 2)
  /// It is not written with the record.
  public static let readOnly = ColumnUse(rawValue: 4)
  /// Empty text stands for none, which is how it is exported.
  public static let emptyIsNone = ColumnUse(rawValue: 8)

  /// Whether a fleet's engine has the column.
  public var isForwarded: Bool { !contains(.local) }
}

/// A column of a table whose rows become records. Statements, the engine's schema and exports are generated from a record
/// type's list of columns.
public struct RecordColumn<Record>: Sendable {
  public let name: String
  public let type: ColumnType
  /// The expression in a query where the record's table is named x and its run r.
  public let sql: String
  public let use: ColumnUse
  /// Title in the record's details; `nil` if the details do not list it.
  public let title: String?
  public let value: @Sendable (Record) -> ColumnValue
  /// Sets the property; `false` for a value of another type.
  public let assign: @Sendable (inout Record, ColumnValue) -> Bool

  public init(
    _ name: String, _ type: ColumnType, _ use: ColumnUse = [], sql: String? = nil, title: String? = nil,
    value: @escaping @Sendable (Record) -> ColumnValue,
    assign: @escaping @Sendable (inout Record, ColumnValue) -> Bool
  ) {
    (self.name, self.type, self.use, self.sql) = (name, type, use, sql ?? "x.\(name)")
    self.title = title
    (self.value, self.assign) = (value, assign)
  }

  /// The value as it is exported.
  public func exportedValue(of record: Record) -> ColumnValue {
    let value = value(record)
    return use.contains(.emptyIsNone) && value == .text("") ? .null : value
  }

  /// - Parameters:
  ///   - kind: what the column holds, where it is not what the property's type says.
  ///   - otherwise: Value used for a value of another type or a name that this version does not know; `nil` to refuse the record.
  public init<Value: ColumnRepresentable & Sendable>(
    _ name: String, _ property: any WritableKeyPath<Record, Value> & Sendable, _ use: ColumnUse = [],
    as kind: ColumnType.Kind? = nil, sql: String? = nil, title: String? = nil, otherwise: Value? = nil
  ) {
    let type = Value.columnType
    self.init(
      name, ColumnType(kind ?? type.kind, isOptional: type.isOptional), use, sql: sql, title: title,
      value: { $0[keyPath: property].columnValue },
      assign: { record, value in
        guard let value = Value(value) ?? otherwise else { return false }
        record[keyPath: property] = value
        return true
      })
  }

  /// A column with JSON.
  /// - Parameter otherwise: Value used for text that cannot be decoded; `nil` to refuse the record.
  public init<Value: Codable & Sendable>(
    _ name: String, json property: any WritableKeyPath<Record, Value> & Sendable, otherwise: Value?,
    _ use: ColumnUse = []
  ) {
    self.init(
      name, .text, use,
      value: { .text(JSONText.make($0[keyPath: property])) },
      assign: { record, value in
        guard case .text(let text) = value else { return false }
        guard let value = (try? JSONText.decode(Value.self, from: text)) ?? otherwise else { return false }
        record[keyPath: property] = value
        return true
      })
  }
}

extension Array {
  /// The columns that are written with a record.
  public func written<Record>() -> Self where Element == RecordColumn<Record> {
    filter { !$0.use.contains(.readOnly) }
  }

  /// The columns that a fleet's engine has.
  public func forwarded<Record>() -> Self where Element == RecordColumn<Record> {
    filter(\.use.isForwarded)
  }

  /// Reads a value for each column into a record.
  /// - Returns: `nil` where a value is of another type, as of a word that only another version knows.
  public func read<Record, Failure: Error>(
    into blank: Record, _ next: (RecordColumn<Record>) throws(Failure) -> ColumnValue
  ) throws(Failure) -> Record? where Element == RecordColumn<Record> {
    var record = blank
    var isWhole = true
    for column in self where !column.assign(&record, try next(column)) { isWhole = false }
    return isWhole ? record : nil
  }
}

// MARK: - Types

extension Int64: ColumnRepresentable {
  public static var columnType: ColumnType { .integer }
  public var columnValue: ColumnValue { .integer(self) }

  public init?(_ value: ColumnValue) {
    guard case .integer(let value) = value else { return nil }
    self = value
  }
}

extension Int: ColumnRepresentable {
  public static var columnType: ColumnType { .integer }
  public var columnValue: ColumnValue { .integer(Int64(self)) }

  public init?(_ value: ColumnValue) {
    guard case .integer(let value) = value else { return nil }
    self = Int(value)
  }
}

extension Double: ColumnRepresentable {
  public static var columnType: ColumnType { .real }
  public var columnValue: ColumnValue { .real(self) }

  public init?(_ value: ColumnValue) {
    switch value {
    case .real(let value): self = value
    case .integer(let value): self = Double(value)
    case .null, .text: return nil
    }
  }
}

extension Bool: ColumnRepresentable {
  public static var columnType: ColumnType { .flag }
  public var columnValue: ColumnValue { .integer(self ? 1 : 0) }

  public init?(_ value: ColumnValue) {
    guard case .integer(let value) = value else { return nil }
    self = value != 0
  }
}

extension String: ColumnRepresentable {
  public static var columnType: ColumnType { .text }
  public var columnValue: ColumnValue { .text(self) }

  public init?(_ value: ColumnValue) {
    guard case .text(let value) = value else { return nil }
    self = value
  }
}

extension WallTime: ColumnRepresentable {
  public static var columnType: ColumnType { .time }
  public var columnValue: ColumnValue { .integer(microseconds) }

  public init?(_ value: ColumnValue) {
    guard case .integer(let value) = value else { return nil }
    self.init(microseconds: value)
  }
}

extension UUID: ColumnRepresentable {
  public static var columnType: ColumnType { .uuid }
  public var columnValue: ColumnValue { .text(uuidString.lowercased()) }

  public init?(_ value: ColumnValue) {
    guard case .text(let value) = value else { return nil }
    self.init(uuidString: value)
  }
}

extension MonotonicTime: ColumnRepresentable {
  public static var columnType: ColumnType { .integer }
  public var columnValue: ColumnValue { .integer(microseconds) }

  public init?(_ value: ColumnValue) {
    guard case .integer(let value) = value else { return nil }
    self.init(microseconds: value)
  }
}

extension RunID: ColumnRepresentable {
  public static var columnType: ColumnType { .uuid }
  public var columnValue: ColumnValue { .text(description) }

  public init?(_ value: ColumnValue) {
    guard case .text(let value) = value else { return nil }
    self.init(value)
  }
}

extension ColumnRepresentable where Self: RawRepresentable<String> {
  public static var columnType: ColumnType { .name }
  public var columnValue: ColumnValue { .text(rawValue) }

  public init?(_ value: ColumnValue) {
    guard case .text(let value) = value else { return nil }
    self.init(rawValue: value)
  }
}

extension Stored: ColumnRepresentable {}
extension EventKind: ColumnRepresentable {}
extension LogLine.Level: ColumnRepresentable {}
extension Metric: ColumnRepresentable {}
extension GateDecision: ColumnRepresentable {}
extension DeviceState: ColumnRepresentable {}

extension Optional: ColumnRepresentable where Wrapped: ColumnRepresentable {
  public static var columnType: ColumnType { ColumnType(Wrapped.columnType.kind, isOptional: true) }
  public var columnValue: ColumnValue { map(\.columnValue) ?? .null }

  public init?(_ value: ColumnValue) {
    if value == .null {
      self = .none
    } else {
      guard let wrapped = Wrapped(value) else { return nil }
      self = wrapped
    }
  }
}
