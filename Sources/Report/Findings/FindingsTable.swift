import Analysis
import Formats
import Measurement
import Store

/// The columns of `findings`.
enum FindingsTable {
  static let columns: [Column<FindingRecord, Void>] = [
    Column("id") { $2.text($0.id) },
    Column("incident") { $2.text($0.incident) },
    Column("run") { $2.uuid($0.run.uuid.words) },
    Column("target") { $2.text($0.target) },
    Column("variant") { $2.text($0.variant.isEmpty ? nil : $0.variant) },
    Column("metric") { $2.text($0.metric.rawValue) },
    Column("kind") { $2.text($0.kind.rawValue) },
    Column("status") { $2.text($0.status.rawValue) },
    Column("started_at") { $2.time($0.startedAt) },
    Column("started_low") { $2.time($0.startedLow) },
    Column("started_high") { $2.time($0.startedHigh) },
    Column("ended_at") { $2.time($0.endedAt) },
    Column("detected_at") { $2.time($0.detectedAt) },
    Column("quantile") { $2.number($0.quantile) },
    Column("before_us") { $2.integer($0.before) },
    Column("after_us") { $2.integer($0.after) },
    Column("after_low_us") { $2.integer($0.afterLow) },
    Column("after_high_us") { $2.integer($0.afterHigh) },
    Column("share_before") { $2.number($0.shareBefore) },
    Column("share_after") { $2.number($0.shareAfter) },
    Column("share_low") { $2.number($0.shareLow) },
    Column("share_high") { $2.number($0.shareHigh) },
    Column("cause") { $2.text($0.cause?.rawValue) },
    Column("scope") { $2.text($0.scope) },
    Column("causes") { $2.text($0.causes.isEmpty ? nil : $0.causes.map(\.rawValue).joined(separator: ";")) },
    Column("evidence") { $2.text($0.evidence.isEmpty ? nil : $0.evidence) },
    Column("samples") { $2.integer($0.samples) },
    Column("effective_samples") { $2.number($0.effectiveSamples) },
    Column("sentence") { $2.text(FindingSentence($0, clock: .alone).text) },
  ]
}

extension Exporter {
  /// Writes the findings in the order of their starts, withdrawn ones too, as their status says. Hidden ones are left
  /// out.
  func findings(to sink: any ByteSink) throws -> Int64 {
    let columns = FindingsTable.columns
    let records = try reader.findings(
      FindingSelection(
        run: selection.run, targets: selection.targets, since: selection.since, until: selection.until,
        includesWithdrawn: true))
    return try write(columns, to: sink) { writer in
      for record in records { try write(record, (), columns, to: &writer) }
    }
  }
}

extension FindingRecord {
  /// The finding as a row of the table, with its legs and all of its causes.
  var json: JSONValue {
    func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
    func text(_ value: String) -> JSONValue { value.isEmpty ? .null : .string(value) }
    return .object([
      .init("id", .string(id)), .init("incident", .string(incident)), .init("run", .string(run.description)),
      .init("target", .string(target)), .init("variant", text(variant)),
      .init("metric", .string(metric.rawValue)),
      .init("kind", .string(kind.rawValue)), .init("status", .string(status.rawValue)),
      .init("started_at", .string(startedAt.rfc3339)), .init("started_low", .string(startedLow?.rfc3339)),
      .init("started_high", .string(startedHigh?.rfc3339)), .init("ended_at", .string(endedAt?.rfc3339)),
      .init("detected_at", .string(detectedAt.rfc3339)), .init("quantile", number(quantile)),
      .init("before_us", .integer(before)), .init("after_us", .integer(after)),
      .init("after_low_us", .integer(afterLow)), .init("after_high_us", .integer(afterHigh)),
      .init("share_before", number(shareBefore)), .init("share_after", number(shareAfter)),
      .init("share_low", number(shareLow)), .init("share_high", number(shareHigh)),
      .init("cause", .string(cause?.rawValue)), .init("scope", .string(scope)),
      .init("causes", .array(causes.map { .string($0.rawValue) })), .init("evidence", text(evidence)),
      .init("samples", .integer(Int64(samples))), .init("effective_samples", .number(effectiveSamples)),
      .init("sentence", .string(FindingSentence(self, clock: .alone).text)),
      .init(
        "legs",
        .array(
          legs.map { legs in
            .object([
              .init("target", .string(legs.target)),
              .init("metric", .string((legs.metric ?? Stored(.delivery)).rawValue)),
              .init("quantile", .number(legs.quantile)),
              .init("before_us", .number(legs.before)), .init("change_us", .number(legs.total)),
              .init("change_low_us", number(legs.totalLow)), .init("change_high_us", number(legs.totalHigh)),
              .init(
                "parts",
                .array(
                  legs.parts.map {
                    .object([
                      .init("leg", .string($0.leg.rawValue)), .init("change_us", .number($0.change)),
                      .init("change_low_us", number($0.low)), .init("change_high_us", number($0.high)),
                    ])
                  })),
            ])
          })),
      .init(
        "verdicts",
        .array(
          verdicts.map { verdict in
            .object([
              .init("cause", .string(verdict.cause.rawValue)), .init("scope", .string(verdict.scope)),
              .init("evidence", text(verdict.evidence)), .init("would_decide", .string(verdict.wouldDecide)),
              .init("targets", .array(verdict.targets.map { .string($0) })),
              .init(
                "refusals",
                .array(
                  (verdict.refusals ?? []).map {
                    .object([
                      .init("target", .string($0.target)), .init("refused", .integer(Int64($0.refused))),
                      .init("not_sent", .integer(Int64($0.notSent))),
                    ])
                  })),
            ])
          })),
      .init("refused", .integer(refusals.map { Int64($0.refused) })),
      .init("not_sent", .integer(refusals.map { Int64($0.notSent) })),
    ])
  }
}
