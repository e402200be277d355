import Measurement
import Testing

@testable import Transport

@Suite struct ConnectionAvailabilityTests {
  private static func at(_ seconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: 1_000_000_000) + .seconds(seconds)
  }

  private static func failed(
    _ availability: inout ConnectionAvailability, _ reason: FailureReason, at second: Int
  ) -> Bool {
    availability.recordFailedAttempt(reason, "no", at: at(second))
  }

  @Test func withoutAnyConnectionItIsTheLastAttemptsReason() {
    var availability = ConnectionAvailability()
    _ = Self.failed(&availability, .dns, at: 1)
    #expect(availability.failure(ofPlanned: Self.at(0), underWay: nil) == .dns)
    _ = Self.failed(&availability, .connect, at: 2)
    #expect(availability.failure(ofPlanned: Self.at(0), underWay: nil) == .connect)
    // Or by the phase of the current attempt.
    #expect(availability.failure(ofPlanned: Self.at(0), underWay: .tls) == .tls)
  }

  /// No attempt was made: it did not wait for a connection.
  @Test func withoutAnAttemptItIsNoFailure() {
    let availability = ConnectionAvailability()
    #expect(availability.failure(ofPlanned: Self.at(0), underWay: nil) == nil)
  }

  @Test func whatWasPlannedWhileThereWasOneIsNoFailure() {
    var availability = ConnectionAvailability()
    availability.record(isUsable: true, at: Self.at(10))
    #expect(availability.failure(ofPlanned: Self.at(5), underWay: nil) == nil)
    #expect(availability.failure(ofPlanned: Self.at(15), underWay: .connect) == nil)
    availability.record(isUsable: false, at: Self.at(20))
    _ = Self.failed(&availability, .connect, at: 21)
    #expect(availability.failure(ofPlanned: Self.at(19), underWay: nil) == nil)
    #expect(availability.failure(ofPlanned: Self.at(20), underWay: nil) == nil)
    #expect(availability.failure(ofPlanned: Self.at(21), underWay: nil) == .connect)
    // A short-lived connection is enough.
    availability.record(isUsable: true, at: Self.at(22))
    availability.record(isUsable: false, at: Self.at(22))
    #expect(availability.failure(ofPlanned: Self.at(21), underWay: .connect) == nil)
    // It clears the failure of earlier attempts.
    #expect(availability.failure(ofPlanned: Self.at(23), underWay: nil) == nil)
    #expect(availability.failure(ofPlanned: Self.at(23), underWay: .dns) == .dns)
  }

  private static let goaway = ConnectionFault(reason: .goaway, detail: "no")

  /// A peer that ends each connection at once: what waited meanwhile did not wait for us.
  @Test func aConnectionOfNoUseIsNoConnection() {
    var availability = ConnectionAvailability()
    availability.record(isUsable: true, at: Self.at(1))
    availability.record(isUsable: false, at: Self.at(2))
    #expect(availability.failure(ofPlanned: Self.at(0), underWay: nil) == nil)
    let isTold = availability.record(Self.goaway, at: Self.at(2))
    #expect(isTold)
    #expect(availability.failure(ofPlanned: Self.at(0), underWay: nil) == .goaway)
    // Neither is the next one, whatever phase it is in, until it has given an answer.
    #expect(availability.failure(ofPlanned: Self.at(2), underWay: .tls) == .goaway)
    availability.record(isUsable: true, at: Self.at(3))
    #expect(availability.failure(ofPlanned: Self.at(2), underWay: nil) == .goaway)
    #expect(Self.over(&availability, at: 4)?.attempts == 1)
    #expect(availability.failure(ofPlanned: Self.at(2), underWay: nil) == nil)
  }

  /// A connection that answered and then refused everything was one until its last answer.
  @Test func aConnectionCountsUntilItsLastAnswer() {
    var availability = ConnectionAvailability()
    availability.record(isUsable: true, at: Self.at(1))
    _ = Self.over(&availability, at: 5)
    availability.record(isUsable: true, at: Self.at(9))
    _ = availability.record(ConnectionFault(reason: .refusedStream, detail: "no"), at: Self.at(9))
    availability.record(isUsable: false, at: Self.at(9))
    #expect(availability.failure(ofPlanned: Self.at(5), underWay: nil) == nil)
    #expect(availability.failure(ofPlanned: Self.at(6), underWay: nil) == .refusedStream)
    // The next attempt cannot even connect.
    _ = Self.failed(&availability, .connect, at: 10)
    #expect(availability.failure(ofPlanned: Self.at(6), underWay: .dns) == .connect)
  }

  @Test func anOutageIsToldOnceAMinuteUntilThereIsAnAnswer() {
    var availability = ConnectionAvailability()
    let told = (0..<130).filter { Self.failed(&availability, .connect, at: $0) }
    #expect(told == [0, 60, 120])
    #expect(availability.outage?.words(at: Self.at(129)) == "130 failed attempts in 2 min 9 s")
    // An open connection is not enough; an answer ends the outage.
    availability.record(isUsable: true, at: Self.at(130))
    availability.record(isUsable: false, at: Self.at(131))
    #expect(availability.outage?.attempts == 130)
    #expect(Self.over(&availability, at: 131)?.attempts == 130)
    #expect(Self.over(&availability, at: 131) == nil && availability.outage == nil)
    #expect(Self.failed(&availability, .tls, at: 132))
    #expect(availability.outage?.words(at: Self.at(132)) == "1 failed attempt in 0 s")
  }

  private static func over(
    _ availability: inout ConnectionAvailability, at second: Int
  ) -> ConnectionAvailability.Outage? {
    availability.recordAnswer(at: at(second))
  }
}
