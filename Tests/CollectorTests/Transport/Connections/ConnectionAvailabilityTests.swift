import Measurement
import Testing

@testable import Collector

@Suite struct ConnectionAvailabilityTests {
  private static func at(_ seconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: 1_000_000_000) + .seconds(seconds)
  }

  private static func failed(
    _ availability: inout ConnectionAvailability, _ reason: FailureReason, at second: Int
  ) -> Bool {
    availability.noteFailedAttempt(reason, "no", at: at(second))
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
    availability.note(isUsable: true, at: Self.at(10))
    #expect(availability.failure(ofPlanned: Self.at(5), underWay: nil) == nil)
    #expect(availability.failure(ofPlanned: Self.at(15), underWay: .connect) == nil)
    availability.note(isUsable: false, at: Self.at(20))
    _ = Self.failed(&availability, .connect, at: 21)
    #expect(availability.failure(ofPlanned: Self.at(19), underWay: nil) == nil)
    #expect(availability.failure(ofPlanned: Self.at(20), underWay: nil) == nil)
    #expect(availability.failure(ofPlanned: Self.at(21), underWay: nil) == .connect)
    // A short-lived connection is enough.
    availability.note(isUsable: true, at: Self.at(22))
    availability.note(isUsable: false, at: Self.at(22))
    #expect(availability.failure(ofPlanned: Self.at(21), underWay: .connect) == nil)
    // It clears the failure of earlier attempts.
    #expect(availability.failure(ofPlanned: Self.at(23), underWay: nil) == nil)
    #expect(availability.failure(ofPlanned: Self.at(23), underWay: .dns) == .dns)
  }

  @Test func anOutageIsToldOnceAMinuteUntilThereIsAnAnswer() {
    var availability = ConnectionAvailability()
    let told = (0..<130).filter { Self.failed(&availability, .connect, at: $0) }
    #expect(told == [0, 60, 120])
    #expect(availability.outage?.words(at: Self.at(129)) == "130 failed attempts in 129 s")
    // An open connection is not enough; an answer ends the outage.
    availability.note(isUsable: true, at: Self.at(130))
    availability.note(isUsable: false, at: Self.at(131))
    #expect(availability.outage?.attempts == 130)
    #expect(Self.over(&availability)?.attempts == 130)
    #expect(Self.over(&availability) == nil && availability.outage == nil)
    #expect(Self.failed(&availability, .tls, at: 132))
    #expect(availability.outage?.words(at: Self.at(132)) == "1 failed attempt in 0 s")
  }

  private static func over(_ availability: inout ConnectionAvailability) -> ConnectionAvailability.Outage? {
    availability.noteAnswer()
  }
}
