import Foundation
import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

/// Another process that has a read transaction open.
private final class ForeignReader {
  private let process = Process()
  private let input = Pipe()

  init(of store: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.execute("BEGIN"); store.execute("SELECT count(*) FROM run").fetchone()
      print("reads", flush=True)
      sys.stdin.read()
      """, store,
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    _ = output.fileHandleForReading.availableData
  }

  var id: Int32 { process.processIdentifier }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  deinit { end() }
}

@Suite struct LogPinTests {
  /// Five hours of notifications that may go, and a log that was emptied.
  private func fixture() throws -> StoreFixture {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 900, interval: 20_000_000)
    try fixture.commit(inserted: plans)
    try fixture.commit(updated: plans.map { $0.asDelivered() })
    fixture.clock.advance(by: .seconds(7 * 3_600))
    while try fixture.store.rollUp() {}
    return fixture
  }

  /// Makes the log so long that it is checkpointed.
  private func fillLog(_ fixture: StoreFixture) throws {
    let text = String(repeating: "x", count: 6_000)
    try fixture.commit(
      log: (0..<1_000).map { _ in
        LogLine(at: fixture.clock.wallNow(), level: .info, label: "l", message: text)
      })
  }

  private func count(_ fixture: StoreFixture) throws -> Int {
    try fixture.store.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sample") ?? -1 }
  }

  @Test func nothingIsDeletedWhileAReaderPinsTheLog() throws {
    let fixture = try fixture()
    let policy = RetentionPolicy(ages: [.samples: .seconds(3_600)], maximumSize: 1)
    let all = try count(fixture)
    let reader = try ForeignReader(of: fixture.directory.storePath)
    try fillLog(fixture)
    #expect(fixture.store.logPin?.since == fixture.clock.monotonicNow())
    #expect(fixture.store.logHolder == reader.id)
    let step = try fixture.store.prune(policy, within: .seconds(1))
    #expect(step.isWaiting && !step.isMore && step.rows == 0 && step.forced == nil)
    #expect(try count(fixture) == all && fixture.reader().pruned() == PrunedSpans())
    // What nobody asks for is not waited for.
    #expect(try !fixture.store.prune(.keepAll, within: .seconds(1)).isWaiting)
    reader.end()
    #expect(try fixture.store.prune(policy, within: .seconds(1)).rows > 0)
    #expect(fixture.store.logPin == nil && fixture.store.logHolder == nil)
  }

  @Test func aReaderThatBeginsAmidADeletionIsWaitedFor() throws {
    let fixture = try fixture()
    try fixture.store.markPruned(samplesBefore: fixture.clock.wallNow())
    #expect(try fixture.store.prune(.keepAll, atMost: 40, within: .seconds(1)).isMore)
    let left = try count(fixture)
    let reader = try ForeignReader(of: fixture.directory.storePath)
    try fillLog(fixture)
    #expect(try fixture.store.prune(.keepAll, within: .seconds(1)).isWaiting)
    #expect(try count(fixture) == left)
    // By hand it is done all the same.
    #expect(try fixture.store.prune(.keepAll, atMost: 40, within: .seconds(1), waitsForLog: false).rows > 0)
    reader.end()
  }

  @Test func theLogIsNoPartOfTheSize() throws {
    let fixture = try fixture()
    _ = try fixture.store.queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    let policy = RetentionPolicy(maximumSize: try fixture.store.size().used + 400_000)
    try fillLog(fixture)
    try fixture.store.queue.write { try $0.execute(sql: "DELETE FROM log") }
    // The log is longer than the limit.
    let step = try fixture.store.prune(policy, within: .seconds(1))
    #expect(step.forced == nil && step.rows == 0)
  }

  /// A checkpoint after each commit that makes the log long, as SQLite would by itself.
  @Test func theLogIsEmptiedWhereNobodyReads() throws {
    let fixture = try fixture()
    for _ in 0..<4 { try fillLog(fixture) }
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: fixture.directory.storePath + "-wal")[.size] as? Int)
    #expect(size < 20_000_000 && fixture.store.logPin == nil)
  }
}
