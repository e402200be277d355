import Measurement

/// Section `retention:`: how long rows are kept. What has no duration is kept for ever.
public struct RetentionConfiguration: Sendable, Hashable {
  /// Notifications.
  public var samples: Duration?
  public var receipts: Duration?
  public var log: Duration?
  public var events: Duration?
  /// Clock exchanges with devices.
  public var clock: Duration?
  /// Answered PINGs.
  public var path: Duration?
  /// Closed findings.
  public var findings: Duration?
  public var rollups = Rollups()
  /// Bytes of used pages and of the write-ahead log; `nil` for no limit.
  public var maximumSize: Int64?

  /// How long rollups are kept, by the time that each covers.
  public struct Rollups: Sendable, Hashable {
    public var second: Duration?
    public var minute: Duration?
    public var hour: Duration?

    public init(second: Duration? = nil, minute: Duration? = nil, hour: Duration? = nil) {
      self.second = second
      self.minute = minute
      self.hour = hour
    }
  }

  /// Rows go in whole hours.
  private static let range = Duration.seconds(3600) ... .seconds(36_500 * 86_400)
  /// Smaller stores would lose what they are for within hours.
  private static let smallestSize: Int64 = 64_000_000

  public init() {}

  init?(_ value: YAMLValue) {
    let keys = [
      "samples", "receipts", "log", "events", "clock", "path", "findings", "rollups", "maximum_size",
    ]
    guard let map = value.mapping(keys: keys) else { return nil }
    func age(_ key: String, default standard: Duration?) -> Duration? {
      map[key]?.duration(in: Self.range) ?? standard
    }
    samples = age("samples", default: nil)
    receipts = age("receipts", default: samples)
    log = age("log", default: receipts)
    events = age("events", default: receipts)
    clock = age("clock", default: receipts)
    path = age("path", default: receipts)
    findings = age("findings", default: receipts)
    if let source = map["rollups"] {
      guard let map = source.mapping(keys: ["second", "minute", "hour"]) else { return nil }
      rollups = Rollups(
        second: map["second"]?.duration(in: Self.range), minute: map["minute"]?.duration(in: Self.range),
        hour: map["hour"]?.duration(in: Self.range))
      Self.check(map, rollups, samples: samples)
    }
    if let samples, let receipts, receipts > samples {
      map["receipts"]?.report(
        "\(DurationText.format(receipts)) is longer than their notifications are kept",
        remedy:
          "write at most \(DurationText.format(samples)), or delete the line: receipts go with their notifications"
      )
    }
    maximumSize = map["maximum_size"]?.parsed { text throws(ValueTextError) in
      let size = try SizeText.parse(text)
      guard size >= Self.smallestSize else {
        throw ValueTextError(text, "is too small", remedy: "write at least 64MB")
      }
      return size
    }
  }

  /// A reader goes from hours to minutes to seconds to single notifications: what is coarser has to be there longer.
  private static func check(_ map: YAMLMapping, _ rollups: Rollups, samples: Duration?) {
    func check(_ key: String, _ age: Duration?, isAtLeast other: Duration?, of name: String) {
      guard let age else { return }
      guard let other else {
        map[key]?.report(
          "is set, and \(name) are kept for ever",
          remedy: "delete the line, or write how long \(name) are kept")
        return
      }
      if age < other {
        map[key]?.report(
          "\(DurationText.format(age)) is shorter than \(name) are kept",
          remedy: "write at least \(DurationText.format(other))")
      }
    }
    check("minute", rollups.minute, isAtLeast: rollups.second, of: "rollups of a second")
    check("hour", rollups.hour, isAtLeast: rollups.minute, of: "rollups of a minute")
    check("hour", rollups.hour, isAtLeast: samples, of: "notifications (samples)")
  }
}

/// Parses sizes in bytes: `64MB`, `20GB`, `1.5TiB`.
public enum SizeText {
  private static let units: [(name: String, bytes: Double)] = [
    ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("KiB", 1024), ("MiB", 1_048_576),
    ("GiB", 1_073_741_824), ("TiB", 1_099_511_627_776), ("B", 1),
  ]

  /// Reads a size such as `20GB`.
  /// - Returns: bytes.
  public static func parse(_ text: String) throws(ValueTextError) -> Int64 {
    guard let (number, unit) = DecimalText.split(text),
      let scale = units.first(where: { $0.name == unit })?.bytes, number * scale <= 1e18
    else {
      throw ValueTextError(
        text, "is not a size",
        remedy: "write a number and a unit (kB, MB, GB, TB, KiB, MiB, GiB, TiB), like 20GB")
    }
    return Int64((number * scale).rounded())
  }
}
