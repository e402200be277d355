import Foundation
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store
@testable import TUI

/// What a follower has read.
private struct Reading {
  var content: DashboardContent
  var run: RunRecord?
}

/// A builder by reference, so that it can be used inside expectations.
private final class Building {
  private var builder: SnapshotBuilder

  init(bootID: String = RecordedStore.bootID) { builder = SnapshotBuilder(bootID: bootID) }

  func build(_ reading: Reading, tick: Duration?, now: WallTime, monotonicNow: Int64 = 0) -> Snapshot? {
    builder.build(
      reading.content, run: reading.run, tick: tick, now: now,
      monotonicNow: MonotonicTime(microseconds: monotonicNow))
  }

  var isLive: Bool { builder.isLive }
}

/// A follower by reference, so that it can be used inside expectations.
private final class Following {
  private var follower: StoreFollower

  init(_ fixture: RecordedStore) {
    follower = StoreFollower(place: .store(fixture.path), subject: Subject(), clock: fixture.clock)
  }

  func poll(_ request: ReadRequest?) -> DashboardContent { follower.poll(request) }

  var run: RunID? { follower.run?.id }

  func follow(_ subject: Subject, wantsRuns: Bool) { follower.follow(subject, wantsRuns: wantsRuns) }
}

@Suite("A builder hands out a snapshot only when it would look different")
struct SnapshotBuilderTests {
  private static let start = WallTime(microseconds: 1_700_000_000_000_000)

  /// What a follower of a live run with one target has read.
  private static func reading(inFlight: Int = 0) throws -> Reading {
    let fixture = try RecordedStore()
    try fixture.begin()
    var follower = StoreFollower(place: .store(fixture.path), subject: Subject(), clock: fixture.clock)
    var reading = Reading(content: follower.poll(nil), run: follower.run)
    reading.run?.lastHeartbeat = start
    reading.content.totals = [counts(inFlight: inFlight)]
    return reading
  }

  private static func counts(inFlight: Int) -> StateCounts {
    var counts = StateCounts()
    counts[.inFlight] = inFlight
    counts.sent = inFlight
    return counts
  }

  private static func at(_ microseconds: Int64) -> WallTime { start.advanced(byMicroseconds: microseconds) }

