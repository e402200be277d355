import Foundation
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import TUI

@Suite("Other runs than the newest")
struct RunsReadingTests {
  /// Two runs of one and two notifications, the second one going on.
  private static func fixture() throws -> (RecordedStore, first: RunID, second: RunID) {
    let fixture = try RecordedStore()
    let first = try fixture.begin()
    try fixture.commit(inserted: [fixture.delivered(1)])
    try fixture.end()
    fixture.clock.advance(by: .seconds(60))
    let second = try fixture.begin(targets: ["a"])
    try fixture.commit(inserted: [fixture.delivered(1), fixture.delivered(2, at: 10)])
    return (fixture, first, second)
  }

  /// A source by reference, so that it can be asked inside of expectations.
  private final class Watcher {
    private var source: SnapshotSource

    init(_ fixture: RecordedStore) {
      source = SnapshotSource(
        place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID)
    }

    func poll(_ request: ReadRequest?) -> Snapshot? { source.poll(request) }

    func follow(_ subject: Subject, wantsRuns: Bool) { source.follow(subject, wantsRuns: wantsRuns) }
  }

  @Test("the list of runs is read while it is wanted, the newest first")
  func list() throws {
    let (fixture, first, second) = try Self.fixture()
    let source = Watcher(fixture)
    #expect(source.poll(nil)?.runs.isEmpty == true)
    source.follow(Subject(), wantsRuns: true)
    let snapshot = try #require(source.poll(nil))
    #expect(snapshot.runs.map(\.id) == [second, first])
    #expect(snapshot.runs.map { $0.counts[.delivered] } == [2, 1])
    #expect(snapshot.runs[0].phase == .live)
    guard case .ended = snapshot.runs[1].phase else {
      Issue.record("the first run has ended")
      return
    }
    #expect(snapshot.runs[1].targets == ["loopback"])
    // What changes is seen again a second later, not at every look.
    try fixture.commit(inserted: [fixture.delivered(3, at: 20)])
    #expect(source.poll(nil)?.runs.first?.counts[.delivered] == 2)
    fixture.clock.advance(by: .seconds(1))
    #expect(source.poll(nil)?.runs.first?.counts[.delivered] == 3)
  }

  @Test("another run is shown when it is asked for, with the one that is recorded, and the newest again")
  func change() throws {
    let (fixture, first, second) = try Self.fixture()
    let source = Watcher(fixture)
    #expect(source.poll(nil)?.run?.id == second)
    source.follow(Subject(run: first, target: nil), wantsRuns: false)
    let past = try #require(source.poll(nil))
    #expect(past.run?.id == first && past.tracks[0].count == 1 && past.targets.map(\.name) == ["loopback"])
    #expect(past.recording?.id == second)
    source.follow(Subject(), wantsRuns: false)
    let newest = try #require(source.poll(nil))
    #expect(newest.run?.id == second && newest.tracks[0].count == 2 && newest.recording == nil)
  }
}
