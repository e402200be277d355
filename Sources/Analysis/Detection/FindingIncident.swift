import Glibc
public import Measurement
public import Store

/// Findings of one incident, as they are stored. What people count.
public struct FindingIncident: Sendable, Equatable {
  /// The one that it is named by, then by detection; at least one.
  public private(set) var findings: [FindingRecord]

  public init(_ only: FindingRecord) { findings = [only] }

  public var first: FindingRecord { findings[0] }
  public var isOpen: Bool { findings.contains(where: \.isOpen) }
  /// Whether it comes on most days at the same hours.
  public var isDaily: Bool { first.isDaily }
  /// How much worse and for how long: seconds, times the logarithm of a latency's ratio or ten times a share's difference.
  fileprivate var weight: Double {
    findings.map { finding in
      let seconds = max(.seconds(1), finding.lastMoment - finding.startedAt).inSeconds
      guard let before = finding.before, let after = finding.after else {
        return seconds * 10 * max(0, (finding.shareAfter ?? 0) - (finding.shareBefore ?? 0))
      }
      return seconds * max(0, log(Double(max(1, after)) / Double(max(1, before))))
    }.max() ?? 0
  }

  /// The last time at which any of its findings went on.
  public var end: WallTime { findings.map(\.lastMoment).max() ?? first.lastMoment }

  public var start: WallTime { findings.map(\.startedAt).min() ?? first.startedAt }

  /// The finding whose cause explains the first: of the same metric, or of the answers that a delivery contains, whose cause
  /// is decided; else the first.
  public var explained: FindingRecord {
    findings.first { finding in
      finding.cause?.isDecided == true
        && (finding.metric == first.metric
          || finding.metric.word == .accept && finding.target == first.target
            && first.metric.word == .delivery)
    } ?? first
  }

  /// The finding whose cause is told of another one of the incident: one that concerns its target and is decided, else the finding's
  /// own.
  func explained(_ finding: FindingRecord) -> FindingRecord {
    let common = explained
    let isConcerned =
      common.verdicts.first?.targets.contains(finding.target) ?? (common.target == finding.target)
    return common.cause?.isDecided == true && finding.cause?.isDecided != true && isConcerned
      ? common : finding
  }

  /// Ascending by start.
  public static func group(_ records: [FindingRecord]) -> [FindingIncident] {
    var incidents: [FindingIncident] = []
    var places: [String: Int] = [:]
    for record in records.sorted(by: { ($0.detectedAt, $0.id) < ($1.detectedAt, $1.id) }) {
      if let place = places[record.incident] {
        let isFirst = record.id == record.incident
        incidents[place].findings.insert(record, at: isFirst ? 0 : incidents[place].findings.count)
      } else {
        places[record.incident] = incidents.count
        incidents.append(FindingIncident(record))
      }
    }
    return incidents.sorted { ($0.start, $0.first.id) < ($1.start, $1.first.id) }
  }
}

/// Closed incidents of the same targets, kind and cause that repeat: "4th time, about every 75 s". An open one and a daily pattern stand
/// alone, and one that began before another ended is no repetition of it.
public struct FindingRepetition: Sendable, Equatable {
  /// Ascending by start; at least one.
  public let incidents: [FindingIncident]

  /// One that is told by itself.
  public init(_ only: FindingIncident) { incidents = [only] }

  private init(incidents: [FindingIncident]) { self.incidents = incidents }

  public var last: FindingIncident { incidents[incidents.count - 1] }
  /// How much worse and for how long, all together; 0 of an improvement.
  public var weight: Double { incidents.reduce(0) { $0 + $1.weight } }

  /// The median of the times between starts; `nil` of a single one.
  public var period: Duration? {
    let gaps = zip(incidents, incidents.dropFirst()).map { $1.start - $0.start }.sorted()
    return gaps.isEmpty ? nil : (gaps[(gaps.count - 1) / 2] + gaps[gaps.count / 2]) / 2
  }

  /// - Parameter incidents: ascending by start.
  /// - Returns: ascending by the start of the last one of each.
  public static func fold(_ incidents: [FindingIncident]) -> [FindingRepetition] {
    struct Key: Hashable {
      var targets: Set<String>
      var kind: Stored<FindingKind>
      var cause: Cause?
      var scope: String?
    }
    // Of each, incidents that follow one another.
    var closed: [Key: [[FindingIncident]]] = [:]
    var result: [FindingRepetition] = []
    for incident in incidents {
      let explained = incident.explained
      let key = Key(
        targets: Set(incident.findings.map(\.target)), kind: incident.first.kind, cause: explained.cause,
        scope: explained.scope)
      if incident.isOpen || incident.isDaily {
        result.append(FindingRepetition(incidents: [incident]))
      } else {
        let place = closed[key]?.firstIndex { $0.allSatisfy { $0.end <= incident.start } }
        if let place {
          closed[key]?[place].append(incident)
        } else {
          closed[key, default: []].append([incident])
        }
      }
    }
    result += closed.values.joined().map { FindingRepetition(incidents: $0) }
    return result.sorted { ($0.last.start, $0.last.first.id) < ($1.last.start, $1.last.first.id) }
  }
}
