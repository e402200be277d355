import Foundation
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
    let bench = try Bench()
    let reader = try bench.reader()
    _ = try reader.runs()
    let held = try locks(on: bench.scratch.store)
    #expect(held > 0)
    for _ in 0..<3 {
      let second = try bench.reader()
      _ = try second.runs()
      second.close()
      #expect(try StoreFile(path: bench.scratch.store).look() == .database)
      #expect(StoreFile(path: bench.scratch.store).storedVersion == nil)
    }
    let desk = ControlClient(storePath: bench.scratch.store, clock: bench.clock)
    let ticket = try desk.submit(.stop)
    #expect(try desk.outcome(of: ticket) == .waiting)
    #expect(try locks(on: bench.scratch.store) == held)
    withExtendedLifetime(reader) {}
  }

  @Test func aStoreThatIsClosedIsLookedIntoAgain() throws {
    let bench = try Bench()
    let scratch = bench.scratch
    #expect(StoreFile(path: scratch.store).storedVersion == nil)
    bench.store.close()
    #expect(try StoreReader.open(at: scratch.store).runs().count == 1)
  }
}
