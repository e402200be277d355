import Foundation
import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct StoreAdministrationTests {
  private func fill(_ fixture: StoreFixture, count: Int = 2_000) throws {
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: count).map { $0.asDelivered() })
  }

  private func backup(_ fixture: StoreFixture, to file: String, replaces: Bool = false) throws -> Int64 {
    try StoreBackup(of: fixture.directory.storePath, to: file, clock: fixture.clock).run(replaces: replaces) {
      _ in
    }
  }

  @Test("rollups are completed of a store that is there, and none is made")
  func rollUpMakesNoStore() throws {
    let directory = try TemporaryDirectory()
    let missing = directory.file("none/s.sqlite")
    #expect(throws: StoreError.self) {
      try ControlClient(storePath: missing, clock: SteppedHostClock()).rollUp()
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    let fixture = try StoreFixture()
    try fill(fixture)
    fixture.clock.advance(by: .hours(3))
    fixture.store.close()
    try ControlClient(storePath: fixture.directory.storePath, clock: fixture.clock).rollUp()
    #expect(try fixture.reader().pruneExtent(samplesBefore: fixture.clock.wallNow())?.count == 2_000)
  }

  @Test("errors of a copy name the copy")
  func aCopyThatCannotBeMade() throws {
    let fixture = try StoreFixture()
    let directory = fixture.directory.path
    for (file, words) in [
      (fixture.directory.file("none/copy.sqlite"), "there is no directory \(directory)/none"),
      (directory, "the copy must be a file, not a directory"),
      ("/proc/copy.sqlite", "there can be no copy here"),
      (
        fixture.directory.file(String(repeating: "x", count: 250)),
        "there can be no copy here: its name is too long"
      ),
    ] {
      let error = try #require(throws: StoreError.self) { try backup(fixture, to: file) }
      #expect(error.description.hasPrefix(words) && error.path == file && !error.remedy.contains("--store"))
    }
    let full = StoreError(errno: ENOSPC, path: "/backup/copy.sqlite.partial-7").ofCopy("/backup/copy.sqlite")
    #expect(
      full.description.hasPrefix("no room left for the copy: /backup/copy.sqlite; free some disk space"))
  }

  @Test func aBackupIsTheStoreOfOneInstant() throws {
    let fixture = try StoreFixture()
    try fill(fixture)
    let file = fixture.directory.file("copy.sqlite")
    var parts: [Double] = []
    // The collector commits while the copy is made.
    let next = fixture.plans(fixture.alpha, from: 2_001, count: 50)
    let size = try StoreBackup(of: fixture.directory.storePath, to: file, clock: fixture.clock).run(
      replaces: false
    ) {
      if parts.isEmpty { _ = try? fixture.store.commit(WriteBatch(run: fixture.run, inserted: next)) }
      parts.append($0)
    }
    #expect(size > 100_000 && parts.last == 1)
    #expect(try fixture.reader().run(fixture.run)?.counts.planned == 2_050)
    let copy = try StoreReader.open(at: file)
    #expect(try copy.run(fixture.run)?.counts.planned == 2_000)
    #expect(copy.collectorID == fixture.store.collectorID)
    copy.close()
    #expect(try StoreAdministration.check(file) {}.isEmpty)
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path)
    #expect(!names.contains { $0.contains("partial") })
  }

  @Test func nothingIsOverwrittenUnasked() throws {
    let fixture = try StoreFixture()
    try fill(fixture, count: 10)
    let file = fixture.directory.file("copy.sqlite")
    _ = try backup(fixture, to: file)
    #expect(throws: StoreError.self) { try backup(fixture, to: file) }
    // Nothing but a store is replaced, and not the store itself.
    let text = try fixture.directory.write("notes.txt", "mine")
    for path in [text, fixture.directory.storePath] {
      #expect(throws: StoreError.self) { try backup(fixture, to: path, replaces: true) }
    }
    #expect(try String(contentsOfFile: text, encoding: .utf8) == "mine")
    // Not one that anybody has open.
    let reader = try StoreReader.open(at: file)
    _ = try reader.revision()
    #expect(throws: StoreError.self) { try backup(fixture, to: file, replaces: true) }
    reader.close()
    let collector = try fixture.reopened(file)
    let refusal = #expect(throws: StoreError.self) { try backup(fixture, to: file, replaces: true) }
    #expect(refusal?.code == .inUse)
    collector.close()
    try fill2(fixture)
    _ = try backup(fixture, to: file, replaces: true)
    #expect(try StoreReader.open(at: file).run(fixture.run)?.counts.planned == 15)

    func fill2(_ fixture: StoreFixture) throws {
      try fixture.commit(inserted: fixture.plans(fixture.alpha, from: 11, count: 5))
    }
  }

  @Test func compactingGivesSpaceBackAndNeedsTheLock() throws {
    let fixture = try StoreFixture()
    try fill(fixture, count: 20_000)
    #expect(throws: StoreError.self) {
      try StoreAdministration.compact(fixture.directory.storePath, clock: fixture.clock) {}
    }
    try fixture.store.queue.inDatabase { try $0.execute(sql: "DELETE FROM sample WHERE id % 10 <> 0") }
    fixture.store.close()
    let size = try StoreAdministration.compact(fixture.directory.storePath, clock: fixture.clock) {}
    #expect(size.after < size.before / 2)
    let store = try fixture.reopened()
    #expect(try store.size().givesBack)
    store.close()
    #expect(throws: StoreError.self) {
      try StoreAdministration.compact(fixture.directory.file("none"), clock: fixture.clock) {}
    }
  }

  @Test func anAdoptedStoreIsAnotherCollectors() throws {
    let fixture = try StoreFixture()
    #expect(throws: StoreError.self) {
      try StoreAdministration.adopt(fixture.directory.storePath, clock: fixture.clock)
    }
    fixture.store.close()
    let ids = try StoreAdministration.adopt(fixture.directory.storePath, clock: fixture.clock)
    #expect(ids.before == fixture.store.collectorID && ids.after != ids.before)
    let reader = try fixture.reader()
    #expect(reader.collectorID == ids.after)
    #expect(try reader.run(fixture.run)?.collectorID == ids.before)
  }

  @Test func damageIsFound() throws {
    let fixture = try StoreFixture()
    try fill(fixture)
    #expect(try StoreAdministration.check(fixture.directory.storePath) {}.isEmpty)
    try fixture.store.queue.inDatabase { try $0.execute(sql: "UPDATE tally SET delivered = delivered + 1") }
    let problems = try StoreAdministration.check(fixture.directory.storePath) {}
    #expect(problems.count >= 1 && problems[0].contains("counters"))
    fixture.store.close()
    // A page in the middle of the file is overwritten.
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: fixture.directory.storePath))
    try file.seek(toOffset: 20 * 4096)
    try file.write(contentsOf: Data(repeating: 0xA5, count: 3 * 4096))
    try file.close()
    let damaged = Result { try StoreAdministration.check(fixture.directory.storePath) {} }
    switch damaged {
    case .success(let problems): #expect(!problems.isEmpty)
    case .failure(let error): #expect((error as? StoreError)?.code == .corrupt)
    }
  }

  @Test func aGroupMayReadAndNobodyElse() throws {
    let directory = try TemporaryDirectory("group")
    let path = directory.path + "/deep/down/store.sqlite"
    let clock = SteppedHostClock()
    func open(_ access: StoreAccess) throws -> CollectorStore {
      try CollectorStore.open(at: path, clock: clock, options: .init(bootID: "b", access: access))
    }
    func mode(_ file: String) throws -> Int {
      try #require(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int)
    }
    let group = getgid()
    let store = try open(.group(group))
    try store.recordPresence(staysAfterRun: true)
    for suffix in ["", "-wal", "-shm", ".lock"] { #expect(try mode(path + suffix) == 0o640, "\(suffix)") }
    #expect(try mode(directory.path + "/deep") == 0o750 && mode(directory.path + "/deep/down") == 0o750)
    store.close()
    // Whoever cares for it by hand leaves it as it is; a collector without a group takes it back.
    try open(.kept).close()
    #expect(try mode(path) == 0o640)
    try open(.owner).close()
    #expect(try mode(path) == 0o600)
  }
}
