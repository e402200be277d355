import Foundation
import StoreTestKit
import TestKit
import Testing

@testable import Store

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
      #expect(try StoreFile(path: fixture.directory.storePath).look() == .database)
      #expect(StoreFile(path: fixture.directory.storePath).storedVersion == nil)
    }
    let desk = ControlClient(storePath: fixture.directory.storePath, clock: fixture.clock)
    let ticket = try desk.submit(.stop)
    #expect(try desk.outcome(of: ticket) == .waiting)
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
