import Findings
import Measurement
import Store

/// The findings of all series: those of the store, and what detectors have said since.
struct KnownFindings: Sendable {
  private var byTarget: [WatchedTarget: [KnownFinding]] = [:]

  var targets: Set<WatchedTarget> { Set(byTarget.keys) }
  subscript(_ watched: WatchedTarget) -> [KnownFinding] { byTarget[watched] ?? [] }

  /// All known findings, withdrawn ones too.
  var records: [FindingRecord] {
    byTarget.values.flatMap { $0.map(\.record) }.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
  }

  /// Adds a stored one.
  mutating func add(_ finding: KnownFinding) { byTarget[finding.watched, default: []].append(finding) }

  /// Replaces a finding's row by one that was made again.
  mutating func update(_ finding: KnownFinding, at index: Int) { byTarget[finding.watched]?[index] = finding }

  /// Forgets those of runs that are gone.
  mutating func keep(runs: Set<RunID>) {
    byTarget = byTarget.mapValues { $0.filter { runs.contains($0.record.run) } }
  }

  /// Rows changed: what was said about causes from an instant on may rest on them.
  mutating func markStale(after time: WallTime) {
    for (watched, list) in byTarget {
      for index in list.indices where list[index].episodeEnd > time {
        byTarget[watched]?[index].isStale = true
        // The cause of a daily pattern is sought once.
        if list[index].finding.daily != nil { byTarget[watched]?[index].episodeEnd = .distantFuture }
      }
    }
  }

  /// Notes were made: they are named by the findings that can have begun then.
  mutating func markStale(annotatedAt times: [WallTime]) {
    guard !times.isEmpty else { return }
    for (watched, list) in byTarget {
      for index in list.indices {
        guard let low = list[index].record.startedLow, let high = list[index].record.startedHigh,
          times.contains(where: { low <= $0 && $0 <= high })
        else { continue }
        byTarget[watched]?[index].isStale = true
      }
    }
  }

  /// Compares what is known of a series with what its detector says.
  ///
  /// - Parameters:
  ///   - ownSince: what was detected before is another version's of the detector; it stays as it is, but that an open one
  ///     ends.
  ///   - reached: until when the detector has looked at notifications.
  ///   - forgottenBefore: the detector has forgotten those that ended before.
  ///   - through: until when its findings are known. What was detected later is kept: a clock was set back, and it is
  ///     there again in time.
  ///   - span: the run in which a new one was detected.
  /// - Returns: the ids of findings that are new.
  mutating func revise(
    _ watched: WatchedTarget, found all: [Finding], ownSince: WallTime, reached: WallTime,
    forgottenBefore: WallTime, through: WallTime, span: (Finding) -> SeriesSpan?
  ) -> Set<String> {
    // A daily pattern is about days that no version has said anything of, when there is one to say it.
    func isOwn(_ finding: Finding) -> Bool { finding.detectionTime >= ownSince || finding.daily != nil }
    let found = all.filter(isOwn)
    let stored = self[watched].filter { isOwn($0.finding) && $0.finding.detectionTime <= through }
    let earlier = self[watched].filter { !isOwn($0.finding) }
    var result = self[watched].filter { isOwn($0.finding) && $0.finding.detectionTime > through }
    result += earlier.map { Self.ended($0, found: all, ownSince: ownSince, reached: reached) }
    guard !found.isEmpty || !stored.isEmpty || earlier.contains(where: \.finding.isOpen) else { return [] }
    var new: Set<String> = []
    let ids = Set(found.map(\.id))
    for metric in SeriesMetric.allCases {
      let own = stored.filter { $0.finding.metric == metric }
      let revision = FindingRevision(
        // What was withdrawn may hold again.
        stored: own.map(\.finding).filter { $0.status != .withdrawn || !ids.contains($0.id) },
        found: found.filter { $0.metric == metric }, from: forgottenBefore)
      for finding in revision.current + revision.withdrawn {
        if var old = own.first(where: { $0.finding.id == finding.id }) {
          old.isStale = old.isStale || !old.isSame(finding)
          old.finding = finding
          result.append(old)
        } else if let span = span(finding) {
          let one = KnownFinding(finding, watched: watched, span: span)
          new.insert(one.record.id)
          result.append(one)
        }
      }
    }
    // What is said about a finding leaves out the stretches of those that ended before it.
    if let end = result.lazy.filter({ $0.isStale && $0.finding.daily == nil }).compactMap(\.finding.end).min()
    {
      for index in result.indices
      where result[index].finding.daily == nil && result[index].finding.start >= end {
        result[index].isStale = true
      }
    }
    byTarget[watched] = result
    return new
  }

  /// The time after which a new version of the detector ends findings that an earlier one left open and it does not
  /// find.
  private static let endingDelay = Duration.hours(1)

  /// What an earlier version of the detector found, ended where this one finds that it did.
  private static func ended(
    _ known: KnownFinding, found: [Finding], ownSince: WallTime, reached: WallTime
  ) -> KnownFinding {
    let old = known.finding
    guard old.isOpen else { return known }
    var known = known
    let same = found.first {
      $0.metric == old.metric && $0.kind == old.kind && $0.detectionTime < ownSince
        && ($0.isOpen || ($0.endTime ?? $0.seenTime) >= ownSince)
    }
    if let same {
      guard !same.isOpen else { return known }
      known.finding.end = same.end
      known.finding.isNewNormal = same.isNewNormal
    } else {
      guard reached - ownSince >= endingDelay else { return known }
      known.finding.isNewNormal = true
    }
    if old.status != .provisional { known.finding.status = .closed }
    known.isStale = true
    return known
  }

  /// Groups all into incidents.
  /// - Returns: the ids of findings whose incident changed.
  mutating func groupIncidents() -> Set<String> {
    var ids: [AttributedFinding: String] = [:]
    var attributed: [AttributedFinding] = []
    for list in byTarget.values {
      for finding in list where finding.finding.status != .withdrawn {
        let own = finding.attributed
        ids[own] = finding.record.id
        attributed.append(own)
      }
    }
    var incidents: [String: String] = [:]
    for incident in Incident.group(attributed) {
      guard let first = incident.findings.first.flatMap({ ids[$0] }) else { continue }
      for finding in incident.findings { if let id = ids[finding] { incidents[id] = first } }
    }
    var changed: Set<String> = []
    for (watched, list) in byTarget {
      for index in list.indices {
        let id = list[index].record.id
        guard let incident = incidents[id], incident != list[index].record.incident else { continue }
        byTarget[watched]?[index].record.incident = incident
        changed.insert(id)
      }
    }
    return changed
  }
}
