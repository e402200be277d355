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
    let known = FindingFields(record, stoppedAt: stoppedAt, clock: FindingWords.clock)
    var facts = TextTable([.init("finding"), .init(EscapedText.make(record.id))])
    for row in known.rows { facts.append([row.name, row.value]) }
    var lines = facts.lines() + [""]
    let causes = known.causes
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
    if !known.legs.isEmpty { lines += [""] + legs(known).lines() }
    for event in known.events { lines.append(EscapedText.make("at its start: \(event)")) }
    return lines
  }

  /// How much of the change of the finding's metric and quantile each leg carries, target by target.
  private static func legs(_ known: FindingFields) -> TextTable {
    var table = TextTable([
      .init("target"), .init("leg"), .init("change", .right), .init("95 % interval", .right),
    ])
    for leg in known.legs { table.append([leg.target, leg.leg, leg.change, leg.interval]) }
    return table
  }
}
