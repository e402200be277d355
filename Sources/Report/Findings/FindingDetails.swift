import Analysis
import Formats
import Measurement
import Store

/// Everything about one finding, for `findings show`.
public enum FindingDetails {
  /// Finds one by its id or the beginning of it, hidden and withdrawn ones too.
  /// - Throws: ``ReportError``, `StoreError`.
  public static func find(_ id: String, in reader: any SampleSource) throws -> FindingRecord {
    if let exact = try (reader as? StoreReader)?.finding(id) { return exact }
    let found = try reader.findings(.everything).filter { !id.isEmpty && $0.id.hasPrefix(id) }
    if let exact = found.first(where: { $0.id == id }) { return exact }
    guard let record = found.first else {
      throw ReportError(.noSuchFinding, "there is no finding \"\(id)\"", remedy: "see pushscope findings")
    }
    guard found.count == 1 else {
      throw ReportError(
        .noSuchFinding, "\"\(id)\" may be any of \(found.count) findings",
        remedy: "name one of: " + found.suffix(5).map(\.id).joined(separator: ", "))
    }
    return record
  }

  /// - Parameter stoppedAt: when recording stopped, of one that went on until then (``RecordingEnds``).
  public static func lines(_ record: FindingRecord, stoppedAt: WallTime? = nil) -> [String] {
    let text = FindingText(record)
    var facts = TextTable([.init("finding"), .init(EscapedText.make(record.id))])
    facts.append(["what", "\(text.headline): \(FindingWords.metric(record))\(text.change)"])
    facts.append(["status", record.status + (record.isHidden ? ", hidden" : "")])
    facts.append(["when", FindingWords.time(of: record, stoppedAt: stoppedAt)])
    if let low = record.startedLow, let high = record.startedHigh {
      facts.append(["began between", "\(low.rfc3339) and \(high.rfc3339)"])
    }
    facts.append(["detected", record.detectedAt.rfc3339])
    facts.append(["incident", record.incident])
    facts.append(["run", record.run.description])
    facts.append([
      "series",
      [FindingWords.target(record), record.metric, record.provider, record.endpoint].filter { !$0.isEmpty }
        .joined(separator: ", "),
    ])
    facts.append(["device", record.device])
    facts.append([
      "statistic",
      "\(FigureText.decimal(record.statistic, 1)) nats over a threshold of \(FigureText.decimal(record.threshold, 1)),"
        + " in a window of \(LengthText.text(record.window))",
    ])
    facts.append([
      "values",
      "\(record.samples), worth \(FigureText.decimal(record.effectiveSamples, 0)) independent ones",
    ])
    var lines = facts.lines() + [""]
    let causes = text.causes
    if causes.count > 1 { lines.append("\(causes.count) causes:") }
    for cause in causes {
      lines.append(EscapedText.make((causes.count > 1 ? "  " : "cause: ") + cause.sentence))
      if !cause.targets.isEmpty {
        lines.append(EscapedText.make("    targets: \(cause.targets.joined(separator: ", "))"))
      }
      if let decisive = cause.wouldDecide {
        lines.append(EscapedText.make("    would decide: \(decisive)"))
      }
    }
    if !record.explainingLegs.isEmpty { lines += [""] + legs(of: record).lines() }
    for event in record.events { lines.append(EscapedText.make("at its start: \(event)")) }
    return lines
  }

  /// How much of the change of the finding's metric and quantile each leg carries, target by target.
  private static func legs(of record: FindingRecord) -> TextTable {
    var table = TextTable([
      .init("target"), .init("leg"), .init("change", .right), .init("95 % interval", .right),
    ])
    func row(_ target: String, _ leg: String, _ change: Double, _ low: Double?, _ high: Double?) {
      let span = low.flatMap { low in high.map { "\(latency(low)) to \(latency($0))" } } ?? "unknown"
      table.append([target, leg, latency(change), span])
    }
    for legs in record.explainingLegs {
      let label = "p" + FigureText.decimal(legs.quantile * 100, legs.quantile > 0.99 ? 1 : 0)
      row(legs.target, "\(record.metric), \(label)", legs.total, legs.totalLow, legs.totalHigh)
      for part in legs.parts {
        row("", part.leg.replacing("_", with: " "), part.change, part.low, part.high)
      }
    }
    return table
  }

  private static func latency(_ microseconds: Double) -> String {
    guard microseconds.isFinite, abs(microseconds) < 1e15 else { return "unknown" }
    return FigureText.latency(Int64(microseconds.rounded()))
  }
}
