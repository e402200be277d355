import Formats
import Measurement
import Store

/// The columns of `samples`: one row for each planned notification.
enum SamplesTable {
  /// Fields that the rows of one target share, encoded in advance.
  final class Context {
    let id: TargetID
    let record: TargetRecord
    let run: PreparedText
    let target: PreparedText
    let provider: PreparedText
    private let variants: [VariantID: PreparedText]
    private let noVariant: PreparedText

    init(_ entry: TargetDirectory.Entry, format: RecordFormat) {
      id = entry.target.id
      record = entry.target
      run = PreparedText(entry.run.id.description, for: format)
      target = PreparedText(entry.target.name, for: format)
      provider = PreparedText(entry.target.provider, for: format)
      let names = entry.target.variants.map {
        ($0.id, PreparedText($0.name.isEmpty ? nil : $0.name, for: format))
      }
      variants = Dictionary(names) { first, _ in first }
      noVariant = PreparedText(nil, for: format)
    }

    func variant(_ id: VariantID) -> PreparedText {
      id == .none ? noVariant : variants[id] ?? noVariant
    }
  }

  static let columns: [Column<SampleRow, Context>] = identity + times + outcome + latencies + connection

  private static let identity: [Column<SampleRow, Context>] = [
    Column("run") { $2.prepared($1.run) },
    Column("target") { $2.prepared($1.target) },
    Column("variant") { $2.prepared($1.variant($0.variant)) },
    Column("provider") { $2.prepared($1.provider) },
    Column("sequence") { $2.integer($0.id.sequence) },
    Column("notification_id") { $2.uuid($1.record.notificationID($0.id).uuid.words) },
  ]

  private static let times: [Column<SampleRow, Context>] = [
    Column("planned_at") { $2.time($0.plannedAt) },
    Column("sent_at") { $2.time($0.plannedAt, plus: $0.scheduleLag) },
    Column("accepted_at") { $2.time($0.plannedAt, plus: $0.acceptLatency) },
    Column("received_at") { $2.time($0.plannedAt, plus: $0.deliveryLatency) },
  ]

  private static let outcome: [Column<SampleRow, Context>] = [
    Column("state") { $2.text($0.state.name) },
    Column("status") { $2.integer($0.status) },
    Column("reason") { row, _, writer in row.withReason { writer.text($0.map { UnsafeRawBufferPointer($0) }) }
    },
  ]

  private static let latencies: [Column<SampleRow, Context>] = [
    Column("schedule_lag_us") { $2.integer($0.scheduleLag) },
    Column("service_us") { $2.integer($0.serviceTime) },
    Column("accept_us") { $2.integer($0.acceptLatency) },
    Column("delivery_us") { $2.integer($0.deliveryLatency) },
    Column("delivery_error_us") { $2.integer($0.deliveryError) },
    Column("timestamp_source") { $2.text($0.timestampSource?.name) },
    Column("duplicates") { $2.integer($0.duplicates) },
    Column("out_of_order") { $2.boolean($0.isOutOfOrder) },
  ]

  private static let connection: [Column<SampleRow, Context>] = [
    Column("connection_id") { $2.integer($0.connectionID) },
    Column("connection_age_ms") { $2.integer($0.connectionAge) },
    Column("fresh_connection") { $2.boolean($0.isFreshConnection) },
    Column("streams_in_flight") { $2.integer($0.streamsInFlight) },
    Column("attempt") { $2.integer($0.attempt) },
    Column("payload_bytes") { $2.integer($0.payloadBytes) },
    Column("dns_us") { $2.integer($0.dns) },
    Column("connect_us") { $2.integer($0.connect) },
    Column("tls_us") { $2.integer($0.tls) },
    Column("http_version") { $2.text($0.httpVersion?.name) },
    Column("delivery_certainty") { $2.text($0.deliveryCertainty?.rawValue) },
    Column("delivery_low_us") { $2.integer($0.deliveryRange?.low) },
    Column("delivery_high_us") { $2.integer($0.deliveryRange?.high) },
    Column("peer_ack_us") { $2.integer($0.peerAck) },
    Column("path_us") { $2.integer($0.path) },
  ]
}

extension RecordWriter {
  /// Writes a time that the store keeps as an interval from another.
  fileprivate mutating func time(_ start: WallTime, plus interval: Int64?) {
    time(interval.map { start.advanced(byMicroseconds: $0) })
  }
}

extension Exporter {
  func samples(to sink: any ByteSink) throws -> Int64 {
    let columns = SamplesTable.columns
    let directory = try TargetDirectory(reader, selection)
    return try write(columns, to: sink) { writer in
      var context: SamplesTable.Context?
      try reader.forEachSample(selection) { row in
        let target = row.id.target
        if let context, context.id == target {
          try write(row, context, columns, to: &writer)
        } else {
          let next = SamplesTable.Context(try directory.entry(for: target), format: format)
          context = next
          try write(row, next, columns, to: &writer)
        }
      }
    }
  }
}
