import Foundation
import GRDB
import Measurement
import Testing

@testable import Fleet
@testable import Store

/// Compares what a fleet shows with a store, row for row and column for column.
struct FleetComparison {
  let engine: TestEngine
  let store: CollectorStore
  /// Only rows with a higher revision are compared.
  var after: Int64 = 0

  private static let noID = "00000000-0000-0000-0000-000000000000"

  /// - Parameter isOnlyOne: whether the fleet has no other rows of this collector, so that the numbers of rows have to agree.
  func check(isOnlyOne: Bool = true, _ place: SourceLocation = #_sourceLocation) throws {
    let collector = store.collectorID.uuidString.lowercased()
    for table in ForwardedTable.allCases where table != .tombstone {
      let expected = try stored(table)
      let seen = try forwarded(table, collector)
      if isOnlyOne { #expect(seen.count == expected.count, "\(table)", sourceLocation: place) }
      let missing = expected.filter { seen[$0.key] != $0.value }
      #expect(
        missing.isEmpty,
        "\(table): \(missing.prefix(2).map { "\($0.value) is \(seen[$0.key] ?? [])" })", sourceLocation: place
      )
    }
    if after == 0 { try checkView(place) }
  }

  /// The view against the store's own, which shares nothing with the forwarder.
  private func checkView(_ place: SourceLocation) throws {
    let local = try store.queue.read {
      try Row.fetchAll(
        $0, sql: "SELECT * FROM sample_view WHERE state <> 'planned' ORDER BY run, target, sequence")
    }
    guard let names = local.first.map({ Array($0.columnNames) }) else { return }
    let runs = Set(local.map { $0["run"] as String })
    let list = runs.map { "'\($0)'" }.joined(separator: ", ")
    let remote = try engine.rows(
      """
      SELECT \(names.map { "toString(\($0))" }.joined(separator: ", ")) FROM DB.sample_view WHERE run IN (\(list))
      ORDER BY toString(run), target, sequence
      """)
    func text(_ value: DatabaseValue) -> String {
      guard let text = String.fromDatabaseValue(value) else {
        return value.isNull ? "N" : Int64.fromDatabaseValue(value).map { "\($0)" } ?? "?"
      }
      return text.hasSuffix("Z") && text.contains("T")
        ? String(text.dropLast()).replacing("T", with: " ") : text
    }
    let keys = ["run", "target", "sequence"].compactMap { names.firstIndex(of: $0) }
    let seen = Dictionary(
      remote.map { row in (keys.map { row[$0] }, row) }, uniquingKeysWith: { first, _ in first })
    #expect(seen.count == remote.count, sourceLocation: place)
    for row in local {
      let expected = names.map { text(row[$0]) }
      let found = seen[keys.map { expected[$0] }]
      #expect(found == expected, sourceLocation: place)
      if found != expected { return }
    }
  }

  private func key(of table: ForwardedTable, _ row: [String: String]) -> [String] {
    let names: [String] =
      switch table {
      case .run: ["run"]
      case .target: ["run", "target"]
      case .sample: ["run", "target", "sequence"]
      case .finding: ["id"]
      case .receipt, .event, .log, .path, .tombstone: ["revision"]
      }
    return names.map { row[$0] ?? "" }
  }

  private func stored(_ table: ForwardedTable) throws -> [[String]: [String]] {
    let reader = try StoreReader.open(at: store.path)
    defer { reader.close() }
    let window = ForwardWindow(
      after: after, through: try reader.revision(), collector: store.collectorID.uuidString.lowercased(),
      isMore: false)
    var rows: [[String]: [String]] = [:]
    try reader.forward(table, window) { row in
      var values: [String: String] = [:]
      for (index, column) in table.columns.enumerated() {
        values[column.name] = value(row, index, column.type.kind)
      }
      rows[key(of: table, values)] = table.columns.map { values[$0.name] ?? "" }
    }
    return rows
  }

  private func value(_ row: ForwardedRow, _ index: Int, _ kind: ColumnType.Kind) -> String {
    if row.isNull(index) { return kind == .uuid ? Self.noID : kind == .labels ? "{}" : "N" }
    switch kind {
    case .uuid, .name, .text, .list:
      return row.withText(index) { String(decoding: $0, as: UTF8.self) }
    case .labels:
      let json = row.withText(index) { Data($0) }
      let labels = (try? JSONDecoder().decode([String: String].self, from: json)) ?? [:]
      return "{"
        + labels.sorted { $0.key < $1.key }.map { "'\($0.key)':'\($0.value)'" }.joined(separator: ",") + "}"
    case .integer, .revision: return "\(row.integer(index))"
    case .real: return "\(row.real(index))"
    case .time: return FleetSchema.text(WallTime(microseconds: row.integer(index)))
    case .flag: return row.integer(index) == 0 ? "false" : "true"
    }
  }

  private func forwarded(_ table: ForwardedTable, _ collector: String) throws -> [[String]: [String]] {
    let columns = table.columns.map { "toString(\($0.name))" }.joined(separator: ", ")
    let rows = try engine.rows(
      """
      SELECT \(columns) FROM DB.\(table.rawValue) FINAL
      WHERE collector = '\(collector)' AND (collector, run) NOT IN (SELECT collector, run FROM DB.tombstone)
      """)
    var found: [[String]: [String]] = [:]
    for row in rows {
      var values: [String: String] = [:]
      for (column, text) in zip(table.columns, row) {
        let isReal = column.type.kind == .real
        values[column.name] = isReal ? Double(text).map { "\($0)" } ?? text : text
      }
      found[key(of: table, values)] = table.columns.map { values[$0.name] ?? "" }
    }
    #expect(found.count == rows.count)
    return found
  }
}

extension Forwarder {
  /// Forwards until there is nothing left.
  @discardableResult
  func all() throws -> Int {
    var rows = 0
    while true {
      let step = try self.step()
      rows += step.rows
      guard step.isMore else { return rows }
    }
  }
}
