import Analysis
import Configuration
import Findings
import Measurement
import Store

/// What a provider's engineers ask for when they are told of a finding: notifications by their ids, with times and what was asked for,
/// the worst and normal ones of the same time, and how other devices did meanwhile.
public struct FindingEvidence: Sendable {
  /// A notification.
  struct Notification: Sendable {
    let place: TargetDirectory.Entry
    let sample: Sample
    let device: String
    /// What the device reported of its circumstances.
    let context: DeviceContext?
    let fields: [EvidenceTarget.Field]
    /// The end of the time for which the service may keep it, of Web Push: its id is told afterwards.
    let keptUntil: WallTime?
    let readAt: WallTime

    var variant: String { place.target.variants.first { $0.id == sample.variant }?.name ?? "" }
  }

  /// A target that the finding is not about, in the same time.
  struct Control: Sendable {
    let target: String
    let provider: String
    let device: String
    /// `nil` where it has no values.
    let median: QuantileInterval?
    let high: QuantileInterval?
    let metric: Metric
    /// `nil` where no receipts are expected.
    let lost: ShareInterval?
    let settled: Int
  }

  /// What is for the engineers of one provider.
  struct Section: Sendable {
    /// The kind of the provider, and scheme, host and port.
    let provider: String
    let endpoint: String
    /// The findings of its targets, the one that was asked for first.
    let findings: [FindingRecord]
    let time: Range<WallTime>
    /// Whether it goes on.
    let isOpen: Bool
    let worst: [Notification]
    let normal: [Notification]
    /// Whether the normal ones were planned before the finding began, because none of its own time was normal.
    let isNormalBefore: Bool
    let controls: [Control]
    /// Notifications planned before are deleted; `nil` where those of the time are there.
    let prunedTo: WallTime?

    var metric: SeriesMetric? { findings[0].metric.word }
  }

  /// Notifications of each kind.
  static let count = 5
  private static let mostControls = 20

  let sections: [Section]
  /// When it was read.
  let readAt: WallTime
  /// Whether the configuration was read.
  let isConfigured: Bool

  /// Collects what there is for a finding, and for the others of its incident.
  ///
  /// - Parameters:
  ///   - configured: what the configuration says of its targets, by name; `nil` where there is none.
  ///   - now: the end of a finding that goes on.
  /// - Throws: `StoreError`, `FleetError`.
  public init(
    _ record: FindingRecord, _ reader: any SampleSource, configured: [String: EvidenceTarget]?,
    now: WallTime
  ) throws {
    let all = try reader.findings(FindingSelection(includesHidden: true))
    let others = all.filter { $0.incident == record.incident && $0.id != record.id && !$0.isWithdrawn }
    var groups: [[FindingRecord]] = []
    for finding in [record] + others {
      let place = groups.firstIndex {
        $0[0].provider == finding.provider && $0[0].endpoint == finding.endpoint
      }
      if let place { groups[place].append(finding) } else { groups.append([finding]) }
    }
    let entries = try TargetDirectory(reader, RowSelection()).entries
    let devices = try DeviceNames(reader)
    sections = try groups.map { group in
      try SectionReader(
        reader: reader, entries: entries, devices: devices, findings: group,
        affected: Set(([record] + others).map(\.target)),
        configured: configured ?? [:], now: now
      ).section()
    }
    readAt = now
    isConfigured = configured != nil
  }

  /// Reads what is for one provider.
  private struct SectionReader {
    let reader: any SampleSource
    let entries: [TargetDirectory.Entry]
    let devices: DeviceNames
    let findings: [FindingRecord]
    let affected: Set<String>
    let configured: [String: EvidenceTarget]
    let now: WallTime

    private var time: Range<WallTime> {
      let stretches = findings.map { finding -> Range<WallTime> in
        if finding.isDaily { return finding.lastStretch }
        let end = finding.goesOn ? max(now, finding.lastMoment) : finding.lastMoment
        return finding.startedAt..<max(end, finding.startedAt.advanced(byMicroseconds: 1))
      }
      let start = stretches.map(\.lowerBound).min() ?? now
      return start..<max(stretches.map(\.upperBound).max() ?? now, start.advanced(byMicroseconds: 1))
    }

    func section() throws -> Section {
      let time = time
      let first = findings[0]
      let metric = first.metric.word ?? .delivery
      var worst = RankedSamples(count: FindingEvidence.count)
      try forEachRow(in: time) { row in
        if let score = Self.score(row, metric), worst.admits(score) { worst.insert(row.sample, score: score) }
      }
      let instants = worst.samples.map(\.plannedAt)
      let limit = first.before
      let chosen = Set(worst.samples.map(\.id))
      var normal = RankedSamples(count: FindingEvidence.count)
      try forEachRow(in: time) { row in
        guard Self.isNormal(row, metric, limit), !chosen.contains(row.id) else { return }
        let distance = instants.map { abs((row.plannedAt - $0).microseconds) }.min() ?? 0
        if normal.admits(-distance) { normal.insert(row.sample, score: -distance) }
      }
      let isNormalBefore = normal.samples.isEmpty
      if isNormalBefore {
        let length = max(.hours(1), time.upperBound - time.lowerBound)
        let before = (time.lowerBound - length)..<time.lowerBound
        try forEachRow(in: before) { row in
          let score = row.plannedAt.microseconds
          if Self.isNormal(row, metric, limit), normal.admits(score) {
            normal.insert(row.sample, score: score)
          }
        }
      }
      let contexts = try reader.deviceContexts()
      return Section(
        provider: first.provider, endpoint: first.endpoint, findings: findings, time: time,
        isOpen: findings.contains(where: \.goesOn), worst: notifications(worst.samples, contexts),
        normal: notifications(normal.samples, contexts),
        isNormalBefore: isNormalBefore && !normal.samples.isEmpty,
        controls: try controls(in: time, metric),
        prunedTo: try reader.pruned().samples.flatMap { time.lowerBound < $0 ? $0 : nil })
    }

