import Foundation
import GRDB
import Measurement
import Testing

@testable import Store

/// What the rollups of a store should say, counted from its notifications by the simplest means.
struct RollupTruth: Equatable {
  struct Key: Hashable, Comparable, CustomStringConvertible {
    var span: Int
    var start: Int64
    var target: Int64
    var variant: Int64

    var description: String { "\(span) s at \(start), target \(target), variant \(variant)" }

    static func < (a: Self, b: Self) -> Bool {
      (a.span, a.start, a.target, a.variant) < (b.span, b.start, b.target, b.variant)
    }
  }

  struct Value: Equatable {
    /// By state, then sent, then accepted by the provider.
    var counts = Array(repeating: 0, count: 12)
    /// Duplicates, out of order, on fresh connections.
    var flagCounts = [0, 0, 0]
    /// By the figure's name: how many values there are in a bucket, by its lower end.
    var histograms: [String: [Int64: Int]] = [:]
  }

  /// The lower end of a value's bucket, by what three significant digits mean: below 2048 every µs is one, and each
  /// doubling has 1024.
  private static func bucket(_ value: Int64) -> Int64 {
    var (lower, width) = (max(0, value), Int64(1))
    while lower / width >= 2048 { width *= 2 }
    lower -= lower % width
    return lower
  }

  var values: [Key: Value] = [:]

  /// Counts every notification planned before the marks.
  static func counted(_ db: Database, marks: RollupWatermarks) throws -> RollupTruth {
    var truth = RollupTruth()
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT id >> 40, variant_id, planned_at, state, schedule_lag_us, service_us, accept_us, delivery_us,
          ifnull(duplicates, 0), out_of_order, ifnull(fresh_connection, 0), delivery_error_us, delivery_high_us,
          path_us
        FROM sample
        """)
    for row in rows {
      let planned: Int64 = row[2]
      for span in RollupSpan.allCases {
        let length = Int64(span.rawValue)
        let start = Int64((Double(planned) / 1e6 / Double(length)).rounded(.down)) * length
        guard start + length <= marks[span] else { continue }
        let key = Key(span: span.rawValue, start: start, target: row[0], variant: row[1])
        var value = truth.values.removeValue(forKey: key) ?? Value()
        value.counts[row[3] as Int] += 1
        if row[4] != nil { value.counts[10] += 1 }
        if row[6] != nil { value.counts[11] += 1 }
        for index in 0..<3 { value.flagCounts[index] += row[8 + index] as Int }
        let isFresh = (row[10] as Int) == 1
        func count(_ name: String, _ latency: Int64) {
          value.histograms[name, default: [:]][bucket(latency), default: 0] += 1
        }
        for (name, column) in [
          ("service", 5), ("accept", 6), ("delivery", 7), ("schedule_lag", 4), ("path", 13),
        ] {
          guard let latency = row[column] as Int64?, name != "service" || row[6] != nil else { continue }
          count(name, latency)
          if isFresh, name != "schedule_lag" { count("fresh_" + name, latency) }
        }
        if let delivery = row[7] as Int64? {
          let error = row[11] as Int64? ?? .max
          if error > 0, error < delivery { count("delivery_error", error) }
          if error > 0, error >= delivery { count("delivery_limit", delivery) }
          // Recorded, or what it was before that was recorded: with no clock exchange the latency alone.
          let half = row[11] as Int64? ?? delivery
          let high = row[12] as Int64? ?? (half == delivery ? delivery : delivery + max(0, half))
          for prefix in isFresh ? ["", "fresh_"] : [""] {
            count(prefix + "delivery_low", delivery - max(0, half))
            count(prefix + "delivery_high", high)
          }
        }
        truth.values[key] = value
      }
    }
    return truth
  }

  /// What is stored.
  static func stored(_ db: Database) throws -> RollupTruth {
    var truth = RollupTruth()
    for row in try Row.fetchAll(db, sql: "SELECT * FROM rollup") {
      var value = Value()
      value.counts =
        NotificationState.allCases.map { row[$0.name] } + [row["sent"], row["provider_accepted"]]
      value.flagCounts = [row["duplicates"], row["out_of_order"], row["fresh_connections"]]
      for name in RollupFigure.allCases.map(\.name) {
        // What is the same as the latencies is not stored.
        let standIn =
          ["delivery_low", "delivery_high", "fresh_delivery_low", "fresh_delivery_high"].contains(name)
          ? String(name.prefix { $0 != "y" }) + "y" : name
        guard let bytes = row[name] as Data? ?? row[standIn] as Data? else { continue }
        #expect(name == standIn || row[name] as Data? != row[standIn] as Data?)
        for bucket in PackedLatencies(bytes: Array(bytes)) {
          value.histograms[name, default: [:]][bucket.lower] = bucket.count
        }
      }
      truth.values[
        Key(span: row["span"], start: row["start"], target: row["target_id"], variant: row["variant_id"])] =
        value
    }
    return truth
  }

  /// Holds the store against it.
  static func check(_ store: CollectorStore, _ comment: Comment? = nil) throws {
    try store.queue.read { db in
      let marks = try RollupWatermarks.fetch(db)
      let (stored, counted) = (try stored(db), try counted(db, marks: marks))
      #expect(stored.values.count == counted.values.count, comment)
      for (key, value) in counted.values.sorted(by: { $0.key < $1.key }) where stored.values[key] != value {
        Issue.record("\(key): stored \(String(describing: stored.values[key])), counted \(value)")
        return
      }
    }
  }
}
