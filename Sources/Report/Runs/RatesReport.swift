import Formats
import Measurement
import Store

/// How a run keeps, or kept, to its schedule.
public enum RatesReport {
  /// A line a target: `ios: asked 4/s, achieved 3.98/s, missed 0.02/s (240 due, 239 sent, 1 missed)`.
  public static func lines(of run: RunID, in reader: StoreReader) throws -> [String] {
    let names = Dictionary(
      try reader.targets(of: run).map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    return try reader.rates(of: run).map { rates in
      let name = VisibleText.make(names[rates.target] ?? "?")
      guard let achieved = rates.achieved, let missed = rates.missedRate else {
        return "\(name): asked \(FigureText.rate(rates.asked)), nothing due yet"
      }
      return "\(name): asked \(FigureText.rate(rates.asked)), achieved \(FigureText.rate(achieved)), "
        + "missed \(FigureText.rate(missed)) (\(rates.due) due, \(rates.sent) sent, \(rates.missed) missed)"
    }
  }
}
