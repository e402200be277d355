import Measurement
import Testing

@testable import Collector
@testable import Transport

@Suite("Floods of events from the transport")
struct EventFloodTests {
  @Test("a service that drops a thousand connections at once makes a few rows and a count")
  func manyConnections() {
    var fixture = LedgerFixture(deadline: nil)
    let wall = WallTime(microseconds: 1_700_000_000_000_000)
    for kind in [EventKind.disconnected, .connected] {
      for index in 0..<1_000 {
        fixture.ledger.apply(
          .event(
            Event(
              at: wall.advanced(byMicroseconds: 2_000_000 + Int64(index) * 100), kind: kind,
              target: LedgerFixture.target, connectionID: Int64(index), detail: "")))
      }
    }
    fixture.ledger.advance(to: at(70_000))
    let events = fixture.ledger.drainChanges().events
    for kind in [EventKind.disconnected, .connected] {
      let of = events.filter { $0.kind == kind }
      #expect(of.count == EventRateLimiter.passedPerWindow + 1)
      #expect(of.reduce(0) { $0 + $1.count } == 1_000)
    }
  }

  @Test("a service that ends each connection after one request makes a few rows a minute, whatever the rate")
  func oneConnectionARequest() {
    var fixture = LedgerFixture(deadline: nil)
    let wall = WallTime(microseconds: 1_700_000_000_000_000)
    var events: [Event] = []
    // Five a second, for ten minutes.
    for index in 0..<3_000 {
      for kind in [EventKind.connected, .disconnected] {
        fixture.ledger.apply(
          .event(
            Event(
              at: wall.advanced(byMicroseconds: Int64(index) * 200_000), kind: kind,
              target: LedgerFixture.target, connectionID: Int64(index))))
      }
      fixture.ledger.advance(to: at(Double(index) * 200))
      events += fixture.ledger.drainChanges().events
    }
    fixture.ledger.close(at: at(600_000))
    events += fixture.ledger.drainChanges().events
    for kind in [EventKind.connected, .disconnected] {
      let of = events.filter { $0.kind == kind }
      #expect(of.count == 10 * (EventRateLimiter.passedPerWindow + 1))
      #expect(of.reduce(0) { $0 + $1.count } == 3_000)
    }
  }

  @Test(
    "receipts out of order and twice make a few rows a minute: the rows of the notifications say the same")
  func receiptsOutOfOrder() {
    var fixture = LedgerFixture(deadline: nil)
    let wall = WallTime(microseconds: 1_700_000_000_000_000)
    var events: [Event] = []
    for index in 0..<600 {
      for kind in [EventKind.outOfOrder, .duplicate] {
        fixture.ledger.apply(
          .event(
            Event(
              at: wall.advanced(byMicroseconds: Int64(index) * 200_000), kind: kind,
              target: LedgerFixture.target, sequence: Int64(index))))
      }
      fixture.ledger.advance(to: at(Double(index) * 200))
      events += fixture.ledger.drainChanges().events
    }
    fixture.ledger.close(at: at(120_000))
    events += fixture.ledger.drainChanges().events
    for kind in [EventKind.outOfOrder, .duplicate] {
      let of = events.filter { $0.kind == kind }
      #expect(of.count == 2 * (EventRateLimiter.passedPerWindow + 1))
      #expect(of.reduce(0) { $0 + $1.count } == 600)
    }
  }

  @Test("a connection now and then is an event of its own")
  func fewConnections() {
    var fixture = LedgerFixture(deadline: nil)
    let wall = WallTime(microseconds: 1_700_000_000_000_000)
    for second in 1...5 {
      fixture.ledger.apply(
        .event(
          Event(
            at: wall.advanced(byMicroseconds: Int64(second) * 1_000_000), kind: .connected,
            target: LedgerFixture.target, connectionID: Int64(second))))
    }
    let events = fixture.ledger.drainChanges().events
    #expect(events.map(\.connectionID) == [1, 2, 3, 4, 5])
  }
}
