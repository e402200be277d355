import ConstraintAnimation
import Foundation
import Measurement
import StoreTestKit
import Terminal
import TestKit
import Testing

@testable import Store
@testable import TUI

@Suite("Live data for an hour, or 25 minutes in the short form")
struct SoakTests {
  /// What must not grow: whatever is kept between frames.
  private struct Kept: Equatable {
    var views: Int
    var constraints: Int
    var diagnostics: Int
    var events: Int
    var log: Int
  }

  private static func kept(_ screen: DashboardScreen) -> Kept {
    func count(_ view: View) -> (views: Int, constraints: Int) {
      view.subviews.reduce((1, view.constraints.count)) { sum, child in
        let inner = count(child)
        return (sum.0 + inner.views, sum.1 + inner.constraints)
      }
    }
    let tree = count(screen.window.root)
    return Kept(
      views: tree.views, constraints: tree.constraints, diagnostics: screen.window.diagnostics.count,
      events: screen.context.latest.events.count, log: screen.context.latest.log.count)
  }

  @Test("keeps no more than it must, leaves nothing running, and shows the last second like the first")
  func hour() throws {
    let fixture = try RecordedStore()
    try fixture.begin(targets: ["loopback"], rate: 2)
    var source = SnapshotSource(
      place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID)
    let buffer = CellBuffer(columns: 60, rows: 16, colors: .trueColor)
    let screen = try DashboardScreen(
      size: (60, 16), appearance: Appearance(theme: .dark, colors: .trueColor, glyphs: .braille),
      options: ScreenOptions(zone: .utc, place: .store(fixture.path), arrangement: .below))
    let writer = DiffWriter(columns: 60, rows: 16, profile: OutputProfile(colors: .trueColor))
    var keys = "2314)(rr1 2 fo3o+-4a1".makeIterator()
    var first: Kept?
    var pending: [Sample] = []
    var bytes: [Int] = []
    var sequence: Int64 = 0
    // So many that the oldest go.
    let (seconds, lines) = TestLength.isLong ? (3_600, 3) : (1_500, 6)
    for second in 0..<seconds {
      // Two notifications a second, delivered the second after; log lines and an event.
      let delivered = pending.map { fixture.delivered($0.id.sequence, at: ($0.id.sequence - 1) * 500) }
      pending = (0..<2).map { _ in
        sequence += 1
        var sample = fixture.sample(sequence, at: (sequence - 1) * 500)
        (sample.state, sample.attempt, sample.scheduleLag) = (.inFlight, 1, 40)
        return sample
      }
      let at = fixture.clock.wallNow()
      try fixture.commit(
        inserted: pending, updated: delivered,
        events: [
          Event(
            at: at, kind: .duplicate, target: nil, connectionID: nil, sequence: nil, count: 1,
            detail: "\(second)")
        ],
        log: (0..<lines).map {
          LogLine(at: at, level: .info, target: nil, label: "soak", message: "\(second).\($0)")
        })
      fixture.clock.advance(by: .milliseconds(750))
      let time = MotionTime(nanoseconds: Int64(second) * 1_000_000_000)
      if let snapshot = source.poll(screen.request) { screen.show(snapshot, at: time) }
      if second % 30 == 7, let key = keys.next() {
        _ = screen.handle(InputEvent(kind: .key(.character(key))), at: time)
      }
      // Most frames fall out here, so that it takes seconds.
      if second % 15 == 0 || second % 30 == 8 {
        let damage = screen.advance(to: time)
        if !damage.isEmpty { screen.draw(on: buffer, damage: damage) }
        bytes.append(writer.encode(buffer).count)
      }
      if second == 900 { first = Self.kept(screen) }
    }
    let last = Self.kept(screen)
    let early = try #require(first)
    #expect(last.views == early.views && last.constraints == early.constraints)
    #expect(last.diagnostics == 0, "\(screen.window.diagnostics)")
    #expect(last.log <= RecordTails.capacity * 5 / 4 && last.log > 1_000)
    #expect(last.events <= RecordTails.capacity * 5 / 4)
    #expect(screen.context.shown.tracks[0].count <= PointWindow.capacity * 5 / 4)
    // Late frames cost what early ones cost.
    let half = bytes.count / 2
    let (before, after) = (
      bytes[half / 2..<half].reduce(0, +), bytes[(bytes.count - half / 2)...].reduce(0, +)
    )
    #expect(after < before * 3 + 50_000)
    // When nothing comes any more, nothing is left to do.
    for second in seconds + 1..<seconds + 10 {
      _ = screen.advance(to: MotionTime(nanoseconds: Int64(second) * 1_000_000_000))
    }
    #expect(screen.nextDeadline == nil)
  }
}
