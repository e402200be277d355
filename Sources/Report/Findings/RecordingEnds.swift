import Measurement
import Store

/// When recording stopped, of findings that went on until then: nobody knows whether they lasted any longer.
public struct RecordingEnds: Sendable {
  /// The ends of targets that are not recorded now, by name.
  private let targets: [String: WallTime]
  /// The ends of provisional findings that ended because their run did, by id.
  private let provisional: [String: WallTime]

  /// All is recorded still, or it is not known.
  public static let none = RecordingEnds(targets: [:])

  /// - Parameter targets: when the last run of each target ended, of those that are not recorded now.
  init(targets: [String: WallTime], provisional: [String: WallTime] = [:]) {
    self.targets = targets
    self.provisional = provisional
  }

  /// - Parameter now: tells whether collectors still write.
  /// - Throws: `StoreError`.
  public init(_ findings: [FindingRecord], in reader: StoreReader, at now: WallTime) throws {
    let spans = try reader.seriesSpans(endingAfter: .distantPast)
    let gone = try Dictionary(
      uniqueKeysWithValues: Set(spans.filter { $0.endedAt == nil }.map(\.run)).compactMap { id in
        try reader.run(id)?.phase(at: now).stoppedAt.map { (id, $0) }
      })
    let targets = Dictionary(grouping: spans, by: \.name).compactMapValues { spans in
      let ends = spans.map { $0.endedAt ?? gone[$0.run] }
      return ends.contains(nil) ? nil : ends.compactMap { $0 }.max()
    }
    // What a reload removed was recorded until then, though its run went on.
    let removed = try reader.removedTargets()
    try self.init(findings, targets: targets.merging(removed) { $1 }, in: reader)
  }

  /// A provisional finding ends with its run at the latest, and its row does not say why it ended. What ended by itself has
  /// notifications after its end, by which that was seen; what ended with its run has none.
  ///
  /// - Parameter targets: when the last run of each target ended, of those that are not recorded now.
  /// - Throws: `StoreError`, `FleetError`.
  public init(
    _ findings: [FindingRecord], targets: [String: WallTime], in reader: any SampleSource
  ) throws {
    struct Recording: Hashable {
      let run: RunID
      let target: String
    }
    var provisional: [String: WallTime] = [:]
    let ended = findings.filter { $0.isProvisional && $0.endedAt != nil }
    for (recording, findings) in Dictionary(
      grouping: ended, by: { Recording(run: $0.run, target: $0.target) })
    {
      guard let end = try reader.run(recording.run)?.endedAt else { continue }
      let removed = try (reader as? StoreReader)?.removedTargets(of: recording.run).times ?? [:]
      let stopped = removed[recording.target] ?? end
      let targets = try reader.targets(of: recording.run).filter { $0.name == recording.target }
      guard let planned = try reader.plannedTimes(of: targets.map(\.id), from: nil, to: nil) else { continue }
      for finding in findings where finding.endedAt.map({ $0 > planned.upperBound }) == true {
        provisional[finding.id] = stopped
      }
    }
    self.init(targets: targets, provisional: provisional)
  }

  /// When recording stopped while a finding went on; `nil` where it ended before, or is recorded still.
  public subscript(finding: FindingRecord) -> WallTime? {
    finding.goesOn ? targets[finding.target] : provisional[finding.id]
  }
}
