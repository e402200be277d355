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

  static let columns: [Column<SampleRow, Context>] =
    [
      Column("run") { $2.prepared($1.run) },
      Column("target") { $2.prepared($1.target) },
      Column("variant") { $2.prepared($1.variant($0.variant)) },
      Column("provider") { $2.prepared($1.provider) },
      Column("sequence") { $2.integer($0.id.sequence) },
      Column("notification_id") { $2.uuid($1.record.notificationID($0.id).uuid.words) },
    ] + SampleField.exported.compactMap { field in write(field).map { Column(field.name, $0) } }

  /// - Returns: `nil` of a field that exports do not have.
  private static func write(_ field: SampleField) -> Column<SampleRow, Context>.Write? {
    switch field {
    case .column(let column): write(column)
    case .time(_, let interval):
      { row, _, writer in writer.time(row[interval].map { row.plannedAt.advanced(byMicroseconds: $0) }) }
    case .deliveryCertainty: { $2.text($0.deliveryCertainty?.rawValue) }
    case .deliveryLow: { $2.integer($0.deliveryRange?.low) }
    case .deliveryHigh: { $2.integer($0.deliveryRange?.high) }
    case .context: nil
    }
  }

  private static func write(_ column: SampleColumn) -> Column<SampleRow, Context>.Write {
    if column.isText {
      return { row, _, writer in
        row.withText(column) { writer.text($0.map { UnsafeRawBufferPointer($0) }) }
      }
    }
    guard column.words.isEmpty else {
      let words = Dictionary(uniqueKeysWithValues: column.words.map { ($0.value, $0.word) })
      return { $2.text($0[column].flatMap { words[$0] }) }
    }
    return switch column.type.kind {
    case .time: { $2.time($0[column].map(WallTime.init(microseconds:))) }
    case .flag: { $2.boolean($0[column].map { $0 != 0 }) }
    default: { $2.integer($0[column]) }
    }
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
      try directory.checkRuns(reader)
    }
  }
}
