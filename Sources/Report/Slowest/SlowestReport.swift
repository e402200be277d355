import Analysis
import Measurement
import Store

/// The slowest notifications of a selection, with what each waited for.
public struct SlowestReport: Sendable {
  /// One of them.
  public struct Notification: Sendable {
    let place: TargetDirectory.Entry
    public let sample: Sample
    /// What it is slow in: of targets that expect receipts a delivery, else an answer, where no metric is asked for.
    public let metric: Metric
    public let latency: Duration
    /// The finding in whose time it was planned and that is of the same; `nil` where it belongs to none.
    public internal(set) var finding: FindingRecord?
    /// What the device reported of its circumstances.
    public let context: DeviceContext?

    public var target: String { place.target.name }
    var variant: String { place.target.variants.first { $0.id == sample.variant }?.name ?? "" }

    /// What it waited for.
    var sentence: NotificationSentence {
      NotificationSentence(
        sample, provider: place.target.provider,
        receiptDeadline: place.target.receiptDeadline.map { .microseconds($0) }, context: context)
    }
  }

  /// The most that can be asked for.
  public static let mostCount = 10_000

  /// The slowest first; of equal ones the one that was planned first.
  public private(set) var notifications: [Notification]
  /// How many have a latency.
  public let counted: Int
  /// How many have none although they are settled, by state.
  public let without: [NotificationState: Int]
  /// Notifications planned before are deleted, so that slower ones may have been among them; `nil` where none of the selection is
  /// deleted.
  public let prunedTo: WallTime?
  /// `nil`: what each target is judged by.
  public let metric: Metric?

  /// Reads the selection once, and keeps the slowest only.
  ///
  /// - Parameters:
  ///   - metric: `nil`: `delivery` of targets that expect receipts, else `accept`.
  ///   - count: of notifications to keep, at most ``mostCount``.
  /// - Throws: ``ReportError`` when a run was deleted meanwhile, `StoreError`.
  public init(
    _ reader: any SampleSource, _ selection: RowSelection, metric: Metric? = nil, count: Int = 10
  ) throws {
    let directory = try TargetDirectory(reader, selection)
    let (since, until) = (
      selection.since ?? .distantPast, selection.until ?? .distantFuture
    )
    let pruned = try reader.pruned().samples
    var prunedTo: WallTime?
    var slowest = RankedSamples(count: min(count, Self.mostCount))
    var counted = 0
    var without: [NotificationState: Int] = [:]
    for entry in directory.entries {
      let target = entry.target
      let metric = Self.metric(metric, of: target)
      if let pruned, max(since, entry.run.startedAt) < min(pruned, until) { prunedTo = min(pruned, until) }
      try reader.forEachSample(of: target.id, plannedFrom: since, to: until) { row in
        guard let latency = row.value(of: metric) else {
          let state = row.state
          if state.isSettled { without[state, default: 0] += 1 }
          return
        }
        counted += 1
        if slowest.admits(latency) { slowest.insert(row.sample, score: latency) }
      }
    }
    try directory.checkRuns(reader)
    self.metric = metric
    self.counted = counted
    self.without = without
    self.prunedTo = prunedTo
    let contexts = try reader.deviceContexts()
    notifications = try slowest.samples.compactMap { sample in
      let place = try directory.entry(for: sample.id.target)
      let metric = Self.metric(metric, of: place.target)
      return sample.value(of: metric).map {
        Notification(
          place: place, sample: sample, metric: metric, latency: .microseconds($0), finding: nil,
          context: sample.context.flatMap { contexts[$0] })
      }
    }
    try findFindings(reader)
  }

  private static func metric(_ wanted: Metric?, of target: TargetRecord) -> Metric {
    wanted ?? target.judgedMetric
  }

  /// Looks for the finding that each belongs to.
  private mutating func findFindings(_ reader: any SampleSource) throws {
    let planned = notifications.map(\.sample.plannedAt)
    guard let first = planned.min(), let last = planned.max() else { return }
    let findings = try reader.findings(
      FindingSelection(
        targets: Set(notifications.map(\.target)), since: first, until: last.advanced(byMicroseconds: 1)))
    guard !findings.isEmpty else { return }
    let collectors = Dictionary(
      try reader.runs().map { ($0.id, $0.collectorID) }, uniquingKeysWith: { first, _ in first })
    for index in notifications.indices {
      let collector = notifications[index].place.run.collectorID
      // Collectors of a fleet may have targets of the same name.
      notifications[index].finding = notifications[index].finding(
        among: findings.filter { collectors[$0.run] ?? collector == collector })
    }
  }
}

extension SlowestReport.Notification {
  /// The finding that tells most of why it is slow.
  fileprivate func finding(among findings: [FindingRecord]) -> FindingRecord? {
    let own = findings.filter { finding in
      finding.target == target && finding.variant == variant && finding.startedAt <= sample.plannedAt
        && (finding.goesOn || sample.plannedAt < finding.lastMoment)
        && (!finding.isDaily || finding.lastStretch.contains(sample.plannedAt))
    }
    let metrics: [SeriesMetric] =
      !metric.isByDevice
      ? [.accept]
      : (metric == .shown ? [.display] : []) + [.delivery, .accept] + (sample.state == .late ? [.lost] : [])
    for metric in metrics {
      if let finding = own.first(where: { $0.metric.word == metric && $0.kind.word != .faster }) {
        return finding
      }
    }
    return nil
  }
}
