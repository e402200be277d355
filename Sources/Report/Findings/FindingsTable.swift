import Analysis
import Formats
import Measurement
import Store

/// The columns of `findings`.
enum FindingsTable {
  static let columns: [Column<FindingRecord, Void>] =
    exported(FindingRecord.columns) { $0 } + [
      Column("sentence") { $2.text(FindingSentence($0, clock: .alone).text) }
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
    // Whole microseconds, as all columns of that unit have.
    func microseconds(_ value: Double?) -> JSONValue {
      .integer(value.flatMap { Int64(exactly: $0.rounded()) })
    }
    func text(_ value: String) -> JSONValue { value.isEmpty ? .null : .string(value) }
    let row = FindingRecord.columns.filter { $0.use.contains(.exported) }.map {
      JSONValue.Member($0.name, JSONValue($0.exportedValue(of: self), of: $0.type))
    }
    return .object(
      row + [
        .init("sentence", .string(FindingSentence(self, clock: .alone).text)),
        .init(
          "legs",
          .array(
            legs.map { legs in
              .object([
                .init("target", .string(legs.target)),
                .init("metric", .string((legs.metric ?? Stored(.delivery)).rawValue)),
                .init("quantile", .number(legs.quantile)),
                .init("before_us", microseconds(legs.before)), .init("change_us", microseconds(legs.total)),
                .init("change_low_us", microseconds(legs.totalLow)),
                .init("change_high_us", microseconds(legs.totalHigh)),
                .init(
                  "parts",
                  .array(
                    legs.parts.map {
                      .object([
                        .init("leg", .string($0.leg.rawValue)), .init("change_us", microseconds($0.change)),
                        .init("change_low_us", microseconds($0.low)),
                        .init("change_high_us", microseconds($0.high)),
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
                .init("evidence", text(verdict.evidence)),
                .init("would_decide", .string(verdict.wouldDecide)),
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