    /// The time from received to shown, µs.
    private static func displayTime(_ row: borrowing SampleRow) -> Int64? {
      Sample.displayTime(shown: row.shownLatency, delivery: row.deliveryLatency)
    }

    /// How bad a notification is in what changed; `nil` where it is not.
    private static func score(_ row: borrowing SampleRow, _ metric: SeriesMetric) -> Int64? {
      switch metric {
      case .delivery: row.value(of: .delivery)
      case .accept: row.value(of: .accept)
      case .display: displayTime(row)
      // What never arrived is worse than what arrived late.
      case .lost: row.state == .lost ? .max : row.state == .late ? row.value(of: .delivery) : nil
      case .failed: row.state == .failed ? 0 : nil
      case .refused: row.state == .rejected ? 0 : nil
      case .unseen: row.display.flatMap { $0 == .unseen || $0 == .shownLate ? 0 : nil }
      }
    }

    /// - Parameter limit: what the metric's quantile was before, µs.
    private static func isNormal(_ row: borrowing SampleRow, _ metric: SeriesMetric, _ limit: Int64?) -> Bool
    {
      guard row.state.isGood else { return false }
      switch metric {
      case .delivery, .accept, .display: return score(row, metric).map { $0 <= limit ?? .max } ?? false
      case .lost, .failed, .refused: return true
      case .unseen: return row.display == .shown
      }
    }

    /// Visits the notifications of the findings' targets and variants.
    private func forEachRow(in time: Range<WallTime>, _ body: (borrowing SampleRow) -> Void) throws {
      for entry in entries where overlaps(entry, time) && entry.target.provider == findings[0].provider {
        let names = Set(findings.filter { $0.target == entry.target.name }.map(\.variant))
        guard !names.isEmpty else { continue }
        let variants = Set(entry.target.variants.filter { names.contains($0.name) }.map(\.id))
        try reader.forEachSample(of: entry.target.id, plannedFrom: time.lowerBound, to: time.upperBound) {
          if variants.contains($0.variant) { body($0) }
        }
      }
    }

    private func overlaps(_ entry: TargetDirectory.Entry, _ time: Range<WallTime>) -> Bool {
      entry.run.startedAt < time.upperBound && (entry.run.endedAt ?? now) >= time.lowerBound
    }

    private func notifications(
      _ samples: [Sample], _ contexts: [DeviceContextID: DeviceContext]
    ) -> [Notification] {
      samples.compactMap { sample in
        entries.first { $0.target.id == sample.id.target }.map { entry in
          let variant = entry.target.variants.first { $0.id == sample.variant }?.name ?? ""
          let target = configured[entry.target.name]
          return Notification(
            place: entry, sample: sample, device: devices.name(of: entry.target),
            context: sample.context.flatMap { contexts[$0] },
            fields: target?.fields(of: variant) ?? [],
            keptUntil: keptUntil(sample, entry.target, target), readAt: now)
        }
      }
    }

    /// - Returns: `nil` where an id lets nobody do anything. Where the TTL is not known, the longest that services grant.
    private func keptUntil(_ sample: Sample, _ target: TargetRecord, _ configured: EvidenceTarget?)
      -> WallTime?
    {
      guard target.provider == ProviderKind.webpush.rawValue else { return nil }
      let life = configured?.longestLife ?? .seconds(WebPushDialect.longestTTL)
      // The service counts from when it accepted the message.
      return sample.plannedAt.advanced(byMicroseconds: (sample.acceptLatency ?? 0)) + life
    }

    /// The other devices of the provider, and what other providers did for the same devices.
    private func controls(in time: Range<WallTime>, _ metric: SeriesMetric) throws -> [Control] {
      let affectedDevices = Set(findings.map(\.device))
      let others = entries.filter { entry in
        let target = entry.target
        return overlaps(entry, time) && !affected.contains(target.name)
          && (target.provider == findings[0].provider || affectedDevices.contains(devices.name(of: target)))
      }
      var names: [String] = []
      for entry in others where !names.contains(entry.target.name) { names.append(entry.target.name) }
      let series = SeriesReader(reader)
      return try names.prefix(FindingEvidence.mostControls).compactMap { name in
        let own = others.filter { $0.target.name == name }.map(\.target)
        let expectsReceipts = own.contains(where: \.expectsReceipts)
        let shown: Metric = metric.needsReceipts && expectsReceipts ? .delivery : .accept
        guard
          let window = try series.window(of: own.map(\.id), since: time.lowerBound, until: time.upperBound)
        else { return nil }
        let statistics = try series.statistics(of: window, metrics: [shown], shares: [.lost])
        return Control(
          target: name, provider: own[0].provider, device: devices.name(of: own[0]),
          median: statistics.shownInterval(of: .p50, shown, isIndependent: false),
          high: statistics.shownInterval(of: .p99, shown, isIndependent: false), metric: shown,
          lost: expectsReceipts ? statistics.share(.lost) : nil, settled: statistics.counts.settled)
      }
    }
  }
}
