import Formats
import Measurement
import Store

/// How a run keeps, or kept, to its schedule.
public enum RatesReport {
  /// A line a target: `ios: asked 4/s, achieved 3.98/s, missed 0.02/s (240 due, 239 sent, 237 accepted, 233 received:
  /// 231 delivered, 2 late, 2 lost, 1 rejected, 1 failed, 1 missed, 2 in flight)`. The words are
  /// those of the CSV files. What stands behind the colon adds up to what was due.
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

  /// How far the notifications came that came due; then how they ended, so far.
  private static func ends(of target: TargetRecord) -> String {
    let counts = target.counts
    let received = counts[.delivered] + counts[.late]
    let expectsReceipts = target.receiptDeadline != nil
    var reached = [
      "\(counts.planned - counts[.planned]) due", "\(counts.sent) sent",
      "\(counts.acceptedByProvider) accepted",
    ]
    if expectsReceipts || received > 0 { reached.append("\(received) received") }
    if let unsent = counts.failedBeforeSending, unsent > 0 {
      reached.append("\(unsent) failed before sending")
    }
    // Those that say whether all is well are there even if there are none.
    var always: Set<NotificationState> = [.rejected, .failed, .missed]
    if expectsReceipts { always.formUnion([.delivered, .lost]) } else { always.insert(.accepted) }
    let ends = (NotificationState.allCases.filter(\.isSettled) + [.inFlight])
      .filter { counts[$0] > 0 || always.contains($0) }.map { "\(counts[$0]) \($0.title)" }
    return "\(reached.joined(separator: ", ")): \(ends.joined(separator: ", "))"
  }
}
