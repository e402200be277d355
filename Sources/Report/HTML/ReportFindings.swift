import Analysis
import Measurement
import Store

/// What the detector said of the report's time.
struct ReportFindings: Sendable {
  /// Open ones first; of each the weightiest first. Those that are over and repeat are one.
  let changes: [FindingRepetition]
  /// What comes on most days at the same hours, by start.
  let daily: [FindingRepetition]
  /// What was watched of the report's targets.
  let watched: [WatchedSeries]
  let ends: RecordingEnds

  /// Changes that are told in full.
  static let most = 12

  init(
    _ reader: StoreReader, _ selection: RowSelection, targets: [ReportTarget], from start: WallTime,
    to end: WallTime, at now: WallTime
  ) throws {
    let names = Set(targets.map(\.name))
    let found = try reader.findings(FindingSelection(targets: names, since: start, until: end))
    let incidents = FindingRepetition.fold(FindingIncident.group(found))
    daily = incidents.filter(\.last.isDaily)
    changes = incidents.filter { !$0.last.isDaily }.sorted { one, other in
      if one.last.isOpen != other.last.isOpen { return one.last.isOpen }
      return one.weight == other.weight ? one.last.start > other.last.start : one.weight > other.weight
    }
    watched = try WatchedSeries.all(reader.detectors(), in: reader, of: selection).filter {
      names.contains($0.detector.target) && $0.isSelected && $0.detector.through > start
    }
    ends = try RecordingEnds(found, in: reader, at: now)
  }

  var incidents: Int { changes.reduce(0) { $0 + $1.incidents.count } }
  var open: [FindingRepetition] { changes.filter(\.last.isOpen) }
  /// Whether nothing goes on, as far as was watched.
  var areOver: Bool {
    changes.flatMap(\.incidents).flatMap(\.findings).allSatisfy { !$0.isOpen && ends[$0] == nil }
  }

  /// The changes of a target, by start.
  func findings(of target: String) -> [FindingRecord] {
    changes.flatMap(\.incidents).flatMap(\.findings).filter { $0.target == target }
      .sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
  }

  /// Stretches of a target's findings, for its charts.
  func stretches(of target: String, to end: WallTime) -> [ClosedRange<WallTime>] {
    findings(of: target).map { $0.startedAt...$0.last(to: end) }
  }

  /// Stretches in which a target was slower than before, by start; none overlap.
  func slower(of target: String, to end: WallTime) -> [ClosedRange<WallTime>] {
    var result: [ClosedRange<WallTime>] = []
    for finding in findings(of: target) where finding.kind.word == .slower {
      result.appendMerging(finding.startedAt...finding.last(to: end))
    }
    return result
  }
}

extension FindingRecord {
  /// Where its stretch ends, as far as it was looked at.
  func last(to end: WallTime) -> WallTime {
    max(startedAt, isOpen ? end : lastMoment)
  }
}
