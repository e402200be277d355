import Foundation
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

/// A file that is moved, deleted or replaced goes on taking commits. Whoever wrote them must hear of it.
@Suite struct StoreLocationTests {
  /// What somebody does to the files of a store.
  enum Accident: CaseIterable {
    case moved, deleted, replaced, directoryMoved, logDeleted

    func happen(to directory: TemporaryDirectory) throws {
      let manager = FileManager.default
      switch self {
      case .moved: try manager.moveItem(atPath: directory.storePath, toPath: directory.file("moved.sqlite"))
      case .deleted: try manager.removeItem(atPath: directory.storePath)
      case .replaced:
        try manager.moveItem(atPath: directory.storePath, toPath: directory.file("moved.sqlite"))
        let other = try CollectorStore.open(
          at: directory.file("other.sqlite"), clock: SteppedHostClock(),
          options: .init(bootID: StoreFixture.bootID))
        other.close()
        try manager.moveItem(atPath: directory.file("other.sqlite"), toPath: directory.storePath)
      case .directoryMoved:
        try manager.moveItem(atPath: directory.path, toPath: directory.path + "-moved")
      case .logDeleted: try manager.removeItem(atPath: directory.storePath + "-wal")
      }
    }

    /// Where the store is then.
    func place(_ directory: TemporaryDirectory) -> String? {
      switch self {
      case .moved, .replaced: directory.file("moved.sqlite")
      case .deleted: nil
      case .directoryMoved: directory.path + "-moved/test.sqlite"
      case .logDeleted: directory.storePath
      }
    }
  }

  @Test(arguments: Accident.allCases)
  func aCommitThatNobodyWouldFindFails(accident: Accident) throws {
    let fixture = try StoreFixture()
    defer { try? FileManager.default.removeItem(atPath: fixture.directory.path + "-moved") }
    let plans = fixture.plans(fixture.alpha, count: 5)
    try fixture.commit(inserted: plans)
    try accident.happen(to: fixture.directory)
    let error = #expect(throws: StoreError.self) { try fixture.commit(updated: [plans[0].asSent]) }
    #expect(error?.code == .replaced)
    #expect(error?.isTransient == false)
    let idle = #expect(throws: StoreError.self) { try fixture.store.recordPresence(staysAfterRun: true) }
    #expect(idle?.code == .replaced)
    // The run is closed in the file that was open, which then holds all that was written to it.
    fixture.clock.advance(by: .seconds(1))
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .failed)
    fixture.store.close()
    guard let place = accident.place(fixture.directory) else { return }
    let kept = try StoreReader.open(at: place)
    #expect(try kept.run(fixture.run)?.endReason?.word == .failed)
    #expect(try kept.run(fixture.run)?.counts[.interrupted] == 5)
  }

  /// A log that is left beside a store that was put in its place must not be played into it.
  @Test func whatWasPutInItsPlaceStaysAsItIs() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 200))
    try Accident.replaced.happen(to: fixture.directory)
    #expect(throws: StoreError.self) { try fixture.commit() }
    fixture.store.close()
    let reader = try StoreReader.open(at: fixture.directory.storePath)
    #expect(try reader.runs().isEmpty)
    #expect(reader.collectorID != fixture.store.collectorID)
  }

  @Test func aStoreThatStaysWhereItIsIsWrittenOn() throws {
    let fixture = try StoreFixture()
    for step in 0..<20 {
      try fixture.commit(inserted: fixture.plans(fixture.alpha, from: Int64(step * 100 + 1), count: 100))
      try fixture.reader().close()
    }
    #expect(try fixture.reader().latestRun()?.counts.planned == 2_000)
    fixture.store.close()
  }
}

/// A reader must not lose its locks because somebody in its process looks at the same file once more.
@Suite struct OpenStoreTests {
  /// Locks of this process on a file, as the kernel lists them.
  private func locks(on path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    let inode = try #require(attributes[.systemFileNumber] as? Int)
    let pid = ProcessInfo.processInfo.processIdentifier
    return try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
      .filter { $0.contains("POSIX") && $0.contains(" \(pid) ") && $0.contains(":\(inode) ") }.count
  }

  @Test func aSecondLookLeavesTheLocksAlone() throws {
    let fixture = try StoreFixture()
    let reader = try fixture.reader()
    _ = try reader.runs()
    let held = try locks(on: fixture.directory.storePath)
    #expect(held > 0)
    for _ in 0..<3 {
      let second = try fixture.reader()
      _ = try second.runs()
      second.close()
      #expect(try StoreFile(path: fixture.directory.storePath).content() == .database)
      #expect(StoreFile(path: fixture.directory.storePath).storedVersion == nil)
    }
    let client = ControlClient(storePath: fixture.directory.storePath, clock: fixture.clock)
    let submission = try client.submit(.stop)
    #expect(try client.outcome(of: submission) == .waiting)
    #expect(try locks(on: fixture.directory.storePath) == held)
    withExtendedLifetime(reader) {}
  }

  @Test func aStoreThatIsClosedIsLookedIntoAgain() throws {
    let fixture = try StoreFixture()
    let directory = fixture.directory
    #expect(StoreFile(path: directory.storePath).storedVersion == nil)
    fixture.store.close()
    #expect(try StoreReader.open(at: directory.storePath).runs().count == 1)
  }
}
