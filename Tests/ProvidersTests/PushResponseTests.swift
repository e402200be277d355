import Measurement
import Providers
import Testing

@Suite struct ResponseHeadersTests {
  @Test func findsNamesInAnyCase() {
    let headers = ResponseHeaders(
      lines: Array(
        "HTTP/2 200 \r\nContent-Type: text/plain\r\nretry-after:\t 7 \r\nempty:\r\nodd\r\nx: a: b\n".utf8))
    #expect(headers["content-type"] == "text/plain")
    #expect(headers["RETRY-AFTER"] == "7")
    #expect(headers["empty"] == "")
    #expect(headers["odd"] == nil)
    #expect(headers["x"] == "a: b")
    #expect(headers["retry"] == nil)
    #expect(ResponseHeaders()["x"] == nil)
  }

  @Test func theFirstOfSeveralCounts() {
    #expect(ResponseHeaders([HeaderField("a", "1"), HeaderField("a", "2")])["a"] == "1")
  }

  @Test func brokenUTF8IsReplaced() {
    #expect(ResponseHeaders(lines: Array("x: ".utf8) + [0xFF, 0x41, 0x0D, 0x0A])["x"] == "\u{FFFD}A")
  }
}

@Suite struct RetryAfterTests {
  /// 2026-03-04T05:06:07Z
  private let now = WallTime(microseconds: 1_772_600_767_000_000)

  private func pause(_ status: Int, _ value: String?) -> Duration? {
    RetryAfter.pause(
      PushResponse(
        status: status, headers: ResponseHeaders(value.map { [HeaderField("retry-after", $0)] } ?? []),
        receivedAt: now))
  }

  @Test func readsSecondsAndDates() {
    #expect(pause(429, "30") == .seconds(30))
    #expect(pause(503, "0") == .zero)
    #expect(pause(503, "Wed, 04 Mar 2026 05:06:17 GMT") == .seconds(10))
    #expect(pause(503, "Wed, 04 Mar 2026 05:06:00 GMT") == .zero)
  }

  /// The two older forms of a date (RFC 9110, section 5.6.7).
  @Test func readsOlderDates() {
    #expect(pause(503, "Wednesday, 04-Mar-26 05:06:17 GMT") == .seconds(10))
    #expect(pause(503, "Wed Mar  4 05:06:17 2026") == .seconds(10))
    #expect(pause(503, "Sat Mar 14 05:06:07 2026") == RetryAfter.longest)
    func date(_ text: String) -> String? { HTTPDate.parse(text, now: now)?.rfc3339 }
    #expect(date("Sunday, 06-Nov-94 08:49:37 GMT") == "1994-11-06T08:49:37.000000Z")
    #expect(date("Sun Nov  6 08:49:37 1994") == "1994-11-06T08:49:37.000000Z")
    // More than 50 years ahead is the century before.
    #expect(date("Wednesday, 04-Mar-76 05:06:17 GMT") == "2076-03-04T05:06:17.000000Z")
    #expect(date("Wednesday, 04-Mar-77 05:06:17 GMT") == "1977-03-04T05:06:17.000000Z")
  }

  @Test func onlyErrorsPause() {
    #expect(pause(200, "30") == nil)
    #expect(pause(301, "30") == nil)
    #expect(pause(500, nil) == nil)
    #expect(pause(429, nil) == RetryAfter.unnamed)
  }

  @Test(arguments: [
    "Wednesday, 04-Mar-2026 05:06:17 GMT", "Wed, 04-Mar-26 05:06:17 GMT", "Wednesday, 04-Mar-٢٦ 05:06:17 GMT",
    "Wednesday, 04-Mar-26 05:06:17", "Wed Mar 004 05:06:17 2026", "Xyz Mar  4 05:06:17 2026",
    "Wednesday, -Mar-26 05:06:17 GMT", "Wed Mar  4 05:06 2026", "Wed Feb 30 05:06:17 2026",
    "soon", "-5", "1.5", "", "Wed, 04 Foo 2026 05:06:17 GMT", "Wed, 04 Mar 2026 05:06:17 CET", "٣",
  ])
  func whatIsNoTimeIsNoTime(value: String) {
    #expect(pause(503, value) == nil)
    #expect(pause(429, value) == RetryAfter.unnamed)
  }

  @Test func nobodySilencesATargetForLong() {
    #expect(pause(503, "999999999999999999999999") == RetryAfter.longest)
    #expect(pause(503, "86400") == .seconds(86_400) && pause(503, "86401") == RetryAfter.longest)
    #expect(pause(503, "Wed, 04 Mar 2099 05:06:17 GMT") == RetryAfter.longest)
    #expect(pause(503, String(repeating: "9", count: 100_000)) == nil)
  }
}
