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

  @Test func onlyErrorsPause() {
    #expect(pause(200, "30") == nil)
    #expect(pause(301, "30") == nil)
    #expect(pause(500, nil) == nil)
    #expect(pause(429, nil) == RetryAfter.unnamed)
  }

  @Test(arguments: [
    "soon", "-5", "1.5", "", "Wed, 04 Foo 2026 05:06:17 GMT", "Wed, 04 Mar 2026 05:06:17 CET", "٣",
  ])
  func whatIsNoTimeIsNoTime(value: String) {
    #expect(pause(503, value) == nil)
    #expect(pause(429, value) == RetryAfter.unnamed)
  }

  @Test func nobodySilencesATargetForLong() {
    #expect(pause(503, "999999999999999999999999") == RetryAfter.longest)
    #expect(pause(503, "86400") == RetryAfter.longest)
    #expect(pause(503, "Wed, 04 Mar 2099 05:06:17 GMT") == RetryAfter.longest)
    #expect(pause(503, String(repeating: "9", count: 100_000)) == nil)
  }
}
