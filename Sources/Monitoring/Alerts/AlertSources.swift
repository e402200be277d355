import Analysis
import Configuration
import Findings
import Measurement
import Store

/// Makes alerts of objectives and findings.
enum AlertSources {
  /// - Parameter record: with an incident.
  static func alert(of record: ObjectiveRecord, labels: [ConfiguredLabel]) -> Alert? {
    guard let start = record.breachedAt else { return nil }
    return Alert(
      kind: .objective, id: "objective:\(record.name):\(start.microseconds)",
      labels: merged(
        labels,
        [
          .alertname: record.silence == nil ? "PushscopeObjectiveBreached" : "PushscopeTargetSilent",
          .objective: record.name, .target: record.target,
          .severity: record.silence == nil ? "warning" : "critical",
        ]),
      annotations: [
        "summary": "objective \(EscapedText.make(record.name)) is breached",
        "description": EscapedText.make(record.sentence),
      ], startedAt: start)
  }

  /// Findings that people are to hear of, one alert for each incident: what has one cause is told once. Provisional findings
  /// and changes for the better are not alerts.
  static func alerts(of findings: [FindingRecord], labels: [ConfiguredLabel]) -> [Alert] {
    let told = findings.filter {
      $0.isOpen && !$0.isProvisional && !$0.isHidden && $0.kind.word != .faster
    }
    return Dictionary(grouping: told, by: \.incident).compactMap { incident, findings in
      let ordered = findings.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
      // The incident is named by its first finding, which may be over by now.
      guard let first = ordered.first(where: { $0.id == incident }) ?? ordered.first else { return nil }
      // The first one's words, with the targets of all.
      let group = FindingIncident.group([first] + ordered.filter { $0.id != first.id }).first
      let sentence = FindingSentence(group ?? FindingIncident(first), clock: .alone)
      var annotations = [
        "summary": EscapedText.make(sentence.what), "description": EscapedText.make(sentence.text),
        "sentence": EscapedText.make(sentence.text),
      ]
      annotations["before"] = first.before.map(LatencyText.text) ?? first.shareBefore.map { "\($0)" }
      annotations["after"] = first.after.map(LatencyText.text) ?? first.shareAfter.map { "\($0)" }
      annotations["quantile"] = first.quantile.map { "\($0)" }
      if let refusals = first.refusals {
        annotations["refused"] = "\(refusals.refused)"
        annotations["not_sent"] = "\(refusals.notSent)"
      }
      return Alert(
        kind: .finding, id: "finding:\(incident)",
        labels: merged(
          labels,
          [
            .alertname: "PushscopeFinding", .finding: incident, .target: first.target,
            .kind: first.kind.rawValue, .metric: first.metric.rawValue, .severity: "warning",
          ]),
        annotations: annotations, startedAt: first.startedAt)
    }.sorted { $0.id < $1.id }
  }

  private static func merged(_ labels: [ConfiguredLabel], _ own: [MetricLabel: String]) -> [String: String] {
    var all = Dictionary(uniqueKeysWithValues: own.map { ($0.key.rawValue, $0.value) })
    for label in labels where all[label.name] == nil { all[label.name] = label.value }
    return all
  }
}
