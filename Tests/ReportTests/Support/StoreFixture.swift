import Formats
import Foundation
import Measurement
import Store
import TestKit

@testable import Report

/// A store in a temporary directory, filled by the test.
final class StoreFixture {
  /// 2026-03-01T12:00:00Z.
  static let start = WallTime(microseconds: 1_772_366_400_000_000)

  private let directory: TemporaryDirectory
  var path: String { directory.file("pushscope.sqlite") }
  private let store: CollectorStore
  private let clock = SteppedHostClock(monotonic: .zero, wall: start)

  init() throws {
    directory = try TemporaryDirectory("report")
    store = try CollectorStore.open(
      at: directory.file("pushscope.sqlite"), clock: clock, options: CollectorStoreOptions(bootID: "boot"))
  }

  deinit { store.close() }

  var collector: String { store.collectorID.uuidString.lowercased() }

  func reader() throws -> StoreReader { try StoreReader.open(at: path) }

  /// A run whose UUID says its number, begun `number` hours after ``start``.
  @discardableResult
  func begin(
    _ number: Int, name: String? = nil, _ targets: [TargetDescription]
  ) throws -> RunRegistration {
    let startedAt = Self.start.advanced(byMicroseconds: Int64(number) * 3_600_000_000)
    var generator = SeededGenerator(seed: UInt64(number))
    return try store.beginRun(
      RunDescription(
        id: RunID(at: startedAt, using: &generator), name: name, startedAt: startedAt,
        startedMonotonic: MonotonicTime(microseconds: Int64(number) * 3_600_000_000), bootID: "boot",
        targets: targets))
  }

  func commit(
    _ run: RunID, _ samples: [Sample] = [], receipts: [Receipt] = [], events: [Event] = [],
    log: [LogLine] = [], pings: [PingAnswer] = [], instrument: InstrumentFigures? = nil
  ) throws {
    _ = try store.commit(
      WriteBatch(
        run: run, inserted: samples, receipts: receipts, events: events, log: log, pings: pings,
        instrument: instrument))
  }

  /// Lets time pass until all that is there is rolled up.
  func rollUp(after seconds: Int64 = 100_000) throws {
    clock.advance(by: .seconds(seconds))
    while try store.rollUp() {}
  }

  func save(_ changes: FindingChanges) throws { try store.save(changes) }
  func save(_ findings: [FindingRecord]) throws {
    var changes = FindingChanges()
    changes.findings = findings
    try store.save(changes)
  }

  func record(_ calibration: Calibration) throws { try store.record(calibration) }

  func end(_ run: RunRegistration, after seconds: Int64) throws {
    guard let record = try reader().run(run.run) else { return }
    try store.endRun(
      run.run, at: record.startedAt.advanced(byMicroseconds: seconds * 1_000_000), reason: .stopped)
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
