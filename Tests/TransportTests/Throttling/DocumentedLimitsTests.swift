import Configuration
import Measurement
import Testing

@testable import Transport

@Suite struct DocumentedLimitsTests {
  @Test func publicServicesHaveThem() throws {
    let everyFifteenSeconds = try #require(ArrivalRate.every(.seconds(15)))
    let fcm = DocumentedLimits.fcm(host: "fcm.googleapis.com", validateOnly: false)
    #expect(fcm.allSatisfy { !$0.isExceeded(by: everyFifteenSeconds) })
    let two = try #require(ArrivalRate(2, per: .seconds(1)))
    // 120 per minute are allowed, 7 200 per hour are not.
    #expect(fcm.map { $0.isExceeded(by: two) } == [false, true, false])
    let validated = DocumentedLimits.fcm(host: "fcm.googleapis.com", validateOnly: true)
    #expect(validated.allSatisfy { !$0.isExceeded(by: two) })
    let ntfy = DocumentedLimits.ntfy(host: "ntfy.sh")
    #expect(ntfy.map { $0.isExceeded(by: everyFifteenSeconds) } == [false, true])
    let everySixMinutes = try #require(ArrivalRate.every(.seconds(360)))
    #expect(ntfy.allSatisfy { !$0.isExceeded(by: everySixMinutes) })
  }

  @Test func appleCountsBackgroundOnly() throws {
    #expect(DocumentedLimits.apns(host: "api.push.apple.com", backgroundShare: 0).isEmpty)
    let all = try #require(DocumentedLimits.apns(host: "api.push.apple.com", backgroundShare: 1).first)
    #expect(all.isExceeded(by: try #require(ArrivalRate.every(.seconds(15)))))
    #expect(!all.isExceeded(by: try #require(ArrivalRate.every(.seconds(1200)))))
    let half = try #require(
      DocumentedLimits.apns(host: "api.sandbox.push.apple.com", backgroundShare: 0.5).first)
    #expect(half.shape == .window(count: 6, period: .seconds(3600)))
  }

  @Test("somebody else's push service for browsers is asked for one in 15 s, our own for anything")
  func guestsAreModest() throws {
    func limits(_ host: String) -> [SendLimit] {
      DocumentedLimits.webPush(service: Endpoint(scheme: .https, host: host, port: 443))
    }
    let everyFifteenSeconds = try #require(ArrivalRate.every(.seconds(15)))
    let everyFourteen = try #require(ArrivalRate.every(.seconds(14)))
    for host in ["push.services.mozilla.com", "10.0.0.1"] {
      #expect(limits(host).map { $0.isExceeded(by: everyFifteenSeconds) } == [false])
      #expect(limits(host).map { $0.isExceeded(by: everyFourteen) } == [true])
    }
    for host in ["localhost", "127.0.0.1", "::1"] { #expect(limits(host).isEmpty) }
  }

  @Test func aServerOfOnesOwnHasNone() {
    #expect(DocumentedLimits.apns(host: "127.0.0.1", backgroundShare: 1).isEmpty)
    #expect(DocumentedLimits.fcm(host: "localhost", validateOnly: false).isEmpty)
    #expect(DocumentedLimits.ntfy(host: "ntfy.example.com").isEmpty)
  }
}
