import Measurement
import Store

/// Queries for single rows of a fleet's tables, and what their answers say.
struct FleetRows {
  /// The database's name as an identifier.
  let database: String

  /// Rows that are read at a time.
  static let page = 50_000

  static func time(_ time: WallTime) -> String {
    "fromUnixTimestamp64Micro(toInt64(\(time.microseconds)), 'UTC')"
  }

  /// A condition on a time column, whose type has a range of its own.
  static func isWithin(_ column: String, _ start: WallTime?, _ end: WallTime?) -> String {
    var parts: [String] = []
    // A plain comparison lets the engine skip parts of a table; outside of the type's range only the number is right.
    let plain = WallTime(seconds: 0)...WallTime(seconds: 7_000_000_000)
    if let start, plain.contains(start) { parts.append("\(column) >= \(time(start))") }
    if let end, plain.contains(end) { parts.append("\(column) < \(time(end))") }
    let column = "toUnixTimestamp64Micro(\(column))"
    if let start, start.microseconds > .min { parts.append("\(column) >= \(start.microseconds)") }
    if let end, end.microseconds < .max { parts.append("\(column) < \(end.microseconds)") }
    return parts.isEmpty ? "1" : parts.joined(separator: " AND ")
  }

  /// A condition on the key; never true for no member.
  static func isOf(_ members: some Sequence<FleetDirectory.Member>) -> String {
    let keys = members.map { member in
      let values = [member.key.collector, member.key.run].map { "toUUID(\(EngineText.quoted($0)))" }
      return (values + [EngineText.quoted(member.key.target)])
    }
    switch keys.count {
    case 0: return "0"
    case 1: return "collector = \(keys[0][0]) AND run = \(keys[0][1]) AND target = \(keys[0][2])"
    default:
      return
        "(collector, run, target) IN (\(keys.map { "(\($0.joined(separator: ", ")))" }.joined(separator: ", ")))"
    }
  }

  /// The notifications of a range of planned time, as what a query reads from.
  func samples(of members: some Sequence<FleetDirectory.Member>, _ start: WallTime?, _ end: WallTime?)
    -> String
  {
    "\(database).sample FINAL WHERE \(Self.isOf(members)) AND \(Self.isWithin("planned_at", start, end))"
  }

  func samples(
    of member: FleetDirectory.Member, _ start: WallTime?, _ end: WallTime?, after sequence: Int64,
    limit: Int = page
  ) -> String {
    samples(
      of: member, "sequence > \(sequence) AND \(Self.isWithin("planned_at", start, end))", limit: limit)
  }

  func samples(of member: FleetDirectory.Member, sequences: [Int64]) -> String {
    samples(
      of: member, "sequence IN (\(sequences.map(String.init).joined(separator: ", ")))",
      limit: sequences.count)
  }

  private func samples(of member: FleetDirectory.Member, _ condition: String, limit: Int) -> String {
    """
    SELECT sequence, toString(variant), ifNull(toString(context), ''), \(Self.sampleColumns.selected())
    FROM \(database).sample FINAL
    WHERE \(Self.isOf([member])) AND \(condition)
    ORDER BY sequence LIMIT \(limit)
    """
  }

  /// Reads a row of the answer.
  static func sample(
    _ reader: inout RowBinaryReader, of target: TargetID, _ variant: (String) -> VariantID,
    _ context: (String) -> DeviceContextID?
  ) throws(FleetError) -> Sample {
    let sequence = try reader.sequence()
    let variant = variant(try reader.text())
    let context = context(try reader.text())
    var sample = try reader.sample(sampleColumns, SampleID(target: target, sequence: sequence), variant)
    sample.context = context
    return sample
  }

  private static let receiptColumns = Receipt.columns.forwarded()
  private static let sampleColumns = SampleColumn.allCases.filter(\.use.isForwarded)

  func receipts(
    of member: FleetDirectory.Member, _ selection: RowSelection,
    after last: (sequence: Int64, revision: Int64), limit: Int = page
  ) -> String {
    """
    SELECT toInt64(revision), sequence, \(Self.receiptColumns.selected())
    FROM \(database).receipt FINAL
    WHERE \(Self.isOf([member])) AND (sequence, toInt64(revision)) > (\(last.sequence), \(last.revision))
      AND \(Self.isWithin("arrived_at", selection.since, selection.until))
    ORDER BY sequence, revision LIMIT \(limit)
    """
  }

  /// - Returns: `nil` in `receipt` where a value is not what this version knows.
  static func receipt(_ reader: inout RowBinaryReader, of target: TargetID) throws(FleetError)
    -> (sequence: Int64, revision: Int64, receipt: Receipt?)
  {
    let revision = try reader.integer()
    let sequence = try reader.sequence()
    return (
      sequence, revision,
      try reader.record(receiptColumns, into: .blank(of: SampleID(target: target, sequence: sequence)))
    )
  }

  func pings(of members: [FleetDirectory.Member], in range: Range<WallTime>) -> String {
    """
    SELECT \(PingAnswer.columns.selected()) FROM \(database).path FINAL
    WHERE \(Self.isOf(members)) AND \(Self.isWithin("at", range.lowerBound, range.upperBound))
    ORDER BY at, revision
    """
  }
}
