import Testing

@testable import Collector

@Suite struct CurlTextTests {
  private func read(_ text: String) -> CurlText? {
    Array(text.utf8).withUnsafeBytes { CurlText($0) }
  }

  @Test func knowsGoawayInBothSpellings() {
    #expect(read("recveived GOAWAY, error=0, last_stream=7\n") == .goaway(error: 0, lastStream: 7))
    #expect(
      read("received GOAWAY, error=11, last_stream=2147483647\n")
        == .goaway(error: 11, lastStream: 2_147_483_647))
    #expect(read("[0] received GOAWAY, error=2") == .goaway(error: 2, lastStream: nil))
  }

  @Test func knowsRetries() {
    #expect(read("Connection died, retrying a fresh connect (retry count: 1)\n") == .retry)
    #expect(read("REFUSED_STREAM, retrying a fresh connect\n") == .refused)
  }

  @Test func passesOverTheRest() {
    for line in [
      "", "x", "Connection #0 to host 127.0.0.1 left intact\n", "We are completely uploaded and fine\n",
      "received something else altogether\n", String(repeating: "r", count: 100_000),
    ] {
      #expect(read(line) == nil)
    }
  }
}
