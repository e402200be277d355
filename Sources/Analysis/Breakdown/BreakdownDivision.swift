import Measurement
import Store

/// What notifications are divided by.
public struct BreakdownKeys: Sendable {
  /// One or two.
  public var keys: [BreakdownKey]
  /// The zone of hours and weekdays, with its name.
  public var zone: LocalTime
  public var zoneName: String

  public init(_ keys: [BreakdownKey], zone: LocalTime = .utc, zoneName: String = "UTC") {
    (self.keys, self.zone, self.zoneName) = (keys, zone, zoneName)
  }
}

/// Divides notifications by the values that one or two keys have of them.
public struct BreakdownDivision {
  /// One value of each key.
  public struct Value: Sendable, Hashable {
    fileprivate var first: Int64
    fileprivate var second: Int64
  }

  /// There are more values than ``limit``.
  public struct TooManyValues: Error {
    public let limit: Int
  }

  /// The most values, so that a key of free text does not fill the memory.
  private static let maximumValues = 10_000

  private let reader: any SampleSource
  private let classifiers: [BreakdownClassifier]
  private let devices: DeviceNames
  /// The columns of figures and of the keys.
  private let columns: SampleColumns
  private let gaps: DeviceGaps?

  /// - Parameters:
  ///   - targets: whose notifications are divided.
  ///   - window: all of the time in which they are.
  public init(
    _ by: BreakdownKeys, _ reader: any SampleSource, targets: [TargetRecord], in window: Range<WallTime>
  ) throws {
    self.reader = reader
    let devices =
      by.keys.contains(.gap) || by.keys.contains(.device) ? try DeviceNames(reader) : DeviceNames()
    var gaps: DeviceGaps?
    if by.keys.contains(.gap) {
      gaps = try DeviceGaps(
        reader, devices: devices.all, of: Set(targets.map { devices.name(of: $0) }),
        from: window.lowerBound, to: window.upperBound)
    }
    columns = by.keys.reduce(.figures) { $0.union(SampleColumns($1.column.map { [$0] } ?? [])) }
    (self.devices, self.gaps) = (devices, gaps)
    classifiers = try by.keys.map { try BreakdownClassifier($0, reader, zone: by.zone, gaps: gaps) }
  }

  /// Visits every notification of a target that came due. Rows have the columns of figures.
  public func forEach(
    of target: TargetRecord, in window: Range<WallTime>,
    _ body: (_ value: Value, _ row: borrowing SampleRow) throws -> Void
  ) throws {
    begin(target)
    try reader.forEachSample(
      of: target.id, plannedFrom: window.lowerBound, to: window.upperBound, columns: columns
    ) { row in
      guard row.state != .planned else { return }
      try body(try value(of: row), row)
    }
  }

  /// Prepares for notifications of a target: those whose values are asked for next.
  public func begin(_ target: TargetRecord) {
    for classifier in classifiers { classifier.begin(target, device: devices.name(of: target)) }
  }

  /// The value of a notification of the target that was begun.
  public func value(of row: borrowing SampleRow) throws -> Value {
    Value(
      first: try classifiers[0].value(of: row),
      second: classifiers.count > 1 ? try classifiers[1].value(of: row) : 0)
  }

  /// The same where no key needs the row (``BreakdownKey/needsRow``).
  /// - Parameter scheduleLag: µs; `nil` when it was not sent.
  public func value(plannedAt: WallTime, scheduleLag: Int64?, of target: TargetID) -> Value {
    func value(_ classifier: BreakdownClassifier) -> Int64 {
      classifier.value(plannedAt: plannedAt, scheduleLag: scheduleLag, of: target)
    }
    return Value(first: value(classifiers[0]), second: classifiers.count > 1 ? value(classifiers[1]) : 0)
  }

  /// Whether a key depends on a target's device that was not known when the division was made: a receipt says which it is.
  public func lacksDevice(of target: TargetID) -> Bool { devices.unknown.contains(target) }

  /// Records that a notification was sent after what the division was made from had been read.
  public func addSent(at time: WallTime, of target: TargetID) { gaps?.add(sentAt: time, of: target) }

  /// Whether the values of notifications that were planned then can be told: gaps need what was sent before.
  public func reaches(_ time: WallTime) -> Bool { gaps.map { $0.start <= time } ?? true }

  /// Adds a notification to those of its value.
  /// - Throws: ``TooManyValues``.
  public static func add(
    _ row: borrowing SampleRow, of value: Value, to groups: inout [Value: SeriesAccumulator],
    _ empty: @autoclosure () -> SeriesAccumulator
  ) throws {
    if groups[value] == nil {
      guard groups.count < maximumValues else { throw TooManyValues(limit: maximumValues) }
      groups[value] = empty()
    }
    groups[value]?.add(row)
  }

  /// Values for people and for exports, one for each key.
  public func texts(of value: Value) -> [String] {
    zip(classifiers, [value.first, value.second]).map { $0.text(of: $1) }
  }

  /// The order of two values.
  public func isBefore(_ a: Value, _ b: Value) -> Bool {
    if a.first != b.first { return classifiers[0].isBefore(a.first, b.first) }
    return classifiers.count > 1 && classifiers[1].isBefore(a.second, b.second)
  }
}
