import Measurement
import Store

/// Findings of one incident, as they are stored. What people count.
struct FindingIncident: Sendable, Equatable {
  /// By detection; at least one.
  private(set) var findings: [FindingRecord]

  var first: FindingRecord { findings[0] }
  var isOpen: Bool { findings.contains(where: \.isOpen) }
  var start: WallTime { findings.map(\.startedAt).min() ?? first.startedAt }

  /// The finding whose cause is decided, else the first.
  var explained: FindingRecord {
    findings.first { !$0.cause.isEmpty && !$0.cause.hasPrefix("undecided") } ?? first
  }

  /// Ascending by start.
  static func group(_ records: [FindingRecord]) -> [FindingIncident] {
    var incidents: [FindingIncident] = []
    var places: [String: Int] = [:]
    for record in records.sorted(by: { ($0.detectedAt, $0.id) < ($1.detectedAt, $1.id) }) {
      if let place = places[record.incident] {
        incidents[place].findings.append(record)
      } else {
        places[record.incident] = incidents.count
        incidents.append(FindingIncident(findings: [record]))
      }
    }
    return incidents.sorted { ($0.start, $0.first.id) < ($1.start, $1.first.id) }
  }
}

/// Closed incidents of the same targets, kind and cause that repeat: "4th time, about every 75 s". An open one stands alone.
struct FindingRepetition: Sendable, Equatable {
  /// Ascending by start; at least one.
  private(set) var incidents: [FindingIncident]

  /// The median of the times between starts, µs; `nil` of a single one.
  var period: Int64? {
    let gaps = zip(incidents, incidents.dropFirst()).map { $1.start.microseconds - $0.start.microseconds }
    return gaps.isEmpty ? nil : gaps.sorted()[gaps.count / 2]
  }

  static func fold(_ incidents: [FindingIncident]) -> [FindingRepetition] {
    struct Key: Hashable {
      var targets: Set<String>
      var kind: String
      var cause: String
      var scope: String?
    }
    var folded: [Key: Int] = [:]
    var result: [FindingRepetition] = []
    for incident in incidents {
      let explained = incident.explained
      let key = Key(
        targets: Set(incident.findings.map(\.target)), kind: incident.first.kind, cause: explained.cause,
        scope: explained.scope)
      if !incident.isOpen, let place = folded[key] {
        result[place].incidents.append(incident)
      } else {
        if !incident.isOpen { folded[key] = result.count }
        result.append(FindingRepetition(incidents: [incident]))
      }
    }
    return result
  }
}
