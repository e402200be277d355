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
    let plain = 0...7_000_000_000_000_000 as ClosedRange<Int64>
    if let start, plain.contains(start.microseconds) { parts.append("\(column) >= \(time(start))") }
    if let end, plain.contains(end.microseconds) { parts.append("\(column) < \(time(end))") }
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
    SELECT sequence, toString(variant), planned_at, planned_monotonic_us, toString(state), status,
      CAST(reason AS Nullable(String)), schedule_lag_us, service_us, accept_us, delivery_us, delivery_error_us,
      CAST(timestamp_source AS Nullable(String)), duplicates, out_of_order, connection_id, connection_age_ms,
      fresh_connection, streams_in_flight, attempt, payload_bytes, dns_us, connect_us, tls_us,
      CAST(http_version AS Nullable(String)), delivery_high_us, peer_ack_us, path_us
    FROM \(database).sample FINAL
    WHERE \(Self.isOf([member])) AND \(condition)
    ORDER BY sequence LIMIT \(limit)
    """
  }

  /// Reads a row of the answer.
  static func sample(
    _ reader: inout RowBinaryReader, of target: TargetID, _ variant: (String) -> VariantID
  ) throws(FleetError) -> Sample {
    let sequence = try reader.integer()
    let name = try reader.text()
    var sample = Sample(
      id: SampleID(target: target, sequence: sequence), variant: variant(name), plannedAt: try reader.time(),
      plannedMonotonic: try reader.integer())
    let state = try reader.text()
    sample.state = NotificationState.allCases.first { $0.name == state } ?? .inFlight
    sample.status = try reader.optionalInteger().map { Int($0) }
    sample.reason = try reader.optionalText()
    sample.scheduleLag = try reader.optionalInteger()
    sample.serviceTime = try reader.optionalInteger()
    sample.acceptLatency = try reader.optionalInteger()
    sample.deliveryLatency = try reader.optionalInteger()
    sample.deliveryError = try reader.optionalInteger()
    let source = try reader.optionalText()
    sample.timestampSource = TimestampSource.allCases.first { $0.name == source }
    sample.duplicates = Int(try reader.integer())
    sample.isOutOfOrder = try reader.flag()
    let connectionID = try reader.optionalInteger()
    let age = try reader.optionalInteger()
    let isFresh = try reader.optional { reader throws(FleetError) in try reader.flag() }
    let streams = try reader.optionalInteger()
    sample.attempt = Int(try reader.integer())
    sample.payloadBytes = try reader.optionalInteger().map { Int($0) }
    let dns = try reader.optionalInteger()
    let connect = try reader.optionalInteger()
    let tls = try reader.optionalInteger()
    if let connectionID, let age, let isFresh, let streams {
      sample.connection = ConnectionUse(
        id: connectionID, age: age, isFresh: isFresh, streamsInFlight: Int(streams))
      if let dns, let connect {
        sample.connection?.phases = ConnectionPhases(dns: dns, connect: connect, tls: tls)
      }
    }
    let version = try reader.optionalText()
    sample.httpVersion = HTTPVersion.allCases.first { $0.name == version }
    sample.deliveryHigh = try reader.optionalInteger()
    sample.peerAck = try reader.optionalInteger()
    sample.path = try reader.optionalInteger()
    return sample
  }

  func receipts(
    of member: FleetDirectory.Member, _ selection: RowSelection,
    after last: (sequence: Int64, revision: Int64), limit: Int = page
  ) -> String {
    """
    SELECT toInt64(revision), sequence, toString(device), received_at, arrived_at, same_clock, offset_us, offset_error_us,
      duplicate
    FROM \(database).receipt FINAL
    WHERE \(Self.isOf([member])) AND (sequence, toInt64(revision)) > (\(last.sequence), \(last.revision))
      AND \(Self.isWithin("arrived_at", selection.since, selection.until))
    ORDER BY sequence, revision LIMIT \(limit)
    """
  }

  static func receipt(_ reader: inout RowBinaryReader, of target: TargetID) throws(FleetError)
    -> ReceiptRecord
  {
    let revision = try reader.integer()
    let sequence = try reader.integer()
    return ReceiptRecord(
      revision: revision,
      receipt: Receipt(
        sample: SampleID(target: target, sequence: sequence), device: try reader.text(),
        receivedAt: try reader.time(), arrivedAt: try reader.time(), isSameClock: try reader.flag(),
        offset: try reader.optionalInteger(), offsetError: try reader.optionalInteger(),
        isDuplicate: try reader.flag()))
  }

  func pings(of members: [FleetDirectory.Member], in range: Range<WallTime>) -> String {
    """
    SELECT connection_id, at, round_trip_us FROM \(database).path FINAL
    WHERE \(Self.isOf(members)) AND \(Self.isWithin("at", range.lowerBound, range.upperBound))
    ORDER BY at, revision
    """
  }
}
