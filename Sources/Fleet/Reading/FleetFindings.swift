import FoundationEssentials
import Measurement
import Store

/// Rows of the table `finding`.
enum FleetFindings {
  static func query(database: String, of members: [FleetDirectory.Member]) -> String {
    let keys = Set(members.map(\.key)).sorted {
      ($0.collector, $0.run, $0.target) < ($1.collector, $1.run, $1.target)
    }.map {
      "(toUUID(\(EngineText.quoted($0.collector))), toUUID(\(EngineText.quoted($0.run))), \(EngineText.quoted($0.target)))"
    }
    let columns = ForwardedTable.finding.columns.map { column in
      switch column.kind {
      case .uuid, .name: "toString(\(column.name))"
      case .optionalName: "CAST(\(column.name) AS Nullable(String))"
      case .labels: "''"
      case .revision: "toInt64(\(column.name))"
      default: column.name
      }
    }
    return """
      SELECT \(columns.joined(separator: ", ")) FROM \(database).finding FINAL
      WHERE (collector, run, target) IN (\(keys.joined(separator: ", "))) ORDER BY started_at, id
      """
  }

  /// - Returns: `nil` where the run is none.
  static func record(_ reader: inout RowBinaryReader) throws(FleetError) -> FindingRecord? {
    let values = try FindingValues(&reader)
    let (texts, integers, reals, flags) = (values.texts, values.integers, values.reals, values.flags)
    func text(_ name: String) -> String { texts[name] ?? "" }
    func time(_ name: String) -> WallTime? { integers[name].map(WallTime.init(microseconds:)) }
    func decoded<Value: Decodable>(_ name: String) -> [Value] {
      (try? JSONDecoder().decode([Value].self, from: Data(text(name).utf8))) ?? []
    }
    guard let run = RunID(text("run")), let start = time("started_at"), let detected = time("detected_at"),
      let seen = time("seen_until")
    else { return nil }
    var record = FindingRecord(
      id: text("id"), incident: text("incident"), run: run, target: text("target"), variant: text("variant"),
      provider: text("provider"), endpoint: text("endpoint"), device: text("device"),
      metric: .delivery, kind: .slower, status: .open, startedAt: start, detectedAt: detected, seenUntil: seen
    )
    record.metric = Stored(rawValue: text("metric"))
    record.kind = Stored(rawValue: text("kind"))
    record.status = Stored(rawValue: text("status"))
    record.startedLow = time("started_low")
    record.startedHigh = time("started_high")
    record.endedAt = time("ended_at")
    record.quantile = reals["quantile"]
    record.before = integers["before_us"]
    record.after = integers["after_us"]
    record.afterLow = integers["after_low_us"]
    record.afterHigh = integers["after_high_us"]
    record.shareBefore = reals["share_before"]
    record.shareAfter = reals["share_after"]
    record.shareLow = reals["share_low"]
    record.shareHigh = reals["share_high"]
    record.cause = text("cause").isEmpty ? nil : Cause(rawValue: text("cause"))
    record.scope = texts["scope"]
    record.causes = text("causes").split(separator: ";").map { Cause(rawValue: String($0)) }
    record.evidence = text("evidence")
    record.samples = Int(integers["samples"] ?? 0)
    record.effectiveSamples = reals["effective_samples"] ?? 0
    record.window = integers["window_us"] ?? 0
    record.statistic = reals["statistic"] ?? 0
    record.threshold = reals["threshold"] ?? 0
    record.isGradual = flags["gradual"] ?? false
    record.isNewNormal = flags["new_normal"] ?? false
    record.verdicts = decoded("verdicts")
    record.legs = decoded("legs")
    record.events = decoded("events")
    record.detection = text("detection")
    record.isHidden = flags["hidden"] ?? false
    record.revision = integers["revision"] ?? 0
    return record
  }
}

/// The values of a row of findings by the names of their columns.
private struct FindingValues {
  private(set) var texts: [String: String] = [:]
  private(set) var integers: [String: Int64] = [:]
  private(set) var reals: [String: Double] = [:]
  private(set) var flags: [String: Bool] = [:]

  init(_ reader: inout RowBinaryReader) throws(FleetError) {
    for column in ForwardedTable.finding.columns {
      let name = column.name
      switch column.kind {
      case .uuid, .name, .text, .labels: texts[name] = try reader.text()
      case .optionalName, .optionalText: texts[name] = try reader.optionalText()
      case .integer, .time, .revision: integers[name] = try reader.integer()
      case .optionalInteger, .optionalTime: integers[name] = try reader.optionalInteger()
      case .real: reals[name] = try reader.real()
      case .optionalReal:
        reals[name] = try reader.optional { reader throws(FleetError) in try reader.real() }
      case .flag: flags[name] = try reader.flag()
      case .optionalFlag:
        flags[name] = try reader.optional { reader throws(FleetError) in try reader.flag() }
      }
    }
  }
}
