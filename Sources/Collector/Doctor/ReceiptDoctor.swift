import Configuration
import Measurement
import Store

/// Looks at what the newest run says of the receipt listener and of targets whose receipts do not come.
public enum ReceiptDoctor {
  /// What of a run is looked at: an event stands for a minute, so this is more than enough and quickly read.
  private static let span = Duration.seconds(24 * 3600)

  /// - Parameters:
  ///   - targets: those that are examined.
  ///   - reader: of the store that the collector writes.
  /// - Returns: one finding for failed handshakes, and one for each silent target.
  public static func findings(
    of targets: [TargetConfiguration], in reader: StoreReader
  ) throws -> [DoctorFinding] {
    guard let run = try reader.latestRun() else { return [] }
    let records = try reader.targets(of: run.id)
    var evidence = try evidence(of: run, in: reader)
    let subscribed = Set(targets.filter(\.isSubscribed).map(\.name))
    evidence.hearsOthers = records.contains { $0.counts.received > 0 && !subscribed.contains($0.name) }
    var findings: [DoctorFinding] = []
    if let counts = evidence.handshakeCounts, let most = evidence.mostFrequent {
      findings.append(
        DoctorFinding(
          .note, "receipts", "handshakes",
          "TLS handshakes with the receipt listener failed in the newest run: \(counts), the last from "
            + evidence.network, remedy: most.explanation))
    }
    for target in targets {
      guard let record = records.first(where: { $0.name == target.name }), record.counts.isSilent
      else { continue }
      findings.append(
        DoctorFinding(
          .note, target.name, "receipts",
          "in the newest run "
            + evidence.sentence(accepted: record.counts[.lost], isSubscribed: target.isSubscribed)))
    }
    return findings
  }

  private static func evidence(of run: RunRecord, in reader: StoreReader) throws -> ReceiptEvidence {
    var evidence = ReceiptEvidence()
    let end = run.endedAt ?? run.lastHeartbeat ?? run.startedAt
    let since = end - span
    try reader.forEachEvent(RowSelection(run: run.id, since: since)) { record in
      let event = record.event
      switch event.kind {
      case .forgedReceipt: evidence.forged += event.count
      case .malformedReceipt: evidence.malformed += event.count
      case .handshakeFailed: evidence.add(event)
      default: break
      }
    }
    return evidence
  }
}

extension TargetConfiguration {
  /// Whether the collector subscribes to the target's messages itself.
  fileprivate var isSubscribed: Bool {
    settings.isReceivedByCollector
  }
}
