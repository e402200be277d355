import ConstraintAnimation
import Foundation
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store
@testable import TUI

@Suite("Snapshots follow the store")
struct SnapshotSourceTests {
  /// A source by reference, so that it can be asked inside of expectations.
  private final class Watcher {
    private var source: SnapshotSource

    init(_ source: SnapshotSource) { self.source = source }

    func poll(_ request: ReadRequest?) -> Snapshot? { source.poll(request) }

    func show(_ place: ListsPlace) { source.show(place) }

    var isReading: Bool { source.isReading }

    var isLive: Bool { source.isLive }
  }

  private static func source(_ fixture: RecordedStore, run: RunID? = nil, target: String? = nil) -> Watcher {
    Watcher(
      SnapshotSource(
        place: .store(fixture.path), subject: Subject(run: run, target: target), clock: fixture.clock,
        bootID: fixture.bootID))
  }

  private static func row(_ sample: Sample) -> PointRow {
    PointRow(id: sample.id, point: SamplePoint(sample))
  }

  @Test("no store, then an empty one, then a run: each is seen without being asked twice")
  func appears() throws {
    let fixture = try RecordedStore()
    let source = Self.source(fixture)
    #expect(source.poll(nil)?.condition == .missing)
    #expect(source.poll(nil) == nil)
    try fixture.open()
    #expect(source.poll(nil)?.condition == .empty)
    #expect(source.poll(nil) == nil)
    let run = try fixture.begin(targets: ["b", "a"])
    let snapshot = try #require(source.poll(nil))
    #expect(snapshot.condition == .ready && snapshot.run?.id == run && snapshot.run?.phase == .live)
    #expect(snapshot.targets.map(\.name) == ["a", "b"])
    #expect(source.isLive)
  }

