import ConstraintAnimation
import Measurement
import Store
import Testing

@testable import TUI

@Suite("Replay")
struct ReplayTests {
  private static let start = SampleRun.start

  private static func ended(_ seconds: Int = 110) -> Snapshot {
    SampleRun(
      seconds: seconds,
      phase: .ended(at: start.advanced(byMicroseconds: Int64(seconds) * 1_000_000), reason: "completed")
    ).snapshot
  }

  private static func position(_ stage: Stage) throws -> Double {
    let replay = try #require(stage.screen.state.replay)
    return Double(replay.position.microseconds - start.microseconds) / 1e6
  }

  @Test("a notification is known as it was at each moment")
  func point() {
    let planned = WallTime(microseconds: 1_000_000_000)
    func point(_ state: NotificationState, accept: Int64?, delivery: Int64?) -> SamplePoint {
      SamplePoint(
        plannedAt: planned, plannedMonotonic: 5, scheduleLag: 10, acceptLatency: accept,
        deliveryLatency: delivery,
        state: state)
    }
    func known(_ point: SamplePoint, _ age: Int64, deadline: Int64? = 1_000) -> SamplePoint {
      point.known(at: planned.advanced(byMicroseconds: age), deadline: deadline)
    }
    let delivered = point(.delivered, accept: 100, delivery: 500)
    #expect(known(delivered, 99) == point(.inFlight, accept: nil, delivery: nil))
    #expect(known(delivered, 100) == point(.inFlight, accept: 100, delivery: nil))
    #expect(known(delivered, 500) == delivered)
    let late = point(.late, accept: 100, delivery: 5_000)
    #expect(known(late, 999).state == .inFlight && known(late, 1_000).state == .lost)
    #expect(known(late, 4_999).state == .lost && known(late, 5_000) == late)
    #expect(known(late, 4_999, deadline: nil).state == .inFlight)
    let lost = point(.lost, accept: 100, delivery: nil)
    #expect(known(lost, 999).state == .inFlight && known(lost, 1_000).state == .lost)
    #expect(known(point(.accepted, accept: 100, delivery: nil), 50).state == .inFlight)
    for state in [NotificationState.rejected, .failed, .missed, .interrupted] {
      #expect(known(point(state, accept: nil, delivery: nil), 0).state == state)
    }
  }

  @Test("at the end of a run its replay knows what the run knows")
  func end() {
    let run = Self.ended()
    let known = run.known(at: run.edge, since: Self.start)
    #expect(known.tracks[0].count == run.tracks[0].count)
    #expect(known.events == run.events && known.log == run.log)
    let early = run.known(at: Self.start.advanced(byMicroseconds: 30_000_000), since: Self.start)
    #expect(early.tracks[0].count < run.tracks[0].count && early.run?.phase == .live)
    #expect(early.events.allSatisfy { $0.row.at <= early.now } && early.events.count < run.events.count)
    #expect(early.totals[0].planned == early.tracks[0].count)
    #expect(run.known(at: Self.start.advanced(byMicroseconds: -5), since: Self.start).tracks[0].isEmpty)
  }

  @Test("r replays from the beginning of an ended run, at the speed that keys choose")
  func speeds() throws {
    var stage = try Stage(snapshot: Self.ended())
    stage.press("r")
    stage.frame()
    #expect(try Self.position(stage) == 0)
    #expect(stage.rows[0].contains("replay 14:02:00  ×1"))
    for _ in 0..<120 { stage.frame() }
    #expect(abs(try Self.position(stage) - 2) < 0.1)
    for _ in 0..<3 { stage.press(")") }
    stage.frame()
    #expect(stage.rows[0].contains("×10"))
    let before = try Self.position(stage)
    for _ in 0..<60 { stage.frame() }
    #expect(abs(try Self.position(stage) - before - 10) < 1)
    for _ in 0..<20 { stage.press(")") }
    #expect(stage.screen.state.replay?.speed == 100)
    for _ in 0..<20 { stage.press("(") }
    #expect(stage.screen.state.replay?.speed == 1)
  }

  @Test("what has not happened yet is not shown")
  func unknown() throws {
    var stage = try Stage(snapshot: Self.ended())
    let all = try #require(stage.screen.context.content?.facts.counts.planned)
    stage.press("r")
    for _ in 0..<5 { stage.press(")") }
    for _ in 0..<30 { stage.frame() }
    let content = try #require(stage.screen.context.content)
    #expect(content.facts.counts.planned > 0 && content.facts.counts.planned < all)
    #expect(stage.screen.context.shown.tracks[0].count < stage.screen.context.latest.tracks[0].count)
  }

  @Test("space pauses, arrows scrub, g goes, the end stops it, and r gives the whole run back")
  func scrub() throws {
    var stage = try Stage(snapshot: Self.ended())
    stage.press("r")
    stage.frames(3)
    stage.press(" ")
    stage.frames(40)
    #expect(stage.rows[0].contains("paused at") && stage.screen.nextDeadline == nil)
    let before = try Self.position(stage)
    stage.press(.right)
    let length = try #require(stage.screen.context.content?.window.duration).inSeconds
    #expect(abs(try Self.position(stage) - before - length / 8) < 0.01)
    stage.press(.left, .shift)
    #expect(try Self.position(stage) == 0)
    stage.press("g")
    for character in "14:03:00" { stage.press(character) }
    stage.press(.enter)
    #expect(try Self.position(stage) == 60)
    #expect(stage.screen.context.shown.now == Self.start.advanced(byMicroseconds: 60_000_000))
    stage.press(" ")
    for _ in 0..<6 { stage.press(")") }
    for _ in 0..<120 { stage.frame() }
    #expect(stage.screen.state.replay?.isPaused == true)
    #expect(try Self.position(stage) == 110)
    #expect(stage.rows.last?.contains("come to the end") == true)
    stage.press("r")
    stage.frame()
    #expect(stage.screen.state.replay == nil && stage.rows[0].contains("ended"))
  }

  @Test("a live run is replayed while recording goes on, and f goes back to live")
  func live() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 300).snapshot)
    stage.press("r")
    stage.frames(5)
    #expect(stage.screen.request?.to != nil)
    var more = SampleRun(seconds: 310).snapshot
    more.number = 2
    let position = try Self.position(stage)
    stage.show(more)
    #expect(try Self.position(stage) - position < 0.1)
    #expect(stage.screen.context.shown.tracks[0].count < more.tracks[0].count)
    stage.press("f")
    stage.frame()
    #expect(stage.screen.state.replay == nil && stage.rows[0].contains("live"))
    #expect(stage.screen.context.shown.tracks[0].count == more.tracks[0].count)
  }

  @Test("the reader is asked for what comes next before it comes")
  func request() throws {
    var stage = try Stage(snapshot: Self.ended(3_000))
    stage.press("r")
    stage.frame()
    let window = try #require(stage.screen.context.content?.window)
    let request = try #require(stage.screen.request)
    #expect(request.from <= window.start && (request.to ?? window.end) > window.end)
  }
}
