import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct PingAnswersTests {
  private func ping(_ fixture: StoreFixture, _ target: TargetID, after seconds: Int64, _ roundTrip: Int64)
    -> PingAnswer
  {
    PingAnswer(
      target: target, connectionID: seconds % 2 + 1,
      at: fixture.clock.wallNow().advanced(byMicroseconds: seconds * 1_000_000), roundTrip: roundTrip)
  }

  @Test func areReadByTargetAndTime() throws {
    let fixture = try StoreFixture()
    let alpha = (0..<10).map { ping(fixture, fixture.alpha, after: $0 * 10, 40 + $0) }
    let beta = (0..<10).map { ping(fixture, fixture.beta, after: $0 * 10, 900 + $0) }
    // As connections tell them, not by target.
    try fixture.commit(pings: zip(beta, alpha).flatMap { [$0, $1] })
    let reader = try fixture.reader()
    let everything = WallTime(microseconds: .min)..<WallTime(microseconds: .max)
    #expect(try reader.pings(of: [fixture.beta, fixture.alpha], in: everything) == alpha + beta)
    #expect(try reader.pings(of: [fixture.beta], in: alpha[2].at..<alpha[5].at) == Array(beta[2..<5]))
    #expect(try reader.pings(of: [], in: everything).isEmpty)
    // Each has a revision of its own, so that those who follow the store see it.
    #expect(try reader.revision() >= 20)
  }

  @Test func thoseOfADeletedTargetAreSkipped() throws {
    let fixture = try StoreFixture()
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
    try fixture.store.beginDeletion(of: fixture.run)
    _ = try fixture.store.commit(WriteBatch(run: nil, pings: [ping(fixture, fixture.alpha, after: 1, 40)]))
    #expect(
      try fixture.reader().pings(
        of: [fixture.alpha], in: WallTime(microseconds: .min)..<WallTime(microseconds: .max)
      ).isEmpty)
  }

  @Test func targetsKeepTheirEndpointAndDevice() throws {
    let fixture = try StoreFixture()
    let targets = try fixture.reader().targets(of: fixture.run)
    #expect(targets.map(\.endpoint) == [nil, "https://push.example.com:8443"])
    #expect(targets.map(\.device) == ["phone", nil])
  }
}
