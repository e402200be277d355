import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import TUI

@Suite("Rows that wait for a fleet")
struct ForwardWatchTests {
  @Test("they are said when nothing has been forwarded for a while, and no more when it goes on")
  func waits() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    try fixture.commit(inserted: [fixture.delivered(1)])
    var source = SnapshotSource(
      place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID)
    #expect(source.poll(nil)?.unforwarded == 0)
    fixture.clock.advance(by: .seconds(60))
    // Nobody forwards this store.
    #expect(source.poll(nil)?.unforwarded ?? 0 == 0)

    let collector = try #require(fixture.collector)
    _ = try collector.beginForwarding(to: "fleet", at: "https://e")
    fixture.clock.advance(by: .seconds(2))
    #expect(source.poll(nil)?.unforwarded ?? 0 == 0)
    fixture.clock.advance(by: .seconds(30))
    let waiting = try #require(source.poll(nil)?.unforwarded)
    #expect(waiting > 0)
    let reader = try StoreReader.open(at: fixture.path)
    #expect(try reader.forwardPause()?.rows == waiting)
    #expect(try reader.forwardBacklog() == waiting)
    try collector.moveForwardCursor(of: "fleet", to: reader.forwardWindow(after: 0).through)
    fixture.clock.advance(by: .seconds(2))
    #expect(source.poll(nil)?.unforwarded == 0)
    #expect(try reader.forwardPause() == nil)
  }

  @Test("a cursor that moves is no pause, however much waits") func moves() {
    var watch = ForwardWatch()
    for second in 0..<100 {
      let pause = ForwardPause(
        cursor: Int64(second / 10), rows: ForwardPause.most, since: WallTime(microseconds: 0))
      #expect(watch.update(pause, at: .zero + .seconds(second)) == 0)
    }
    for second in 100..<130 {
      let rows = watch.update(
        ForwardPause(cursor: 9, rows: 7, since: WallTime(microseconds: 0)), at: .zero + .seconds(second))
      #expect(rows == (second < 110 ? 0 : 7))
    }
    #expect(watch.update(nil, at: .zero + .seconds(131)) == 0)
  }
}
