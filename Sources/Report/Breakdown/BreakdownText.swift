import Analysis
import Findings
import Formats
import Measurement
import Store

extension BreakdownReport {
  /// The breakdown as lines of plain text.
  public var lines: [String] {
    guard all.counts.due > 0 else { return ["nothing was due here"] }
    var lines = notes + [""]
    var table = TextTable(
      plan.by.keys.map { TextTable.Column(EscapedText.make($0.name)) } + [
        .init("planned", .right), .init("within \(LengthText.given(limit))"), .init("p50"), .init("p99"),
        .init("n", .right),
      ])
    for row in rows { table.append(Self.cells(row)) }
    if rows.count > 1 { table.append(Self.cells(all)) }
    lines += table.lines()
    lines += ["", explanation]
    return lines
  }

  private static func cells(_ row: Row) -> [String] {
    func quantile(_ interval: QuantileInterval?) -> String {
      interval.map { FigureText.quantile($0.value, low: $0.low, high: $0.high) } ?? "–"
    }
    return row.values + [
      CountText.grouped(row.counts.due), row.inTime.map { FigureText.share($0) } ?? "–", quantile(row.median),
      quantile(row.p99), CountText.grouped(row.count),
    ]
  }

  private var notes: [String] {
    let metric = self.metric == .delivery ? "from planned to received" : "from planned to accepted"
    var notes = [
      "\(self.metric.rawValue), \(metric), by \(ListText.and(plan.by.keys.map(title))); in time is within \(LengthText.given(limit)) (\(EscapedText.make(limitSource)))"
    ]
    if let prunedTo {
      notes.append(
        "single notifications before \(RunText.time(prunedTo)) UTC are deleted (retention): they are not counted here"
      )
    }
    if !leftOut.isEmpty {
      notes.append(
        "left out, since no receipts are expected of them: \(leftOut.map { EscapedText.make($0) }.joined(separator: ", "))"
      )
    }
    return notes
  }

  private func title(_ key: BreakdownKey) -> String {
    EscapedText.make(key.isOfDay ? "\(key.name) (\(plan.by.zoneName))" : key.name)
  }

  private var explanation: String {
    "In brackets: 95 % intervals"
      + (plan.method == .independent ? ", of probes that are taken for independent." : ".")
      + " Shares are of what was due; ≥, ≤ and \"n too small\": too few values say more."
      + (plan.by.keys.contains(where: \.isReported)
        ? " What has no receipt is among \"not reported\": the share of the others in time says nothing of losses."
        : "")
  }

  /// The breakdown as JSON: names and units as in the export.
  public var json: JSONValue {
    .object([
      .init("by", .array(plan.by.keys.map { .string($0.name) })),
      .init("metric", .string(metric.rawValue)),
      .init("within_us", .integer(limit)),
      .init("within_from", .string(limitSource)),
      .init("pruned_to", .string(prunedTo?.rfc3339)),
      .init("left_out", .array(leftOut.map { .string($0) })),
      .init("rows", .array(rows.map(json))),
      .init("all", json(all)),
    ])
  }

  private func json(_ row: Row) -> JSONValue {
    func members(_ name: String, _ interval: QuantileInterval?) -> [JSONValue.Member] {
      [
        .init("\(name)_us", .integer(interval?.shownValue)), .init("\(name)_low_us", .integer(interval?.low)),
        .init("\(name)_high_us", .integer(interval?.high)),
      ]
    }
    let share = row.inTime?.share == nil ? nil : row.inTime
    return .object(
      zip(plan.by.keys, row.values).map { .init($0.name, .string($1)) } + [
        .init("planned", .integer(Int64(row.counts.due))),
        .init("in_time_share", share?.share.map { .number($0) } ?? .null),
        .init("in_time_low", share.map { .number($0.low) } ?? .null),
        .init("in_time_high", share.map { .number($0.high) } ?? .null),
        .init("counted", .integer(Int64(row.count))),
      ] + members("p50", row.median) + members("p99", row.p99))
  }
}

extension BreakdownReport {
  /// Writes one row for each value as CSV or JSON Lines.
  /// - Returns: the number of rows.
  @discardableResult
  public func write(_ format: RecordFormat, to sink: any ByteSink) throws -> Int64 {
    let keys = plan.by.keys.indices.map { index in
      Column<Row, BreakdownReport>(plan.by.keys[index].name) { row, _, writer in
        writer.text(row.values[index])
      }
    }
    let columns: [Column<Row, BreakdownReport>] =
      keys + [
        Column("metric") { $2.text($1.metric.rawValue) },
        Column("planned") { $2.integer($0.counts.due) },
        Column("within_us") { $2.integer($1.limit) },
        Column("in_time_share") { $2.number($0.inTime?.share) },
        Column("in_time_low") { $2.number($0.inTime?.share == nil ? nil : $0.inTime?.low) },
        Column("in_time_high") { $2.number($0.inTime?.share == nil ? nil : $0.inTime?.high) },
        Column("counted") { $2.integer($0.count) },
        Column("p50_us") { $2.integer($0.median?.shownValue) },
        Column("p50_low_us") { $2.integer($0.median?.low) },
        Column("p50_high_us") { $2.integer($0.median?.high) },
        Column("p99_us") { $2.integer($0.p99?.shownValue) },
        Column("p99_low_us") { $2.integer($0.p99?.low) },
        Column("p99_high_us") { $2.integer($0.p99?.high) },
      ]
    var writer = RecordWriter(format: format, columns: columns.map(\.name), sink: sink)
    try writer.header()
    for row in rows { try writer.row(row, in: self, columns) }
    try writer.finish()
    return writer.rowCount
  }
}
