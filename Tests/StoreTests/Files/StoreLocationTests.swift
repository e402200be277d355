import Foundation
import Measurement
import Testing

@testable import Store

/// A file that is moved, deleted or replaced goes on taking commits. Whoever wrote them must hear of it.
@Suite struct StoreLocationTests {
  /// What somebody does to the files of a store.
  enum Accident: CaseIterable {
    case moved, deleted, replaced, directoryMoved, logDeleted

    func happen(to scratch: Scratch) throws {
      let manager = FileManager.default
      switch self {
      case .moved: try manager.moveItem(atPath: scratch.store, toPath: scratch.file("moved.sqlite"))
      case .deleted: try manager.removeItem(atPath: scratch.store)
      case .replaced:
        try manager.moveItem(atPath: scratch.store, toPath: scratch.file("moved.sqlite"))
        let other = try CollectorStore.open(
          at: scratch.file("other.sqlite"), clock: SteppedClock(), options: .init(bootID: Bench.bootID))
        other.close()
        try manager.moveItem(atPath: scratch.file("other.sqlite"), toPath: scratch.store)
      case .directoryMoved:
        try manager.moveItem(atPath: scratch.path, toPath: scratch.path + "-moved")
      case .logDeleted: try manager.removeItem(atPath: scratch.store + "-wal")
      }
    }

    /// Where the store is then.
    func place(_ scratch: Scratch) -> String? {
      switch self {
      case .moved, .replaced: scratch.file("moved.sqlite")
      case .deleted: nil
      case .directoryMoved: scratch.path + "-moved/test.sqlite"
      case .logDeleted: scratch.store
      }
    }
  }

  @Test(arguments: Accident.allCases)
  func aCommitThatNobodyWouldFindFails(accident: Accident) throws {
    let bench = try Bench()
    defer { try? FileManager.default.removeItem(atPath: bench.scratch.path + "-moved") }
    let plans = bench.plans(bench.alpha, count: 5)
    try bench.commit(inserted: plans)
    try accident.happen(to: bench.scratch)
    let error = #expect(throws: StoreError.self) { try bench.commit(updated: [plans[0].asSent]) }
    #expect(error?.code == .replaced)
    #expect(error?.isTransient == false)
    let idle = #expect(throws: StoreError.self) { try bench.store.notePresence(serves: true) }
    #expect(idle?.code == .replaced)
    // The run is closed in the file that was open, which then holds all that was written to it.
    bench.clock.advance(seconds: 1)
    try bench.store.endRun(bench.run, at: bench.clock.wallNow(), reason: .failed)
    bench.store.close()
    guard let place = accident.place(bench.scratch) else { return }
    let kept = try StoreReader.open(at: place)
    #expect(try kept.run(bench.run)?.endReason == .failed)
    #expect(try kept.run(bench.run)?.counts[.interrupted] == 5)
  }

  /// A log that is left beside a store that was put in its place must not be played into it.
  @Test func whatWasPutInItsPlaceStaysAsItIs() throws {
    let bench = try Bench()
    try bench.commit(inserted: bench.plans(bench.alpha, count: 200))
    try Accident.replaced.happen(to: bench.scratch)
    #expect(throws: StoreError.self) { try bench.commit() }
    bench.store.close()
    let reader = try StoreReader.open(at: bench.scratch.store)
    #expect(try reader.runs().isEmpty)
    #expect(reader.collectorID != bench.store.collectorID)
  }

  @Test func aStoreThatStaysWhereItIsIsWrittenOn() throws {
    let bench = try Bench()
    for step in 0..<20 {
      try bench.commit(inserted: bench.plans(bench.alpha, from: Int64(step * 100 + 1), count: 100))
      try bench.reader().close()
    }
    #expect(try bench.reader().latestRun()?.counts.planned == 2_000)
    bench.store.close()
  }
}
