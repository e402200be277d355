import FoundationEssentials
import Glibc
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing
import Threads

@testable import Analyst
@testable import Configuration

/// An ``AnalystLink`` whose requests a thread carries out in a store, as the collector does.
private final class LinkedStore: Sendable {
  let fixture: StoreFixture
  let link: AnalystLink
  private let output: Int32

  init() throws {
    fixture = try StoreFixture()
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let input = ends[0]
    output = ends[1]
    let start = AnalystStart(
      storePath: fixture.store.path, collectorID: fixture.store.collectorID,
      revisionAtStart: fixture.store.revisionAtStart,
      settings: AnalystSettings(
        PushscopeConfiguration(collector: CollectorConfiguration(), targets: [], file: "")),
      switchedOff: [])
    let link = try AnalystLink(start, output: PipeOutput(output))
    self.link = link
    try DedicatedThread.start(name: "collector") { [store = fixture.store] in
      var buffer = MessageBuffer()
      var chunk = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(input, &chunk, chunk.count)
        guard count > 0 else { break }
        buffer.append(chunk[..<count])
        while let message = (try? buffer.next(AnalystMessage.self)) ?? nil {
          guard case .request(let request) = message else { continue }
          link.deliver(request.perform(in: store))
        }
      }
      close(input)
    }
  }

  deinit { close(output) }
}

@Suite("The store through the pipe is the store") struct AnalystLinkTests {
  @Test("what is saved through it is in the store, from several threads at once") func saves() async throws {
    let linked = try LinkedStore()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<20 {
        group.addTask {
          var changes = ObjectiveChanges()
          changes.alerts = [
            AlertRecord(
              id: "alert-\(index)", fingerprint: "f", kind: .finding, labels: ["a": "b"], annotations: [:],
              startedAt: WallTime(microseconds: Int64(index)))
          ]
          changes.run = linked.fixture.run
          changes.events = [
            Event(at: WallTime(microseconds: Int64(index)), kind: .thresholdCrossed, detail: "e\(index)")
          ]
          try? linked.link.save(changes)
        }
      }
    }
    let reader = try linked.fixture.reader()
    #expect(Set(try reader.alerts().map(\.id)) == Set((0..<20).map { "alert-\($0)" }))
  }

  @Test("cursor and new revisions come back through it") func forwarding() throws {
    let linked = try LinkedStore()
    let (link, fixture) = (linked.link, linked.fixture)
    try link.expectForwarding(at: "here")
    let cursor = try link.beginForwarding(to: "fleet", at: "here")
    #expect(cursor.revision == 0)
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 2_500))
    try link.moveForwardCursor(of: "fleet", to: 1)
    var rest: Renumbering? = try link.beginRenumbering(after: 0, above: 1_000_000, runs: [])
    var steps = 0
    while let next = rest {
      rest = try link.advance(next)
      steps += 1
    }
    #expect(steps > 10)
    #expect(try fixture.reader().revision() > 1_002_500)
    try link.resumeForwarding("fleet")
  }

  @Test("the store's error is the caller's") func errors() throws {
    let linked = try LinkedStore()
    linked.fixture.store.close()
    let error = #expect(throws: StoreError.self) { try linked.link.resetDetectors() }
    #expect(error?.code == .closed)
  }
}
