import Formats
import Measurement
import Store

/// How a run keeps, or kept, to its schedule.
public enum RatesReport {
  /// A line a target: `ios: asked 4/s, achieved 3.98/s, missed 0.02/s (240 due, 239 sent: 233 received, 2 lost, 1
  /// rejected, 1 failed, 1 missed, 2 in flight)`. What stands behind the colon adds up to what was due.
  public static func lines(of run: RunID, in reader: StoreReader) throws -> [String] {
    let targets = Dictionary(
      try reader.targets(of: run).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return try reader.rates(of: run).map { rates in
      let name = VisibleText.make(targets[rates.target]?.name ?? "?")
      guard let achieved = rates.achieved, let missed = rates.missedRate else {
        return "\(name): asked \(FigureText.rate(rates.asked)), nothing due yet"
      }
      return "\(name): asked \(FigureText.rate(rates.asked)), achieved \(FigureText.rate(achieved)), "
        + "missed \(FigureText.rate(missed))" + (targets[rates.target].map { " (\(ends(of: $0)))" } ?? "")
    }
  }

  /// How the notifications that came due ended, so far.
  private static func ends(of target: TargetRecord) -> String {
    let counts = target.counts
    var reached = ["\(counts.planned - counts[.planned]) due", "\(counts.sent) sent"]
    if let unsent = counts.failedBeforeSending, unsent > 0 {
      reached.append("\(unsent) failed before sending")
    }
    var ends: [String] = []
    if target.receiptDeadline == nil || counts[.accepted] > 0 { ends.append("\(counts[.accepted]) accepted") }
    ends.append("\(counts[.delivered] + counts[.late]) received")
    for state in [NotificationState.lost, .rejected, .failed, .missed] {
      ends.append("\(counts[state]) \(state.name)")
    }
    if counts[.interrupted] > 0 { ends.append("\(counts[.interrupted]) interrupted") }
    if counts[.inFlight] > 0 { ends.append("\(counts[.inFlight]) in flight") }
    return "\(reached.joined(separator: ", ")): \(ends.joined(separator: ", "))"
  }
}
