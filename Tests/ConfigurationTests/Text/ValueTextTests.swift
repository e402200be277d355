import Measurement
import Testing

@testable import Configuration

@Suite struct ValueTextTests {
  @Test(arguments: [
    ("250ms", Duration.milliseconds(250)), ("30s", .seconds(30)), ("10m", .seconds(600)),
    ("7d", .seconds(604_800)),
    ("1.5h", .seconds(5400)), ("0s", .zero), ("2min", .seconds(120)), ("5us", .microseconds(5)),
    ("5µs", .microseconds(5)), ("7ns", .nanoseconds(7)),
    ("1m30s", .seconds(90)), ("1h30m", .seconds(5400)), ("1d1.5h", .seconds(91_800)),
    ("2w", .seconds(1_209_600)),
    ("1s500ms", .milliseconds(1500)), ("1w2d3h4m5s6ms", .milliseconds(788_645_006)),
  ]) func readsDurations(_ text: String, _ expected: Duration) throws {
    #expect(try DurationText.parse(text) == expected)
  }

  @Test(arguments: [
    "", "5", "s", "-1s", "1.s", ".5s", "1e3s", "1 s", "1s ", "+1s", "1.2.3s", "5x", "1/s", "٣s", "1s\n",
    "30s1m", "1m1m", "1m 30s", "1m30", "m30s", "1m-30s",
  ])
  func refusesOtherDurations(_ text: String) {
    #expect(throws: ValueTextError.self) { try DurationText.parse(text) }
  }

  @Test func aDurationHasAnEnd() {
    #expect(throws: ValueTextError.self) { try DurationText.parse("100001d") }
    #expect(throws: ValueTextError.self) { try DurationText.parse("999999999999999999d") }
  }

  @Test(arguments: [
    (Duration.zero, "0s"), (.milliseconds(1500), "1500ms"), (.seconds(7200), "2h"), (.seconds(86_400), "1d"),
    (.nanoseconds(1001), "1001ns"), (.microseconds(20), "20us"), (.seconds(90), "90s"),
  ]) func writesDurationsThatReadBack(_ duration: Duration, _ text: String) throws {
    #expect(DurationText.format(duration) == text)
    #expect(try DurationText.parse(text) == duration)
  }

  @Test(arguments: [("4/s", 4.0), ("30/min", 0.5), ("0.5/s", 0.5), ("90/h", 0.025), ("86400/d", 1)])
  func readsRates(_ text: String, _ perSecond: Double) throws {
    #expect(try RateText.parse(text).perSecond == perSecond)
  }

  @Test(arguments: ["4", "4/", "/s", "4/ms", "-4/s", "4 /s", "0/s", "100001/s", "4/s/s", "4ps"])
  func refusesOtherRates(_ text: String) {
    #expect(throws: ValueTextError.self) { try RateText.parse(text) }
  }

  @Test func aWholeRateIsKeptExactly() throws {
    #expect(try RateText.parse("7/min") == ArrivalRate(7, per: .seconds(60)))
  }

  @Test(arguments: [
    ("2023-11-14", "2023-11-14T00:00:00Z"), ("2023-11-14T22:13:20", "2023-11-14T22:13:20Z"),
    ("2023-11-14 22:13", "2023-11-14T22:13:00Z"), ("2023-11-14T22:13:20.5", "2023-11-14T22:13:20.5Z"),
    ("2023-11-14T22:13Z", "2023-11-14T22:13:00Z"), ("2023-11-14T22:13+01:00", "2023-11-14T21:13:00Z"),
  ]) func aTimeWithoutAZoneIsInUTC(_ text: String, _ meant: String) throws {
    #expect(try TimeText.parse(text, now: WallTime(microseconds: 0)) == WallTime(rfc3339: meant))
  }

