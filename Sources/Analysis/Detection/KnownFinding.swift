import Findings
import FoundationEssentials
import Measurement
import Store

/// A finding as the detector has it, beside the row that is stored of it.
struct KnownFinding: Sendable {
  let watched: WatchedTarget
  /// The finding as the detector found it, in bins.
  var finding: Finding
  var record: FindingRecord
  /// Whether ``record`` has to be made again.
  var isStale = false
  /// Whether notifications of its episode may not have their final state yet.
  var isPending = false
  /// The end of the stretch that its cause was sought in.
  var episodeEnd = WallTime.distantPast

  /// A new one.
  init(_ finding: Finding, watched: WatchedTarget, span: SeriesSpan) {
    self.watched = watched
    self.finding = finding
    let id = Self.id(of: finding.id, watched)
    record = FindingRecord(
      id: id, incident: id, run: span.run, target: watched.target, variant: watched.variant,
      provider: watched.provider, endpoint: watched.endpoint, device: span.device ?? watched.target,
      metric: finding.metric, kind: finding.kind, status: finding.status,
      startedAt: finding.startTime, detectedAt: finding.detectionTime, seenUntil: finding.seenTime)
    isStale = true
  }

  /// A stored one; `nil` if another version wrote it.
  init?(_ record: FindingRecord) {
    guard
      let stored = try? JSONText.decode(Detection.self, from: record.detection)
    else { return nil }
    watched = WatchedTarget(record)
    finding = stored.finding
    episodeEnd = WallTime(microseconds: stored.episodeEnd)
    isPending = stored.isPending
    self.record = record
    if record.isWithdrawn { finding.status = .withdrawn }
  }

  /// The contents of ``FindingRecord/detection``.
  private struct Detection: Codable {
    var finding: Finding
    /// µs since 1970.
    var episodeEnd: Int64
    var isPending: Bool
  }

  /// Writes what a restart needs into the record.
  mutating func encodeDetection() {
    record.detection = JSONText.make(
      Detection(finding: finding, episodeEnd: episodeEnd.microseconds, isPending: isPending))
  }

  /// Whether the detector still says the same, but for how far it has looked.
  func isSame(_ other: Finding) -> Bool {
    var other = other
    // A daily pattern is looked at once a day.
    if other.daily == nil { other.seenUntil = finding.seenUntil }
    return other == finding
  }

  var attributed: AttributedFinding {
    AttributedFinding(
      finding: finding, target: record.target,
      provider: record.endpoint.isEmpty ? record.provider : record.endpoint,
      device: record.device, verdicts: record.verdicts)
  }

  /// Eight letters and digits, from the series and the bin of the alarm: equal for equal rows.
  private static func id(of id: Finding.ID, _ watched: WatchedTarget) -> String {
    let daily = id.dailyStep.map { "|daily \($0)" } ?? ""
    let hash = seed(
      of:
        "\(watched.target)|\(watched.variant)|\(watched.provider)|\(watched.endpoint)|\(id.metric)|\(id.detectedAt)\(daily)"
    )
    let digits = Array("23456789abcdefghjkmnpqrstuvwxyz")
    var rest = hash
    return String(
      (0..<8).map { _ in
        defer { rest /= UInt64(digits.count) }
        return digits[Int(rest % UInt64(digits.count))]
      })
  }

  /// FNV-1a with a final mix, the same in every process.
  static func seed(of text: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    return hash ^ (hash >> 33)
  }
}
