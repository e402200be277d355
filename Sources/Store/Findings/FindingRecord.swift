import FoundationEssentials
import Measurement

/// A stored finding: a row of the table `finding`, with the columns of `export findings`.
public struct FindingRecord: Sendable, Equatable, Identifiable, Codable {
  /// Eight letters and digits, unique in the store.
  public var id: String
  /// The id of the incident's first finding.
  public var incident: String
  /// The run in which it was detected.
  public var run: RunID
  public var target: String
  /// Empty if the target lists no values.
  public var variant: String
  public var provider: String
  /// Scheme, host and port; empty in runs from before stores kept it.
  public var endpoint: String
  /// The configured device, else the name in its receipts, else the target's name.
  public var device: String
  public var metric: Stored<SeriesMetric>
  public var kind: Stored<FindingKind>
  public var status: Stored<FindingStatus>
  public var startedAt: WallTime
  /// `nil` when it has been getting worse gradually.
  public var startedLow: WallTime?
  public var startedHigh: WallTime?
  /// `nil` while it is open, and for one that became the new normal.
  public var endedAt: WallTime?
  public var detectedAt: WallTime
  /// The end of the stretch looked at so far.
  public var seenUntil: WallTime
  /// The quantile that changed; `nil` for shares.
  public var quantile: Double?
  /// The quantile before and since, µs, and the interval of the latter; an open end is `nil`. `nil` for shares.
  public var before: Int64?
  public var after: Int64?
  public var afterLow: Int64?
  public var afterHigh: Int64?
  /// The share before and since, from 0 to 1, and the interval of the latter; `nil` for latencies.
  public var shareBefore: Double?
  public var shareAfter: Double?
  public var shareLow: Double?
  public var shareHigh: Double?
  /// The first of ``causes``; `nil` before they were sought.
  public var cause: Cause?
  /// The provider, device or target that the cause names.
  public var scope: String?
  public var causes: [Cause]
  /// One clause in words and numbers.
  public var evidence: String
  public var samples: Int
  public var effectiveSamples: Double
  /// The window that raised the alarm, or the length of a daily pattern's stretch, µs.
  public var window: Int64
  /// The test statistic in nats, and the alarm level that it passed.
  public var statistic: Double
  public var threshold: Double
  /// Whether it has been getting worse gradually.
  public var isGradual: Bool
  /// Whether it became the new normal, after a week, or a provisional one after the first two hours; it has no end then.
  public var isNewNormal: Bool
  public var verdicts: [Verdict]
  public var legs: [LegsRecord]
  /// What happened while it can have begun: annotations and connection events, never a cause.
  public var events: [String]
  /// The detector's own data, JSON.
  public var detection: String
  /// Taken out of lists, counts and alerts by `findings hide`.
  public var isHidden: Bool
  /// Assigned by the store.
  public var revision: Int64

  public init(
    id: String, incident: String, run: RunID, target: String, variant: String, provider: String,
    endpoint: String, device: String, metric: SeriesMetric, kind: FindingKind, status: FindingStatus,
    startedAt: WallTime, detectedAt: WallTime, seenUntil: WallTime
  ) {
    self.id = id
    self.incident = incident
    self.run = run
    self.target = target
    self.variant = variant
    self.provider = provider
    self.endpoint = endpoint
    self.device = device
    self.metric = Stored(metric)
    self.kind = Stored(kind)
    self.status = Stored(status)
    self.startedAt = startedAt
    self.detectedAt = detectedAt
    self.seenUntil = seenUntil
    causes = []
    evidence = ""
    samples = 0
    effectiveSamples = 0
    window = 0
    statistic = 0
    threshold = 0
    isGradual = false
    isNewNormal = false
    verdicts = []
    legs = []
    events = []
    detection = ""
    isHidden = false
    revision = 0
  }

  public var isProvisional: Bool { status.word == .provisional }
  public var isWithdrawn: Bool { status.word == .withdrawn }

  /// The longest time between ``startedAt`` and when it can have begun; `nil` where there is none or it is not known.
  public var startMargin: Duration? {
    guard let startedLow, let startedHigh else { return nil }
    let margin = max(startedHigh - startedAt, startedAt - startedLow)
    return margin > .zero ? margin : nil
  }

  /// The legs of the metric and quantile that changed. What an earlier version wrote may be of others.
  public var explainingLegs: [LegsRecord] {
    guard let quantile else { return [] }
    return legs.filter { ($0.metric ?? Stored(.delivery)) == metric && abs($0.quantile - quantile) < 1e-9 }
  }

  /// What was refused of its target, and what was not sent because of that; `nil` where it is not known.
  public var refusals: Verdict.Refusals? {
    guard metric.word == .refused else { return nil }
    return verdicts.lazy.compactMap { $0.refusals?.first { $0.target == target } }.first
  }

  /// Whether it goes on: open, lasting, or provisional without an end, unless it became the new normal.
  public var isOpen: Bool { status.word?.isOpen(isSettled: endedAt != nil || isNewNormal) ?? false }

