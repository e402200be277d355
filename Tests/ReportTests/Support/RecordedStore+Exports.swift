import Formats
import Foundation
import Measurement
import Store
import StoreTestKit
import TestKit

@testable import Report

extension RecordedStore {
  /// 2026-03-01T12:00:00Z.
  static let start = WallTime(microseconds: 1_772_366_400_000_000)

  /// Begins at ``start``.
  convenience init() throws {
    try self.init(clock: SteppedHostClock(monotonic: .zero, wall: Self.start), bootID: "boot")
    try open()
  }

  var collectorName: String { collector?.collectorID.uuidString.lowercased() ?? "closed" }

  /// A run whose UUID says its number, begun `number` hours after ``start``.
  @discardableResult
  func begin(
    _ number: Int, name: String? = nil, _ targets: [TargetDescription]
  ) throws -> RunRegistration {
    let elapsed = Int64(number) * 3_600_000_000
    return try begin(
      targets, name: name,
      at: ClockAnchor(
        monotonic: MonotonicTime(microseconds: elapsed),
        wall: Self.start.advanced(byMicroseconds: elapsed)),
      seed: UInt64(number))
  }

  func commit(
    _ run: RunID, _ samples: [Sample] = [], receipts: [Receipt] = [], events: [Event] = [],
    log: [LogLine] = [], pings: [PingAnswer] = [], instrument: InstrumentFigures? = nil
  ) throws {
    try write(
      WriteBatch(
        run: run, inserted: samples, receipts: receipts, events: events, log: log, pings: pings,
        instrument: instrument))
  }

  func end(_ run: RunRegistration, after seconds: Int64) throws {
    guard let record = try reader().run(run.run) else { return }
    try end(run.run, at: record.startedAt.advanced(byMicroseconds: seconds * 1_000_000), reason: .stopped)
  }

  /// What an export writes.
  func export(
    _ table: ExportTable, _ selection: RowSelection = RowSelection(), _ format: RecordFormat = .csv
  ) throws -> String {
    let sink = MemorySink()
    try Exporter(reader: reader(), selection: selection, format: format).export(table, to: sink)
    return sink.text
  }

  /// The lines of a CSV export, without the header.
  func rows(_ table: ExportTable, _ selection: RowSelection = RowSelection()) throws -> [String] {
    try export(table, selection).split(separator: "\r\n", omittingEmptySubsequences: true).dropFirst()
      .map(String.init)
  }
}
