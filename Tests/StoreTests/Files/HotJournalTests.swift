import Foundation
import GRDB
import StoreTestKit
import TestKit
import Testing

@testable import Store

/// A collector that is killed while its store is made leaves a rollback journal that is not played back yet. A reader
/// cannot do that; the next collector must.
@Suite struct HotJournalTests {
  @Test func aStoreKilledAtBirthIsOpenedAgain() throws {
    let directory = try TemporaryDirectory()
    let born = directory.storePath + "-born"
    let queue = try DatabaseQueue(path: born)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA application_id = \(StoreSchema.applicationID)")
      try db.execute(sql: "PRAGMA cache_size = 2")
      try db.inTransaction(.immediate) {
        try db.execute(sql: "CREATE TABLE half (bytes BLOB)")
        for _ in 0..<50 { try db.execute(sql: "INSERT INTO half VALUES (randomblob(3000))") }
        // More than the cache holds: the file is half-written, the journal knows how it was.
        for suffix in ["", "-journal"] {
          try FileManager.default.copyItem(atPath: born + suffix, toPath: directory.storePath + suffix)
        }
        return .rollback
      }
    }
    chmod(directory.storePath, 0o600)
    let store = try CollectorStore.open(
      at: directory.storePath, clock: SteppedHostClock(), options: .init(bootID: StoreFixture.bootID))
    defer { store.close() }
    #expect(try store.queue.read { try $0.tableExists("half") } == false)
    #expect(try store.queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
    #expect(try StoreReader.open(at: directory.storePath).runs().isEmpty)
  }
}
