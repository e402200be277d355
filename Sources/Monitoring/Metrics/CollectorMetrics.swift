import Measurement
import Store
import Synchronization

/// The collector's metrics. Threads that record add to them, scrapers take a copy; both hold the lock for no longer than that
/// takes, and the copy shares its storage until the next change.
final class CollectorMetrics: Sendable {
  private let state: Mutex<MetricsState>

  init(_ state: MetricsState = MetricsState()) { self.state = Mutex(state) }

  func update(_ change: (inout MetricsState) -> Void) { state.withLock { change(&$0) } }

  func snapshot() -> MetricsState { state.withLock { $0 } }
}

/// What is counted and measured, without a lock.
struct MetricsState: Sendable {
  /// A target as a whole.
  struct Target: Sendable {
    var isInRun = false
    var expectsReceipts = false
    var askedRate = 0.0
    /// The time since which each connection is open, keyed by its number.
    var connections: [Int64: WallTime] = [:]
    var inFlight = 0
    var lastAccepted: WallTime?
    var lastDelivered: WallTime?
  }

  /// An objective of a share, as far as notifications settled since the collector started.
  struct Objective: Sendable {
    var name: String
    var target: String
    var metric: Metric
    /// µs.
    var limit: Int64
    var good: UInt64 = 0
    var valid: UInt64 = 0
  }

  /// What is read from the store now and then.
  struct StoreFigures: Sendable, Equatable {
    var bytes: Int64?
    var oldest: WallTime?
    /// The time for which the write-ahead log could not be emptied.
    var logPinned = Duration.zero
    /// Rows that are not in the fleet yet; `nil` where nothing is forwarded.
    var forwardBacklog: Int?
  }

  struct FindingKey: Hashable, Comparable, Sendable {
    var target: String
    var kind: String

    static func < (a: Self, b: Self) -> Bool { (a.target, a.kind) < (b.target, b.kind) }
  }

  private static let maximumDevices = 100

  private(set) var series: [SeriesMetrics.Key: SeriesMetrics] = [:]
  private(set) var targets: [String: Target] = [:]
  private(set) var objectives: [Objective] = []
  private(set) var commits: LatencyDistribution
  /// Those heard last; the newest last.
  private(set) var clockOffsets: [ObservedClockOffset] = []
  private(set) var failedHandshakes: [HandshakeFailure: UInt64] = [:]
  private(set) var isSendingPossible = false
  /// Whether the current run began to send, though it may not be able to at the moment.
  private(set) var hasBegunToSend = false
  private(set) var isReloadSuccessful = true
  var store = StoreFigures()
  /// Whether each part of the collector works.
  var parts: [CollectorPart: Bool] = [:]
  private(set) var openFindings: [FindingKey: Int] = [:]

  private var buckets: LatencyBuckets
  private var run: RunID?
  private var targetNames: [TargetID: String] = [:]
  private var seriesKeys: [RowSeries: SeriesMetrics.Key] = [:]

  private struct RowSeries: Hashable {
    var target: TargetID
    var variant: VariantID
  }

  /// - Parameter objectives: whose notifications are counted.
  init(objectives: [Objective] = []) {
    buckets = LatencyBuckets(limits: objectives.map(\.limit))
    commits = LatencyDistribution(LatencyBuckets())
    self.objectives = objectives
  }

  /// Adopts the objectives of a configuration that was read again. Those that are the same go on; new limits become buckets of
  /// the series that begin from now on, since the values so far are not known one by one.
  mutating func replace(_ objectives: [Objective]) {
    buckets = LatencyBuckets(limits: objectives.map(\.limit))
    self.objectives = objectives.map { new in
      self.objectives.first {
        $0.name == new.name && $0.target == new.target && $0.metric == new.metric && $0.limit == new.limit
      } ?? new
    }
  }

  // MARK: What is observed

  /// Findings that ended are told with a zero for as long as their target is in the run.
  private mutating func dropEndedFindings() {
    openFindings = openFindings.filter { key, count in
      count > 0 || targets[key.target]?.isInRun ?? false
    }
  }

  /// A kind that was open is shown as 0 from then on, so that its end is seen, until its target is in the run no more.
  mutating func set(openFindings: [OpenFindings]) {
    self.openFindings = self.openFindings.mapValues { _ in 0 }
    dropEndedFindings()
    for findings in openFindings {
      self.openFindings[FindingKey(target: findings.target, kind: findings.kind)] = findings.count
    }
  }

