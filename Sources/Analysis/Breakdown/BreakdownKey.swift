import Measurement
import Store

/// A property of notifications by whose values a breakdown divides them (`--by`).
public enum BreakdownKey: Sendable, Hashable {
  /// The hour of the day.
  case hour
  case weekday
  /// The minute of the hour.
  case minute
  /// The time since the last notification that was sent to the same device, by any target.
  case gap
  /// What the device reported.
  case context(DeviceContextKey)
  case target
  /// The combination of the target's listed values.
  case variant
  case device
  case provider
  /// Whether the notification waited for a connection to open.
  case fresh
  /// Bytes of the request's body.
  case payload
  /// A label of the run.
  case label(String)

  /// What the device reports that makes a key of its own.
  private static let contexts: [DeviceContextKey] = [.priority, .idle, .saver, .bucket, .network, .app, .os]
  private static let plain: [(name: String, key: BreakdownKey)] =
    [("hour", .hour), ("weekday", .weekday), ("minute", .minute), ("gap", .gap)]
    + contexts.map { ($0.rawValue, .context($0)) }
    + [
      ("target", .target), ("variant", .variant), ("device", .device), ("provider", .provider),
      ("fresh", .fresh), ("payload", .payload),
    ]

  /// The keys that are named without an argument.
  public static let named = plain.map(\.key)

  /// All names, for help and errors.
  public static let names = plain.map(\.name).joined(separator: ", ") + ", label:NAME"

  /// - Returns: `nil` for no name of a key.
  public init?(name: String) {
    if let plain = Self.plain.first(where: { $0.name == name }) {
      self = plain.key
    } else {
      let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0] == "label", !parts[1].isEmpty else { return nil }
      self = .label(String(parts[1]))
    }
  }

  /// Whether its values come with receipts: what got lost, failed or was refused has none.
  public var isReported: Bool { if case .context = self { true } else { false } }

  /// Whether its values depend on the time zone.
  public var isOfDay: Bool { self == .hour || self == .weekday || self == .minute }

  /// The column of notifications that it needs beside those of figures.
  var column: SampleColumn? {
    switch self {
    case .context: .context
    case .payload: .payloadBytes
    case .hour, .weekday, .minute, .gap, .target, .variant, .device, .provider, .fresh, .label: nil
    }
  }

  /// Whether its values stand in the rows of notifications only. Those of the others follow from a notification's target and from when
  /// it was planned and sent.
  public var needsRow: Bool {
    switch self {
    case .context, .variant, .fresh, .payload: true
    case .hour, .weekday, .minute, .gap, .target, .device, .provider, .label: false
    }
  }

  public var name: String {
    if case .label(let label) = self { return "label:\(label)" }
    return Self.plain.first { $0.key == self }?.name ?? ""
  }
}

/// Ranges that are divided in steps of 1, 2 and 5 times a power of ten.
struct DecimalSteps {
  /// The beginning of the range that has a value: 0, 1, 2, 5, 10 ….
  static func start(of value: Int64) -> Int64 {
    guard value >= 1 else { return 0 }
    var power: Int64 = 1
    while power <= value / 10 { power *= 10 }
    return value >= 5 * power ? 5 * power : value >= 2 * power ? 2 * power : power
  }

  /// The end of the range that begins there, excluded.
  static func end(from start: Int64) -> Int64 {
    guard start >= 1 else { return 1 }
    var power: Int64 = 1
    while power <= start / 10 { power *= 10 }
    return start == 2 * power ? 5 * power : start == 5 * power ? 10 * power : 2 * power
  }
}