  @Test(
    "a change of what is shown is a snapshot, what is not shown is none",
    arguments: [
      ("nothing", false), ("notifications", true), ("condition", true), ("collector", true), ("runs", true),
      ("recording", true), ("totals", true), ("answered", true), ("heartbeat", false), ("end", true),
    ])
  func changes(what: String, isNew: Bool) throws {
    var reading = try Self.reading()
    let builder = Building()
    let first = try #require(builder.build(reading, tick: nil, now: Self.start, monotonicNow: 5))
    #expect(first.number == 1 && first.condition == .ready && first.run?.phase == .live)
    let run = try #require(reading.run)
    switch what {
    case "notifications":
      reading.content.tracks[0].append(
        SamplePoint(
          plannedAt: Self.start, plannedMonotonic: 0, scheduleLag: nil, acceptLatency: nil,
          deliveryLatency: nil, state: .planned))
    case "condition": reading.content.condition = .locked
    case "collector":
      reading.content.collector = CollectorStatus(isRunning: false, run: nil, staysAfterRun: false)
    case "runs": reading.content.runs = [RunEntry(run, at: Self.start)]
    case "recording": reading.content.recording = DisplayedRun(run, at: Self.start)
    case "totals": reading.content.totals[0][.lost] += 1
    case "answered": reading.content.request = ReadRequest(from: Self.start, to: nil, tick: .seconds(1))
    case "heartbeat": reading.run?.lastHeartbeat = Self.at(1)
    case "end": reading.run?.endedAt = Self.at(1)
    default: break
    }
    let second = builder.build(reading, tick: nil, now: Self.at(1), monotonicNow: 6)
    #expect((second != nil) == isNew)
    if let second { #expect(second.number == 2 && second.now == Self.at(1)) }
    #expect(builder.build(reading, tick: nil, now: Self.at(2), monotonicNow: 7) == nil)
  }

  @Test(
    "time alone is a snapshot when the edge moves by a column or pending ones age",
    arguments: [
      (0, 999_999, false), (0, 1_000_000, true), (3, 99_999, false),
      (3, SnapshotBuilder.agingInterval.microseconds, true),
    ])
  func time(inFlight: Int, elapsed: Int64, isNew: Bool) throws {
    let reading = try Self.reading(inFlight: inFlight)
    let builder = Building()
    #expect(builder.build(reading, tick: .seconds(1), now: Self.start) != nil)
    let next = builder.build(reading, tick: .seconds(1), now: Self.at(elapsed), monotonicNow: elapsed)
    #expect((next != nil) == isNew)
  }

  @Test("a silent run is a snapshot whenever its age reads differently, an ended one never")
  func silence() throws {
    var reading = try Self.reading()
    let builder = Building()
    var taken: [Int64] = []
    for second in Int64(0)...300
    where builder.build(reading, tick: .hours(1), now: Self.at(second * 1_000_000))
      != nil
    {
      taken.append(second)
    }
    // Live for five seconds, then by the second, then by the minute.
    #expect(taken == [0] + Array(6...120) + [180, 240, 300])
    #expect(!builder.isLive)
    reading.run?.endedAt = Self.at(0)
    #expect(builder.build(reading, tick: .microseconds(1), now: Self.at(301_000_000)) != nil)
    #expect(builder.build(reading, tick: .microseconds(1), now: Self.at(900_000_000)) == nil)
  }

  @Test("monotonic time is given for runs of this boot only")
  func boot() throws {
    let reading = try Self.reading()
    for (bootID, expected) in [(RecordedStore.bootID, Int64(17)), ("another", nil)] {
      let builder = Building(bootID: bootID)
      let snapshot = try #require(builder.build(reading, tick: nil, now: Self.start, monotonicNow: 17))
      #expect(snapshot.monotonicNow?.microseconds == expected)
    }
  }
}

@Suite("A follower reads what has changed, and no more often than it must")
struct StoreFollowerTests {
  @Test("an error is a condition and leaves what was read in place; the next poll recovers")
  func recovers() throws {
    let fixture = try RecordedStore()
    let follower = Following(fixture)
    let request = ReadRequest(from: WallTime(microseconds: 0), to: nil, tick: .microseconds(1))
    let missing = follower.poll(request)
    #expect(missing.condition == .missing && follower.run == nil && missing.request == nil)
    let run = try fixture.begin()
    try fixture.commit(inserted: [fixture.delivered(1)])
    let ready = follower.poll(request)
    #expect(ready.condition == .ready && follower.run == run && ready.request == request)
    #expect(ready.tracks.map(\.count) == [1] && ready != missing)
    #expect(follower.poll(request) == ready)
    try FileManager.default.moveItem(atPath: fixture.path, toPath: fixture.path + ".old")
    let gone = follower.poll(request)
    #expect(gone.condition == .gone && follower.run == run && gone.tracks.map(\.count) == [1])
    try FileManager.default.moveItem(atPath: fixture.path + ".old", toPath: fixture.path)
    #expect(follower.poll(request).condition == .ready)
  }

  @Test("points are read at once, counts at intervals")
  func intervals() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    try fixture.commit(inserted: [fixture.delivered(1)])
    let follower = Following(fixture)
    #expect(follower.poll(nil).totals[0].planned == 1)
    _ = try fixture.collector?.commit(
      WriteBatch(run: fixture.run?.run, inserted: [fixture.delivered(2, at: 10)]))
    let soon = follower.poll(nil)
    #expect(soon.tracks[0].count == 2 && soon.totals[0].planned == 1)
    fixture.clock.advance(by: StoreFollower.runInterval)
    #expect(follower.poll(nil).totals[0].planned == 2)
  }

  @Test("runs are read while they are wanted, once a second")
  func runs() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let follower = Following(fixture)
    #expect(follower.poll(nil).runs.isEmpty)
    follower.follow(Subject(), wantsRuns: true)
    #expect(follower.poll(nil).runs.count == 1)
    try fixture.end()
    try fixture.begin()
    #expect(follower.poll(nil).runs.count == 1)
    fixture.clock.advance(by: .seconds(1))
    #expect(follower.poll(nil).runs.count == 2)
  }
}
