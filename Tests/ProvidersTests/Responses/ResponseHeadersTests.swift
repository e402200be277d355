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
