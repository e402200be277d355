import Measurement

/// Section `retention:`: how long rows are kept. What has no duration is kept for ever.
public struct RetentionConfiguration: Sendable, Hashable {
  public var samples: Duration?
  public var receipts: Duration?
  public var log: Duration?
  public var events: Duration?
  public var clock: Duration?
  public var path: Duration?
  public var findings: Duration?
  public var rollups = Rollups()
  /// Bytes of used pages and of the write-ahead log; `nil` for no limit.
  public var maximumSize: Int64?

  /// How long rollups are kept, by the time that each covers.
  public struct Rollups: Sendable, Hashable {
    public var second: Duration?
    public var minute: Duration?
    public var hour: Duration?
  }

  /// Smaller stores would lose what they are for within hours.
  private static let smallestSize: Int64 = 64_000_000

  public init() {}
}

extension RetentionConfiguration: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "retention"
    let samples = Key("samples", .age, "notifications")
    let receipts = Key("receipts", .age, standard: "as `samples`", "at most as long as `samples`")
    let log = Key("log", .age, standard: "as `receipts`", "lines of the log")
    let events = Key("events", .age, standard: "as `receipts`", "events")
    let clock = Key("clock", .age, standard: "as `receipts`", "clock exchanges with devices")
    let path = Key("path", .age, standard: "as `receipts`", "round trips of PING")
    let findings = Key("findings", .age, standard: "as `receipts`", "findings that are closed")
    let rollups = Key(
      "rollups", .section(Rollups.self), default: Rollups(), standard: "–",
      "figures by second, minute and hour")
    let maximumSize = Key(
      "maximum_size", .parsed("at least `64MB`", RetentionConfiguration.size),
      "used pages, without the write-ahead log")
  }

  init(_ section: Section<Keys>) {
    samples = section.samples
    receipts = section.receipts ?? samples
    log = section.log ?? receipts
    events = section.events ?? receipts
    clock = section.clock ?? receipts
    path = section.path ?? receipts
    findings = section.findings ?? receipts
    rollups = section.rollups
    maximumSize = section.maximumSize
    if let source = section[\.rollups] { Self.check(source, rollups, samples: samples) }
    if let samples, let receipts, receipts > samples {
      section[\.receipts]?.report(
        "\(DurationText.format(receipts)) is longer than their notifications are kept",
        remedy:
          "write at most \(DurationText.format(samples)), or delete the line: receipts go with their notifications"
      )
    }
  }

  private static func size(_ text: String) throws(ValueTextError) -> Int64 {
    let size = try SizeText.parse(text)
    guard size >= smallestSize else {
      throw ValueTextError(text, "is too small", remedy: "write at least 64MB")
    }
    return size
  }

  /// A reader goes from hours to minutes to seconds to single notifications: what is coarser has to be there longer.
  private static func check(_ source: YAMLValue, _ rollups: Rollups, samples: Duration?) {
    func check(_ key: String, _ age: Duration?, isAtLeast other: Duration?, of name: String) {
      guard let age else { return }
      guard let other else {
        source.peek(key)?.report(
          "is set, and \(name) are kept for ever",
          remedy: "delete the line, or write how long \(name) are kept")
        return
      }
      if age < other {
        source.peek(key)?.report(
          "\(DurationText.format(age)) is shorter than \(name) are kept",
          remedy: "write at least \(DurationText.format(other))")
      }
    }
    check("minute", rollups.minute, isAtLeast: rollups.second, of: "rollups of a second")
    check("hour", rollups.hour, isAtLeast: rollups.minute, of: "rollups of a minute")
    check("hour", rollups.hour, isAtLeast: samples, of: "notifications (samples)")
  }
}

extension RetentionConfiguration.Rollups: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "retention.rollups"
    let second = Key("second", .age, "")
    let minute = Key("minute", .age, "at least as long as `second`")
    let hour = Key("hour", .age, "at least as long as `minute` and `samples`")
  }

  init(_ section: Section<Keys>) {
    self.init(second: section.second, minute: section.minute, hour: section.hour)
  }
}

extension ValueKind<Duration> {
  /// How long rows are kept; they go in whole hours.
  fileprivate static var age: Self { duration(in: .seconds(3600) ... .seconds(36_500 * 86_400)) }
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