  /// A run began, or its targets are others since the configuration was read again. What is under way of those that ended is
  /// still counted.
  mutating func begin(_ run: ObservedRun) {
    for name in targets.keys {
      targets[name]?.isInRun = false
      targets[name]?.askedRate = 0
    }
    if run.id != self.run {
      // Rows of targets of earlier runs come with their names.
      targetNames.removeAll()
      seriesKeys.removeAll()
    }
    self.run = run.id
    for target in run.targets {
      let name = target.registration.name
      targetNames[target.registration.id] = name
      targets[name, default: Target()].isInRun = true
      targets[name]?.askedRate = target.askedRate
      targets[name]?.expectsReceipts = target.receiptDeadline != nil
      let variants = Array(zip(target.registration.variants, target.variants))
      for (id, variant) in variants.isEmpty ? [(VariantID.none, "")] : variants {
        let key = SeriesMetrics.Key(target: name, variant: variant)
        seriesKeys[RowSeries(target: target.registration.id, variant: id)] = key
        series[key, default: SeriesMetrics(buckets)].add(interrupted: 0, onlyPlanned: 0)
      }
    }
  }

  /// No connection and no request of the run remains.
  mutating func end() {
    isSendingPossible = false
    hasBegunToSend = false
    for name in targets.keys {
      targets[name]?.isInRun = false
      targets[name]?.askedRate = 0
      targets[name]?.connections = [:]
      targets[name]?.inFlight = 0
    }
  }

  mutating func record(sendingIsPossible: Bool) {
    isSendingPossible = sendingIsPossible
    if sendingIsPossible { hasBegunToSend = true }
  }

  /// First receipts of a target since the collector started.
  func delivered(of target: String) -> UInt64 { count(.delivery, of: target) }

  /// Acceptances of a target since the collector started.
  func accepted(of target: String) -> UInt64 { count(.accept, of: target) }

  private func count(_ interval: SeriesMetrics.Interval, of target: String) -> UInt64 {
    series.reduce(0) { $1.key.target == target ? $0 + ($1.value.distributions[interval]?.count ?? 0) : $0 }
  }

  mutating func record(reloadIsSuccessful: Bool) { isReloadSuccessful = reloadIsSuccessful }

  mutating func add(_ commit: ObservedCommit) {
    commits.record(commit.took.microseconds)
    for change in commit.changes { add(change, at: commit.at) }
    for (failure, count) in commit.failedHandshakes { failedHandshakes[failure, default: 0] += UInt64(count) }
    for offset in commit.clockOffsets {
      clockOffsets.removeAll { $0.device == offset.device }
      clockOffsets.append(offset)
    }
    if clockOffsets.count > Self.maximumDevices {
      clockOffsets.removeFirst(clockOffsets.count - Self.maximumDevices)
    }
  }

  private mutating func add(_ change: SampleChange, at now: WallTime) {
    let sample = change.sample
    guard let key = key(of: change) else { return }
    series[key, default: SeriesMetrics(buckets)].add(change, at: now)
    if let target = targetNames[sample.id.target] {
      targets[target]?.inFlight += change.inFlight
    }
    if change.newValues.contains(.accept), let latency = sample.acceptLatency {
      let at = sample.plannedAt.advanced(byMicroseconds: latency)
      targets[key.target, default: Target()].lastAccepted = max(at, targets[key.target]?.lastAccepted ?? at)
    }
    if change.newValues.contains(.delivery), let at = sample.receivedAt {
      targets[key.target, default: Target()].lastDelivered = max(at, targets[key.target]?.lastDelivered ?? at)
    }
    for index in objectives.indices where objectives[index].target == key.target {
      objectives[index].add(change)
    }
  }

  private func key(of change: SampleChange) -> SeriesMetrics.Key? {
    if let origin = change.origin {
      return SeriesMetrics.Key(target: origin.target, variant: origin.variant)
    }
    return seriesKeys[RowSeries(target: change.sample.id.target, variant: change.sample.variant)]
  }

  mutating func add(_ connections: [ObservedConnection]) {
    for connection in connections {
      guard let name = targetNames[connection.target] else { continue }
      targets[name]?.connections[connection.connection] = connection.isOpen ? connection.at : nil
    }
  }

  mutating func add(_ rows: [InterruptedRows]) {
    for row in rows {
      let key = SeriesMetrics.Key(target: row.target, variant: row.variant)
      series[key, default: SeriesMetrics(buckets)]
        .add(interrupted: row.count, onlyPlanned: row.onlyPlanned)
      for index in objectives.indices where objectives[index].target == row.target {
        objectives[index].valid += UInt64(max(0, row.count))
      }
    }
  }
}

extension MetricsState.Objective {
  /// A notification is valid from its verdict on, and good when its value is known to be within the limit, which a late
  /// receipt may say afterwards.
  fileprivate mutating func add(_ change: SampleChange) {
    guard change.isCounted else { return }
    if case .settled = change.verdict {
      valid += 1
      if isGood(change.sample) { good += 1 }
    } else if change.newValues.contains(newValue), isGood(change.sample) {
      good += 1
    }
  }

  private func isGood(_ sample: Sample) -> Bool {
    sample.state.isSettled && sample.value(of: metric).map { $0 <= limit } ?? false
  }

  private var newValue: SampleChange.Values {
    switch metric {
    case .delivery: .delivery
    case .accept: .accept
    case .service: .service
    case .shown: .shown
    case .path: .path
    }
  }
}