  @Test func readsTimes() throws {
    let now = WallTime(microseconds: 1_700_000_000_000_000)
    #expect(try TimeText.parse("-1h", now: now) == now.advanced(byMicroseconds: -3_600_000_000))
    #expect(try TimeText.parse("-1w", now: now) == now.advanced(byMicroseconds: -604_800_000_000))
    #expect(try TimeText.parse("-1m30s", now: now) == now.advanced(byMicroseconds: -90_000_000))
    #expect(try TimeText.parse("now", now: now) == now)
    #expect(try TimeText.parse("2023-11-14T22:13:20Z", now: WallTime(microseconds: 0)) == now)
    for text in [
      "1h", "yesterday", "-1", "-", "2023-11", "2023-02-30", "12:00", "2023-11-14T22:13:20+1",
      "2023-11-14T25:00", "",
    ] {
      #expect(throws: ValueTextError.self) { try TimeText.parse(text, now: now) }
    }
  }

  @Test(arguments: [("10%", 0.1), ("0%", 0), ("0", 0), ("150%", 1.5), ("0.1", 0.1), ("500%", 5)])
  func readsTolerances(_ text: String, _ tolerance: Double) throws {
    #expect(try ToleranceText.parse(text) == tolerance)
  }

  @Test(arguments: ["", "-5%", "10 %", "10001%", "ten", "1e3%", "%"])
  func refusesOtherTolerances(_ text: String) {
    #expect(throws: ValueTextError.self) { try ToleranceText.parse(text) }
  }

  @Test func aShareExcludesNoneAndAll() throws {
    let unsigned = #expect(throws: ValueTextError.self) { try ShareText.parse("1") }
    #expect(unsigned?.description.contains("write 1% where percent are meant") == true)
    #expect(try ShareText.parse("99.9%") == 0.999)
    for text in ["0%", "100%", "1", "150%"] {
      #expect(throws: ValueTextError.self, "\(text)") { try ShareText.parse(text) }
    }
  }

  @Test func readsAddresses() throws {
    #expect(try ListenAddress.parse("127.0.0.1:0") == ListenAddress(host: "127.0.0.1", port: 0))
    #expect(try ListenAddress.parse("localhost:65535").port == 65_535)
    let v6 = try ListenAddress.parse("[::1]:8443")
    #expect(v6.host == "::1")
    #expect("\(v6)" == "[::1]:8443")
    for text in [
      "127.0.0.1", ":8443", "::1:8443", "[::1]", "[::g]:1", "h:65536", "h:-1", "h:+1", "h: 1", "a b:1", "h:",
    ] {
      #expect(throws: ValueTextError.self, "\(text)") { try ListenAddress.parse(text) }
    }
  }

  @Test func readsEndpoints() throws {
    #expect(try Endpoint.parse("https://h").port == 443)
    #expect(try Endpoint.parse("HTTP://h:8080/a%20b").url == "http://h:8080/a%20b")
    #expect(try Endpoint.parse("https://h?x").target == "/?x")
    #expect(try Endpoint.parse("https://[::1]:443/x").origin == "https://[::1]")
    #expect(try Endpoint.parse("https://h:8443/x").authority == "h:8443")
    for text in [
      "h", "ftp://h", "https:/h", "https://", "https://h:0", "https://h#x", "https://h/a b", "https://h/\n",
      "https:///x", "https://h/é",
    ] {
      #expect(throws: ValueTextError.self, "\(text)") { try Endpoint.parse(text) }
    }
  }

  @Test func readsStatuses() throws {
    let statuses = try StatusRanges.parse("200, 202-204")
    #expect(
      [199, 200, 201, 202, 204, 205].map(statuses.contains) == [false, true, false, true, true, false])
    #expect("\(statuses)" == "200,202-204")
    for text in [
      "", "200-", "-200", "299-200", "600", "20", "2000", "200,,201", "+200", "200-201-202", "20 0",
    ] {
      #expect(throws: ValueTextError.self, "\(text)") { try StatusRanges.parse(text) }
    }
  }
}