  /// Whether it comes on most days at the same hours. Its ``window`` is the length of the stretch of the day, its ``samples``
  /// are the days that were looked at and its ``effectiveSamples`` those on which it came; it was seen until the end of the last
  /// one, and ended then where it comes no longer.
  public var isDaily: Bool { status.word == .daily }

  /// Whether it is a daily pattern, or was one before it was withdrawn.
  public var isPattern: Bool { isDaily || isWithdrawn && detection.contains(#""daily":{"#) }

  /// Its end; where it has none, the end of the time that has been looked at.
  public var lastMoment: WallTime { endedAt ?? seenUntil }

  /// ``lastMoment`` in SQL.
  /// - Parameter table: the alias of the table `finding`.
  static func lastMoment(in table: String) -> String { "ifnull(\(table).ended_at, \(table).seen_until)" }

  /// The last stretch of a daily pattern.
  public var lastStretch: Range<WallTime> {
    lastMoment.advanced(byMicroseconds: -max(1, window))..<lastMoment
  }

  /// Whether it is open, or a daily pattern that still comes.
  public var goesOn: Bool { isOpen || isDaily && endedAt == nil }

  /// ``goesOn`` as a condition of SQL.
  /// - Parameter table: the alias of the table `finding`.
  static func goesOn(in table: String) -> String {
    "(\(isOpen(in: table)) OR \(table).status = '\(FindingStatus.daily.rawValue)' AND \(table).ended_at IS NULL)"
  }

  /// ``isOpen`` as a condition of SQL.
  /// - Parameter table: the alias of the table `finding`.
  static func isOpen(in table: String) -> String {
    FindingStatus.isOpen(
      "\(table).status", isSettled: "\(table).ended_at IS NOT NULL OR \(table).new_normal")
  }
}

extension FindingRecord {
  /// A record to read values into.
  public static let blank = FindingRecord(
    id: "", incident: "", run: RunID(uuid: UUID(high: 0, low: 0)), target: "", variant: "", provider: "",
    endpoint: "", device: "", metric: .delivery, kind: .slower, status: .open,
    startedAt: WallTime(microseconds: 0), detectedAt: WallTime(microseconds: 0),
    seenUntil: WallTime(microseconds: 0))

  /// The columns of the table `finding`. The exported ones are in the order of the CSV.
  public static let columns: [RecordColumn<FindingRecord>] = [
    .init("id", \.id, .exported),
    .init("incident", \.incident, .exported),
    .init("run", \.run, [.exported, .readOnly], sql: "r.uuid"),
    .init("target", \.target, .exported, as: .name),
    .init("variant", \.variant, [.exported, .emptyIsNone], as: .name),
    .init("provider", \.provider, as: .name),
    .init("endpoint", \.endpoint, as: .name),
    .init("device", \.device, as: .name, title: "device"),
    .init("metric", \.metric, .exported),
    .init("kind", \.kind, .exported),
    .init("status", \.status, .exported),
    .init("started_at", \.startedAt, .exported),
    .init("started_low", \.startedLow, .exported),
    .init("started_high", \.startedHigh, .exported),
    .init("ended_at", \.endedAt, .exported),
    .init("detected_at", \.detectedAt, .exported),
    .init("seen_until", \.seenUntil),
    .init("quantile", \.quantile, .exported),
    .init("before_us", \.before, .exported),
    .init("after_us", \.after, .exported),
    .init("after_low_us", \.afterLow, .exported),
    .init("after_high_us", \.afterHigh, .exported),
    .init("share_before", \.shareBefore, .exported),
    .init("share_after", \.shareAfter, .exported),
    .init("share_low", \.shareLow, .exported),
    .init("share_high", \.shareHigh, .exported),
    .init(
      "cause", .name, [.exported, .emptyIsNone], value: { .text($0.cause?.rawValue ?? "") },
      assign: { record, value in
        guard let text = String(value) else { return false }
        record.cause = text.isEmpty ? nil : Cause(rawValue: text)
        return true
      }),
    .init("scope", \.scope, .exported, as: .name),
    .init(
      "causes", ColumnType(.list), [.exported, .emptyIsNone],
      value: { .text($0.causes.map(\.rawValue).joined(separator: ";")) },
      assign: { record, value in
        guard let text = String(value) else { return false }
        record.causes = text.split(separator: ";").map { Cause(rawValue: String($0)) }
        return true
      }),
    .init("evidence", \.evidence, [.exported, .emptyIsNone]),
    .init("samples", \.samples, .exported),
    .init("effective_samples", \.effectiveSamples, .exported),
    .init("window_us", \.window, .exported),
    .init("statistic", \.statistic),
    .init("threshold", \.threshold),
    .init("gradual", \.isGradual),
    .init("new_normal", \.isNewNormal),
    .init("verdicts", json: \.verdicts, otherwise: []),
    .init("legs", json: \.legs, otherwise: []),
    .init("events", json: \.events, otherwise: []),
    .init("detection", \.detection),
    // `findings hide` changes it, not what the detector writes.
    .init("hidden", \.isHidden, .readOnly),
    .init("revision", \.revision, .readOnly, as: .revision),
  ]
}

/// How much of the change of a quantile of a target's latency each leg carries.
public struct LegsRecord: Sendable, Hashable, Codable {
  /// A leg's part of the change, µs.
  public struct Part: Sendable, Hashable, Codable {
    public var leg: Stored<Leg>
    public var change: Double
    /// 95 % interval.
    public var low: Double?
    public var high: Double?

    public init(leg: Leg, change: Double, low: Double?, high: Double?) {
      self.leg = Stored(leg)
      self.change = change
      self.low = low
      self.high = high
    }
  }

  public var target: String
  /// `delivery` or `accept`; `nil` where an earlier version wrote it, which looked at deliveries only.
  public var metric: Stored<SeriesMetric>?
  public var quantile: Double
  /// The quantile before, and its change, µs.
  public var before: Double
  public var total: Double
  public var totalLow: Double?
  public var totalHigh: Double?
  public var parts: [Part]

  public init(
    target: String, metric: SeriesMetric? = nil, quantile: Double, before: Double, total: Double,
    totalLow: Double?,
    totalHigh: Double?, parts: [Part]
  ) {
    self.target = target
    self.metric = metric.map { Stored($0) }
    self.quantile = quantile
    self.before = before
    self.total = total
    self.totalLow = totalLow
    self.totalHigh = totalHigh
    self.parts = parts
  }
}

/// What the detector knows of a target and variant, and how far it has learned.
public struct DetectorRecord: Sendable, Hashable, Codable {
  public var target: String
  public var variant: String
  public var provider: String
  public var endpoint: String
  /// The planned time before which everything was looked at.
  public var through: WallTime
  /// All rows up to this revision were looked at.
  public var cursor: Int64
  /// Recorded time so far, µs.
  public var age: Int64
  /// How much of it learning takes, µs ("4 min of 2 days"); `nil` when it is done.
  public var learning: Int64?
  /// What it would find now, metric by metric; `nil` where that is not known.
  public var power: [DetectionPower]?

  public init(
    target: String, variant: String, provider: String, endpoint: String, through: WallTime, cursor: Int64,
    age: Int64, learning: Int64?, power: [DetectionPower]? = nil
  ) {
    self.power = power
    self.target = target
    self.variant = variant
    self.provider = provider
    self.endpoint = endpoint
    self.through = through
    self.cursor = cursor
    self.age = age
    self.learning = learning
  }

  static let key = ["target", "variant", "provider", "endpoint"]

  /// The columns of the table `detector`.
  static let columns: [RecordColumn<DetectorRecord>] = [
    .init("target", \.target), .init("variant", \.variant), .init("provider", \.provider),
    .init("endpoint", \.endpoint), .init("through", \.through), .init("cursor", \.cursor),
    .init("age_us", \.age), .init("learning_us", \.learning), .init("power", \.powerText),
  ]

  static let blank = DetectorRecord(
    target: "", variant: "", provider: "", endpoint: "", through: WallTime(microseconds: 0), cursor: 0,
    age: 0, learning: nil)

  /// ``power`` as JSON.
  private var powerText: String? {
    get { power.map { JSONText.make($0) } }
    set { power = newValue.flatMap { try? JSONText.decode([DetectionPower].self, from: $0) } }
  }
}

/// Selects findings; by default all but hidden and withdrawn ones.
public struct FindingSelection: Sendable, Equatable {
  public var run: RunID?
  /// The names of the targets to select; `nil` for all.
  public var targets: Set<String>?
  /// Those that have not ended before.
  public var since: WallTime?
  /// Those that started before; daily patterns that were found before.
  public var until: WallTime?
  public var includesHidden: Bool
  public var includesWithdrawn: Bool

  public init(
    run: RunID? = nil, targets: Set<String>? = nil, since: WallTime? = nil, until: WallTime? = nil,
    includesHidden: Bool = false, includesWithdrawn: Bool = false
  ) {
    self.run = run
    self.targets = targets
    self.since = since
    self.until = until
    self.includesHidden = includesHidden
    self.includesWithdrawn = includesWithdrawn
  }

  /// Whether a finding is selected; its run may be any where ``run`` is not set.
  public func includes(_ finding: FindingRecord) -> Bool {
    if let run, finding.run != run { return false }
    if let targets, !targets.contains(finding.target) { return false }
    if finding.isHidden, !includesHidden { return false }
    if finding.isWithdrawn, !includesWithdrawn { return false }
    // A daily pattern is one since it was found, of whichever days.
    if let until, (finding.isDaily ? finding.detectedAt : finding.startedAt) >= until { return false }
    guard let since, finding.lastMoment < since else { return true }
    // What goes on has not ended, whenever it was looked at last.
    return finding.goesOn
  }

  public static let everything = FindingSelection(includesHidden: true, includesWithdrawn: true)
}