  @Test("planned, sent, accepted, delivered, lost: each change arrives, late ones too")
  func follows() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let source = Self.source(fixture)
    _ = source.poll(nil)
    var samples = (1...20).map { fixture.sample(Int64($0), at: Int64($0) * 10) }
    try fixture.commit(inserted: samples)
    var snapshot = try #require(source.poll(nil))
    #expect(snapshot.tracks[0].count == 20 && snapshot.totals[0].due == 0)
    for index in samples.indices {
      samples[index].state = .inFlight
      samples[index].attempt = 1
      samples[index].scheduleLag = 40
    }
    try fixture.commit(updated: samples)
    snapshot = try #require(source.poll(nil))
    #expect(snapshot.totals[0][.inFlight] == 20 && snapshot.tracks[0][7].isSent)
    try fixture.commit(updated: [fixture.delivered(3, at: 30, after: 1_204_000)])
    snapshot = try #require(source.poll(nil))
    #expect(snapshot.tracks[0][2].deliveryLatency == 1_204_000 && snapshot.totals[0][.delivered] == 1)
    var lost = samples[4]
    lost.state = .lost
    try fixture.commit(updated: [lost])
    snapshot = try #require(source.poll(nil))
    #expect(snapshot.tracks[0][4].state == .lost)
    var late = fixture.delivered(5, at: 50, after: 40_000_000)
    late.state = .late
    try fixture.commit(updated: [late])
    snapshot = try #require(source.poll(nil))
    #expect(snapshot.tracks[0][4].state == .late && snapshot.totals[0][.lost] == 0)
  }

  @Test("whatever is written in whatever order, the tracks are what a fresh reader finds")
  func property() throws {
    let fixture = try RecordedStore()
    try fixture.begin(targets: ["a", "b", "c"])
    let source = Self.source(fixture)
    var generator = SeededGenerator(seed: 15)
    var next: [Int64] = [1, 1, 1]
    var latest: Snapshot?
    for _ in 0..<60 {
      var inserted: [Sample] = []
      for target in 0..<3 where Bool.random(using: &generator) {
        for _ in 0..<Int.random(in: 1...300, using: &generator) {
          inserted.append(fixture.sample(next[target], target: target, at: next[target] * 10))
          next[target] += 1
        }
      }
      try fixture.commit(inserted: inserted.sorted { $0.id < $1.id })
      var updated: [SampleID: Sample] = [:]
      for _ in 0..<40 {
        let target = Int.random(in: 0..<3, using: &generator)
        guard next[target] > 1 else { continue }
        let sequence = Int64.random(in: 1..<next[target], using: &generator)
        let sample = fixture.delivered(
          sequence, target: target, at: sequence * 10, after: .random(in: 1...900_000, using: &generator))
        updated[sample.id] = sample
      }
      try fixture.commit(updated: updated.values.sorted { $0.id < $1.id })
      if Int.random(in: 0..<3, using: &generator) > 0 { latest = source.poll(nil) ?? latest }
    }
    latest = source.poll(nil) ?? latest
    let fresh = Self.source(fixture)
    let expected = try #require(
      fresh.poll(ReadRequest(from: WallTime(microseconds: 0), to: nil, tick: .seconds(1))))
    let found = try #require(latest)
    for target in 0..<3 {
      let (one, other) = (found.tracks[target], expected.tracks[target])
      let shared = min(one.count, other.count)
      #expect(one.endSequence == other.endSequence && shared > 1_000)
      let isSame = (1...shared).allSatisfy { one[one.count - $0] == other[other.count - $0] }
      #expect(isSame)
    }
    #expect(found.totals == expected.totals)
  }

  @Test("an idle store costs a look, not a snapshot; time shows when it moves the edge by a column")
  func idle() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    try fixture.commit(inserted: [fixture.sample(1)], updated: [])
    let source = Self.source(fixture)
    let request = ReadRequest(from: WallTime(microseconds: 0), to: nil, tick: .seconds(1))
    // To the start of a second, then less than one of them.
    fixture.clock.advance(by: .milliseconds(750))
    _ = source.poll(request)
    #expect(source.poll(request) == nil)
    fixture.clock.advance(by: .milliseconds(400))
    #expect(source.poll(request) == nil)
    // A heartbeat alone changes nothing that is shown.
    try fixture.commit()
    #expect(source.poll(request) == nil)
    fixture.clock.advance(by: .milliseconds(350))
    #expect(source.poll(request) != nil)
  }

  @Test(
    "what stands behind the counts is read a few times a second, and at last also when nothing more comes")
  func facts() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    try fixture.commit(inserted: [fixture.delivered(1)])
    let source = Self.source(fixture)
    _ = source.poll(nil)
    _ = try fixture.collector?.commit(
      WriteBatch(run: fixture.run?.run, inserted: [fixture.delivered(2, at: 10)]))
    let soon = try #require(source.poll(nil))
    #expect(soon.tracks[0].count == 2 && soon.totals[0].due == 1)
    #expect(source.poll(nil) == nil)
    fixture.clock.advance(by: StoreFollower.runInterval)
    #expect(source.poll(nil)?.totals[0].due == 2)
    #expect(source.poll(nil) == nil)
  }

  @Test("a run and who records it come together and go together")
  func presence() throws {
    let fixture = try RecordedStore()
    try fixture.open()
    let source = Self.source(fixture)
    #expect(source.poll(nil)?.collector?.isIdle == true)
    let run = try fixture.begin()
    let begun = try #require(source.poll(nil))
    #expect(begun.run?.isLive == true && begun.collector?.run == run)
    try fixture.end()
    fixture.clock.advance(by: StoreFollower.runInterval)
    let ended = try #require(source.poll(nil))
    #expect(ended.run?.isLive == false && ended.collector?.isIdle == true)
  }

  @Test("a collector that falls silent is said to be gone, with its age; its return is seen")
  func silence() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    try fixture.commit(inserted: [fixture.sample(1)])
    let heard = fixture.clock.wallNow()
    let source = Self.source(fixture)
    #expect(source.poll(nil)?.run?.phase == .live)
    fixture.clock.advance(by: RunPhase.silence + .milliseconds(1))
    #expect(source.poll(nil)?.run?.phase == .silent(since: heard))
    #expect(source.poll(nil) == nil && !source.isLive)
    fixture.clock.advance(by: .seconds(1))
    #expect(source.poll(nil)?.run?.phase == .silent(since: heard))
    try fixture.commit()
    #expect(source.poll(nil)?.run?.phase == .live)
  }

  @Test("the end of a run is seen, and so is the next run; a run that was asked for by its id stays")
  func runs() throws {
    let fixture = try RecordedStore()
    let first = try fixture.begin()
    try fixture.commit(inserted: [fixture.delivered(1)])
    let following = Self.source(fixture)
    let fixed = Self.source(fixture, run: first)
    _ = following.poll(nil)
    _ = fixed.poll(nil)
    try fixture.end(.stopped)
    let ended = try #require(following.poll(nil))
    #expect(ended.run?.phase == .ended(at: fixture.clock.wallNow(), reason: "stopped"))
    #expect(fixed.poll(nil) != nil)
    fixture.clock.advance(by: .seconds(60))
    let second = try fixture.begin(targets: ["other"])
    try fixture.commit(inserted: [fixture.delivered(1), fixture.delivered(2)])
    let next = try #require(following.poll(nil))
    #expect(next.run?.id == second && next.targets.map(\.name) == ["other"] && next.tracks[0].count == 2)
    let stays = try #require(fixed.poll(nil))
    #expect(stays.run?.id == first && stays.recording?.id == second)
    #expect(fixed.poll(nil) == nil)
  }

  @Test("one target alone; a wrong name or run is said with what there is")
  func subjects() throws {
    let fixture = try RecordedStore()
    try fixture.begin(targets: ["a", "b"])
    try fixture.commit(inserted: [fixture.delivered(1, target: 0), fixture.delivered(1, target: 1)])
    let one = Self.source(fixture, target: "b")
    let snapshot = try #require(one.poll(nil))
    #expect(snapshot.targets.map(\.name) == ["b"] && snapshot.tracks.count == 1 && snapshot.totals.count == 1)
    let wrong = Self.source(fixture, target: "c")
    #expect(wrong.poll(nil)?.condition == .noSuchTarget("c", available: ["a", "b"]))
    var generator = SeededGenerator(seed: 1)
    let unknown = RunID(at: fixture.clock.wallNow(), using: &generator)
    let none = Self.source(fixture, run: unknown)
    #expect(none.poll(nil)?.condition == .noSuchRun("\(unknown)"))
  }

  @Test("the first look reads little; a window in the past is fetched, kept up to date, and let go")
  func history() throws {
    let fixture = try RecordedStore()
    try fixture.begin(rate: 100)
    let start = fixture.clock.wallNow()
    try fixture.commit(inserted: (1...9_000).map { fixture.delivered($0, at: $0 * 10) })
    let source = Self.source(fixture)
    let first = try #require(source.poll(nil))
    #expect(first.tracks[0].count == PointWindow.firstLook && first.tracks[0].endSequence == 9_001)
    let past = ReadRequest(
      from: start.advanced(byMicroseconds: 10_000_000), to: start.advanced(byMicroseconds: 20_000_000),
      tick: .milliseconds(100))
    let shown = try #require(source.poll(past))
    #expect(shown.tracks[0].firstSequence == 1_000 && shown.tracks[0].count == 1_000)
    #expect(shown.request == past && !shown.isTruncated)
    try fixture.commit(updated: [fixture.delivered(1_500, at: 15_000, after: 77)])
    #expect(source.poll(past)?.tracks[0][500].deliveryLatency == 77)
    let whole = ReadRequest(from: start, to: nil, tick: .milliseconds(100))
    let all = try #require(source.poll(whole))
    #expect(all.tracks[0].count == 9_000 && all.tracks[0].firstSequence == 1)
    #expect(all.tracks[0][1_499].deliveryLatency == 77)
    #expect(source.poll(whole) == nil)
  }

  @Test("after a long pause changes come in the order of their revisions, and nothing is let go for that")
  func pause() throws {
    let fixture = try RecordedStore()
    try fixture.begin(targets: ["a", "b"], rate: 100)
    let start = fixture.clock.wallNow()
    try fixture.commit(inserted: (1...6_000).map { fixture.delivered($0, at: $0 * 10) })
    let source = Self.source(fixture)
    let request = ReadRequest(from: start, to: nil, tick: .milliseconds(100))
    _ = source.poll(request)
    // While nobody looks much is planned, and what was planned first is answered last.
    for block in 0..<12 {
      let first = 6_001 + Int64(block) * 500
      try fixture.commit(inserted: (first..<first + 500).map { fixture.sample($0, at: $0 * 10) })
    }
    for sequence in stride(from: Int64(9_000), to: 6_000, by: -100) {
      try fixture.commit(
        updated: (sequence - 99...sequence).map { fixture.delivered($0, at: $0 * 10, after: 77) })
    }
    let after = try #require(source.poll(request))
    #expect(after.tracks[0].firstSequence == 1 && after.tracks[0].count == 12_000)
    #expect(after.tracks[1].isEmpty)
    #expect(!after.isTruncated && after.covered.includes(from: start, to: fixture.clock.wallNow()))
    for sequence in [6_001, 7_777, 9_000] {
      #expect(after.tracks[0][sequence - 1].deliveryLatency == 77)
    }
    #expect(after.tracks[0][9_000].state == .planned)
  }

  @Test("points that are missing in between are read anew, all that the picture asks for")
  func gap() throws {
    let fixture = try RecordedStore()
    try fixture.begin(rate: 100)
    let start = fixture.clock.wallNow()
    try fixture.commit(inserted: (1...9_000).map { fixture.delivered($0, at: $0 * 10) })
    let source = Self.source(fixture)
    let request = ReadRequest(from: start, to: nil, tick: .milliseconds(100))
    _ = source.poll(request)
    // As other hands would: a number is left out.
    try fixture.commit(inserted: (9_002...9_010).map { fixture.delivered($0, at: $0 * 10) })
    let after = try #require(source.poll(request))
    #expect(after.tracks[0].endSequence == 9_011 && !after.isTruncated)
  }

  @Test("so many changes that they are better read anew are not collected")
  func behind() throws {
    let target = TargetID(rawValue: 1)
    let fixture = try RecordedStore()
    try fixture.begin()
    var window = PointWindow(
      targets: [target], page: PointPage(points: [], revision: 0, isTruncated: false))
    window.add(Self.row(fixture.delivered(1)))
    let isWhole = window.settle()
    #expect(isWhole)
    for sequence in 3...Int64(PointWindow.capacity) + 3 where !window.isBehind {
      window.add(Self.row(fixture.delivered(sequence, at: sequence)))
    }
    #expect(window.isBehind)
    let isComplete = window.settle()
    #expect(!isComplete && !window.isBehind)
  }

  @Test("a store that is replaced or deleted while it is shown is noticed, said, and its successor opened")
  func replaced() throws {
    let fixture = try RecordedStore()
    let first = try fixture.begin()
    try fixture.commit(inserted: [fixture.delivered(1)])
    let source = Self.source(fixture)
    #expect(source.poll(nil)?.run?.id == first)
    fixture.close()
    let other = try RecordedStore()
    let second = try other.begin(targets: ["other"])
    try other.commit(inserted: [other.delivered(1), other.delivered(2, at: 10)])
    try other.end()
    other.close()
    try FileManager.default.moveItem(atPath: fixture.path, toPath: fixture.path + ".old")
    let gone = try #require(source.poll(nil))
    #expect(gone.condition == .gone && gone.replacements == 0)
    #expect(source.poll(nil) == nil)
    // Back at its place it is no other store.
    try FileManager.default.moveItem(atPath: fixture.path + ".old", toPath: fixture.path)
    let back = try #require(source.poll(nil))
    #expect(back.condition == .ready && back.run?.id == first && back.replacements == 0)
    // Replaced at one stroke.
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: fixture.path + suffix) }
    #expect(rename(other.path, fixture.path) == 0)
    let replaced = try #require(source.poll(nil))
    #expect(replaced.condition == .ready && replaced.run?.id == second && replaced.replacements == 1)
    #expect(replaced.targets.map(\.name) == ["other"] && replaced.tracks[0].count == 2)
    var listed = back
    listed.runs = RunsPanelTests.entries(2)
    listed.runs[1].id = first
    var stage = try Stage(motion: .none, snapshot: listed)
    for key in [InputEvent.Key.character("4"), .down, .enter] { stage.press(key) }
    #expect(stage.screen.state.subject.run == first)
    stage.show(replaced)
    #expect(stage.screen.state.subject.run == nil && stage.rows.last?.contains("another store") == true)
    var notice = gone
    (notice.number, notice.replacements) = (replaced.number + 1, replaced.replacements)
    stage.show(notice)
    stage.frame()
    #expect(stage.text.contains("The store is gone"))
  }

  @Test("another store in a file with the number of the one that is gone is another store")
  func sameInode() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let source = Self.source(fixture)
    #expect(source.poll(nil)?.condition == .ready)
    fixture.close()
    let other = try RecordedStore()
    let second = try other.begin(targets: ["other"])
    try other.end()
    other.close()
    let aside = fixture.path + ".old"
    try FileManager.default.moveItem(atPath: fixture.path, toPath: aside)
    #expect(source.poll(nil)?.condition == .gone)
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: fixture.path + suffix) }
    // Written over, so that the number stays; a file system gives it to the next file just as well.
    let file = try #require(FileHandle(forWritingAtPath: aside))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data(contentsOf: URL(fileURLWithPath: other.path)))
    try file.close()
    try FileManager.default.moveItem(atPath: aside, toPath: fixture.path)
    let snapshot = try #require(source.poll(nil))
    #expect(snapshot.condition == .ready && snapshot.run?.id == second && snapshot.replacements == 1)
  }

  @Test("what is too much is cut at its old end, said, and not asked for again and again")
  func capacity() throws {
    let targets = [TargetID(rawValue: 1), TargetID(rawValue: 2)]
    let fixture = try RecordedStore()
    try fixture.begin(targets: ["a", "b"])
    var window = PointWindow(targets: targets, page: PointPage(points: [], revision: 0, isTruncated: false))
    let share = PointWindow.capacity / 2
    for sequence in 1...Int64(share + share / 4 + PointTrack.chunkSize) {
      window.add(Self.row(fixture.delivered(sequence, target: 0, at: sequence)))
    }
    let isWhole = window.settle()
    #expect(isWhole)
    #expect(window.covers(from: WallTime(microseconds: 0)) && !window.isFull)
    let isTrimmed = window.trim()
    #expect(isTrimmed)
    #expect(window.isFull && !window.covers(from: WallTime(microseconds: 0)))
    #expect(window.tracks[0].count >= share && window.tracks[0].count < share + PointTrack.chunkSize)
    #expect(window.covers(from: WallTime(microseconds: window.tracks[0][0].plannedAt)))
  }

  @Test("events and log lines are those of the run, in order, and go on")
  func lists() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let at = fixture.clock.wallNow()
    try fixture.commit(
      events: [Event(at: at, kind: .connected, connectionID: 1)],
      log: [LogLine(at: at, level: .info, label: "transport", message: "one")])
    let source = Self.source(fixture)
    var snapshot = try #require(source.poll(nil))
    #expect(snapshot.events.map(\.row.kind) == [.connected] && snapshot.log.map(\.row.message) == ["one"])
    try fixture.commit(
      events: (0..<3_000).map { Event(at: at, kind: .lost, sequence: $0) },
      log: (0..<7_000).map { LogLine(at: at, level: .debug, label: "store", message: "\($0)") })
    snapshot = try #require(source.poll(nil))
    #expect(snapshot.events.count == 3_001 && snapshot.log.last?.row.message == "6999")
    #expect(snapshot.log.count == RecordTails.capacity)
    #expect(zip(snapshot.log, snapshot.log.dropFirst()).allSatisfy { $0.place < $1.place })
    #expect(snapshot.logList.total == 7_001 && snapshot.logList.first == 7_001 - RecordTails.capacity)
  }

  @Test("every event and log line can be listed, and every mark is on the axis, however many there are")
  func longLists() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let start = fixture.clock.wallNow()
    func at(_ number: Int) -> WallTime { start.advanced(byMicroseconds: Int64(number) * 1_000) }
    // Marks lie far apart among the losses.
    for block in 0..<9 {
      try fixture.commit(
        events: (block * 5_000..<(block + 1) * 5_000).map { number in
          Event(at: at(number), kind: number % 1_000 == 7 ? .goaway : .lost, sequence: Int64(number))
        },
        log: block == 0
          ? (0..<12_000).map { LogLine(at: at($0), level: .debug, label: "l", message: "\($0)") } : [])
    }
    let source = Self.source(fixture)
    var snapshot = try #require(source.poll(nil))
    #expect(snapshot.eventList.total == 45_000 && snapshot.events.last?.row.sequence == 44_999)
    var looks = 0
    while source.isReading, looks < 10 {
      snapshot = source.poll(nil) ?? snapshot
      looks += 1
    }
    #expect(!source.isReading && looks > 1 && snapshot.axisMarks.isComplete)
    #expect(snapshot.axisMarks.marks.map(\.at) == (0..<45).map { at($0 * 1_000 + 7) })
    #expect(snapshot.axisMarks.marks(from: at(1_007), to: at(3_007)).count == 2)
    func shown(_ events: ListPlace, log: ListPlace = .newest) -> Snapshot? {
      source.show(ListsPlace(events: events, log: log))
      return source.poll(nil)
    }
    // To the beginning, by a row that is not at hand, and back.
    let first = try #require(shown(.around(.first), log: .around(.first)))
    #expect(first.eventList.first == 0 && first.eventList.total == 45_000)
    #expect(first.events.first?.row.sequence == 0 && first.log.first?.row.message == "0")
    let place = try #require(first.events.last).place
    let middle = try #require(shown(.around(place)))
    #expect(middle.eventList.first == 2_500 && middle.events.first?.row.sequence == 2_500)
    #expect(middle.events[2_499].place == place && middle.eventList.has(.around(place)))
    #expect(shown(.around(place)) == nil)
    // What had happened at a moment.
    let then = try #require(shown(.until(at(20_000))))
    let known = then.known(at: at(20_000), since: start)
    #expect(known.events.last?.row.sequence == 20_000 && known.events.count == 2_500)
    #expect(known.axisMarks.marks.count == 20)
    // A list that stands still counts what comes.
    try fixture.commit(events: [Event(at: at(45_000), kind: .lost, sequence: 45_000)])
    #expect(source.poll(nil)?.eventList.total == 45_001)
    let newest = try #require(shown(.newest))
    #expect(newest.events.last?.row.sequence == 45_000 && newest.events.count == RecordTails.capacity)
  }

  @Test("what is noted about the past stands there in the events and on the axis, once")
  func notesAboutThePast() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let start = fixture.clock.wallNow()
    func at(_ second: Int64) -> WallTime { start.advanced(byMicroseconds: second * 1_000_000) }
    let goaways: Set<Int64> = [7, 25_000]
    for block: Int64 in 0..<9 {
      try fixture.commit(
        events: (block * 5_000..<(block + 1) * 5_000).map {
          Event(at: at($0), kind: goaways.contains($0) ? .goaway : .lost, sequence: $0)
        })
    }
    let source = Self.source(fixture)
    var snapshot = try #require(source.poll(nil))
    // The marks of that time are still to be read.
    #expect(!snapshot.axisMarks.isComplete)
    try fixture.commit(events: [
      Event(at: at(100), kind: .annotation, detail: "deploy 412"),
      Event(at: at(44_990), kind: .annotation, detail: "deploy 413"),
    ])
    snapshot = try #require(source.poll(nil))
    #expect(snapshot.eventList.total == 45_002)
    #expect(snapshot.events.last?.row.sequence == 44_999)
    #expect(snapshot.events.suffix(10).first?.row.detail == "deploy 413")
    while source.isReading { snapshot = source.poll(nil) ?? snapshot }
    #expect(snapshot.axisMarks.marks.map(\.note) == [nil, "deploy 412", nil, "deploy 413"])
    // The list that ends where a window ends, long after the note and long before it was written.
    for (moment, sequence): (Int64, Int64) in [(20_000, 20_000), (102, 102)] {
      source.show(ListsPlace(events: .until(at(moment))))
      snapshot = try #require(source.poll(nil))
      #expect(snapshot.known(at: at(moment), since: start).events.last?.row.sequence == sequence)
    }
    #expect(snapshot.events.first { $0.row.kind == .annotation }?.row.detail == "deploy 412")
    #expect(snapshot.events.firstIndex { $0.row.kind == .annotation } == 101 && snapshot.eventList.first == 0)
    // A note before the page is counted, one within it is listed.
    source.show(ListsPlace(events: .until(at(20_000))))
    snapshot = try #require(source.poll(nil))
    let first = snapshot.eventList.first
    try fixture.commit(events: [
      Event(at: at(50), kind: .annotation, detail: "a"),
      Event(at: at(20_001), kind: .annotation, detail: "b"),
    ])
    snapshot = try #require(source.poll(nil))
    #expect(snapshot.eventList.first == first + 1 && snapshot.eventList.total == 45_004)
    #expect(snapshot.events.contains { $0.row.detail == "b" })
    #expect(zip(snapshot.events, snapshot.events.dropFirst()).allSatisfy { $0.place < $1.place })
  }

  @Test("a list shows where it is among all rows, and goes to ends that are not at hand")
  func listScreen() throws {
    var snapshot = SampleRun().snapshot
    let rows = (0..<5_000).map { number in
      ListEntry(
        revision: Int64(10_000 + number),
        row: LogLine(at: SampleRun.start, level: .info, label: "l\(number % 2)", message: "line \(number)"))
    }
    snapshot.log = rows
    (snapshot.logList.first, snapshot.logList.total) = (26_207, 31_207)
    var stage = try Stage(snapshot: snapshot)
    stage.press("2")
    stage.wait(.seconds(1))
    #expect(stage.text.contains("31 207, following") && stage.screen.order.lists == ListsPlace())
    stage.press(.home)
    stage.frame()
    #expect(stage.screen.order.lists.log == .around(.first))
    #expect(stage.text.contains("26208"))
    snapshot.logList.first = 0
    snapshot.number += 1
    stage.show(snapshot)
    stage.frame()
    #expect(stage.text.contains("of 31 207") && stage.text.contains("line 0"))
    // The end of what is at hand is not the end.
    for _ in 0..<1_000 { stage.press(.pageDown) }
    stage.frame()
    #expect(stage.screen.order.lists.log == .around(RecordPlace(at: SampleRun.start, revision: 14_999)))
    stage.press(.end)
    #expect(stage.screen.order.lists.log == .newest)
    // Nothing of this part had happened yet: that is not nothing.
    snapshot.logList.first = 26_207
    snapshot.logList = snapshot.logList.until(SampleRun.start.advanced(byMicroseconds: -1))
    snapshot.number += 1
    stage.show(snapshot)
    stage.frame()
    #expect(stage.text.contains("reading"))
  }

  @Test("what is no store is told apart, and a store put in its place is opened")
  func refusals() throws {
    let fixture = try RecordedStore()
    try FileManager.default.createDirectory(atPath: fixture.path, withIntermediateDirectories: true)
    let source = Self.source(fixture)
    guard case .notAStore = source.poll(nil)?.condition else {
      Issue.record("a directory was taken for a store")
      return
    }
    try FileManager.default.removeItem(atPath: fixture.path)
    try Data("just some words, many enough not to be empty\n".utf8).write(
      to: URL(fileURLWithPath: fixture.path))
    guard case .notAStore = source.poll(nil)?.condition else {
      Issue.record("a text file was taken for a store")
      return
    }
    try FileManager.default.removeItem(atPath: fixture.path)
    try fixture.begin()
    #expect(source.poll(nil)?.condition == .ready)
  }

  @Test("the thread hands over what it finds, answers requests and ends when told to")
  func thread() async throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    try fixture.commit(inserted: [fixture.delivered(1)])
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let reader = try SnapshotReader(
      place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID
    ) { continuation.yield() }
    try reader.start()
    var iterator = stream.makeAsyncIterator()
    _ = await iterator.next()
    #expect(reader.drain().snapshot?.tracks.first?.count == 1)
    #expect(reader.drain().snapshot == nil)
    reader.ask(
      ReaderOrder(request: ReadRequest(from: WallTime(microseconds: 0), to: nil, tick: .seconds(1))))
    _ = await iterator.next()
    #expect(reader.drain().snapshot?.request != nil)
    reader.stop()
  }
}
