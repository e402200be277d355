import Foundation
import Measurement
import Store
import StoreTestKit
import Synchronization
import TestKit
import Testing

/// Says from one task to others that something is over.
private final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .acquiring) }

  func set() { value.store(true, ordering: .releasing) }
}

/// A reader that follows the revision has, in the end, what the store has.
@Suite struct ChangesTests {
  /// What a screen keeps of a store, fed by changes alone.
  private struct Mirror {
    var cursor: Int64 = 0
    var points: [SampleID: SamplePoint] = [:]

    /// Reads on until nothing more has changed.
    mutating func follow(_ reader: StoreReader, limit: Int) throws {
      while true {
        let page = try reader.changedPoints(after: cursor, limit: limit)
        #expect(page.rows.count <= limit)
        #expect(page.next >= cursor)
        for row in page.rows { points[row.id] = row.point }
        cursor = page.next
        if page.isComplete { return }
      }
    }
  }

  private func everything(_ reader: StoreReader) throws -> [SampleID: SamplePoint] {
    var all: [SampleID: SamplePoint] = [:]
    try reader.forEachSample(RowSelection()) { all[$0.id] = SamplePoint($0.sample) }
    return all
  }

  @Test(arguments: 1...3)
  func missesNoLateChange(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let fixture = try StoreFixture()
    let reader = try fixture.reader()
    var mirror = Mirror()
    var samples: [Sample] = []
    for _ in 0..<40 {
      let plans = fixture.plans(fixture.alpha, from: Int64(samples.count + 1), count: 30)
      let old = samples.count
      samples += plans
      var updated: [Sample] = []
      for index in 0..<old where Int.random(in: 0..<8, using: &generator) == 0 {
        samples[index] = samples[index].asDelivered(Int64.random(in: 1...90_000, using: &generator))
        updated.append(samples[index])
      }
      try fixture.commit(inserted: plans, updated: updated)
      if Bool.random(using: &generator) {
        // A page at a time, and not always to the end.
        let page = try reader.changedPoints(after: mirror.cursor, limit: 17)
        for row in page.rows { mirror.points[row.id] = row.point }
        mirror.cursor = page.next
      }
    }
    try mirror.follow(reader, limit: 64)
    #expect(mirror.points == Dictionary(uniqueKeysWithValues: samples.map { ($0.id, SamplePoint($0)) }))
  }

  @Test func twoReadersKeepUpWithAWriter() async throws {
    let fixture = try StoreFixture()
    let isDone = Flag()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          let reader = try fixture.reader()
          var mirror = Mirror()
          var isLast = false
          repeat {
            isLast = isDone.isSet
            if try reader.hasChanged() { try mirror.follow(reader, limit: 500) }
            let page = try reader.lastPoints(of: [fixture.alpha], limit: 100)
            // Whole batches only: what was planned together is seen together.
            #expect((page.points.last?.id.sequence ?? 0) % 50 == 0)
            await Task.yield()
          } while !isLast
          try mirror.follow(reader, limit: 500)
          #expect(mirror.points.count == 10_000)
          #expect(try mirror.points == self.everything(reader))
          #expect(mirror.points.values.allSatisfy { $0.state == .delivered })
        }
      }
      group.addTask {
        for round in 0..<200 {
          let plans = fixture.plans(fixture.alpha, from: Int64(round * 50 + 1), count: 50)
          try fixture.commit(inserted: plans)
          try fixture.commit(updated: plans.map { $0.asDelivered() })
          await Task.yield()
        }
        isDone.set()
      }
      try await group.waitForAll()
    }
  }

  @Test func pagesOfRecordsGoOnWhereTheyEnded() throws {
    let fixture = try StoreFixture()
    let at = fixture.clock.wallNow()
    let events = (1...25).map { Event(at: at, kind: .lost, sequence: Int64($0)) }
    try fixture.commit(events: events)
    let reader = try fixture.reader()
    var cursor: Int64 = 0
    var seen: [Event] = []
    var pages = 0
    while true {
      let page = try reader.changes(Event.self, after: cursor, limit: 10)
      seen += page.rows.map(\.event)
      cursor = page.next
      pages += 1
      if page.isComplete { break }
    }
    #expect(seen == events)
    #expect(pages == 3)
    #expect(cursor == (try reader.revision()))
    let last = try reader.last(Event.self, of: fixture.run, limit: 4)
    #expect(last.rows.map(\.event) == Array(events.suffix(4)))
    try fixture.commit(log: [LogLine(at: at, level: .info, label: "a", message: "b")])
    #expect(try reader.changes(Event.self, after: last.next, limit: 10).rows.isEmpty)
    #expect(try reader.changes(LogLine.self, after: last.next, limit: 10).rows.count == 1)
    #expect(try reader.last(LogLine.self, of: fixture.run, limit: 10).rows.map(\.line.message) == ["b"])
  }

  @Test("events stand in the order of their times, also those that are written about the past")
  func eventsByTime() throws {
    let fixture = try StoreFixture()
    let start = fixture.clock.wallNow()
    func at(_ second: Int64) -> WallTime { start.advanced(byMicroseconds: second * 1_000_000) }
    try fixture.commit(events: (1...20).map { Event(at: at($0), kind: .lost, sequence: $0) })
    try fixture.commit(events: [
      Event(at: at(5), kind: .annotation, detail: "deploy"), Event(at: at(21), kind: .lost, sequence: 21),
    ])
    let reader = try fixture.reader()
    let until = try reader.last(Event.self, of: fixture.run, through: RecordPlace(endOf: at(7)), limit: 4)
      .rows
    #expect(until.map(\.event.kind) == [.lost, .annotation, .lost, .lost])
    #expect(until.map(\.event.sequence) == [5, nil, 6, 7])
    let note = RecordPlace(at: until[1].event.at, revision: until[1].revision)
    #expect(try reader.count(Event.self, of: fixture.run, before: note) == 5)
    #expect(try reader.count(Event.self, of: fixture.run) == 22)
    #expect(
      try reader.first(Event.self, of: fixture.run, after: note, limit: 2).map(\.event.sequence) == [6, 7])
    #expect(try reader.last(Event.self, of: fixture.run, limit: 1).rows.map(\.event.sequence) == [21])
  }

  @Test func tellsWhetherAnythingWasCommitted() throws {
    let fixture = try StoreFixture()
    let reader = try fixture.reader()
    #expect(try reader.hasChanged())
    #expect(try reader.hasChanged() == false)
    try fixture.commit()
    #expect(try reader.hasChanged())
    #expect(try reader.hasChanged() == false)
  }
}
