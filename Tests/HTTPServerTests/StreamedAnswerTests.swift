import HTTPServer
import HTTPTestKit
import TestKit
import TestTraits
import Testing

/// Answers whose body goes on.
@Suite(.ownThread) struct StreamedAnswerTests {
  @Test(arguments: Curl.Version.allCases)
  func comesInParts(version: Curl.Version) async throws {
    try await withServer { server in
      let answer = try await server.curl.ask("/stream/5", version)
      #expect(answer.status == 200)
      #expect(answer.body == "0,1,2,3,4")
      #expect(answer.headers["content-length"] == nil)
      #expect(answer.headers["x-answer"] == "yes")
      try await eventually { server.ended == 1 }
    }
  }

  @Test func leavesAnHTTP1ConnectionToTheNextRequest() async throws {
    try await withServer { server in
      let outcome = try await server.send(
        "GET /stream/3 HTTP/1.1\r\nhost: x\r\n\r\nGET /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        alpn: "http/1.1")
      #expect(outcome.output.contains("transfer-encoding: chunked"))
      #expect(outcome.output.contains("GET /echo 1.1 0"))
    }
  }

  /// A peer that asks and does not read costs no more than the limit.
  @Test func isResetWhenNobodyReads() async throws {
    try await withServer { server in
      let events = try await server.h2.run(
        #"[{"request": {"path": "/endless", "method": "GET"}}, {"hold": true}, {"until": {"done": 1}}]"#)
      #expect(events.resets.map(\.code) == [11], "ENHANCE_YOUR_CALM")
      try await eventually { server.ended == 1 }
      // 64 KiB of window, 256 KiB held back, and a few that were already on their way to the loop.
      #expect(server.sent < 200)
    }
  }

  @Test(arguments: Curl.Version.allCases)
  func endsWhenThePeerGoes(version: Curl.Version) async throws {
    try await withServer { server in
      await #expect(throws: Curl.Failed.self) {
        try await server.curl.ask("/endless", version, arguments: ["--max-time", "2"])
      }
      try await eventually { server.ended == 1 }
    }
  }

  @Test func shutdownEndsItInOrder() async throws {
    let server = try await TestServer()
    async let events = server.h2.run(
      #"[{"request": {"path": "/endless", "method": "GET"}}, {"until": {"closed": true}}]"#)
    try await eventually { server.sent > 3 }
    await server.shutdown(within: .seconds(2))
    #expect(try await events.answers.count == 1)
    #expect(server.ended == 1)
  }

  @Test func saysWhenARequestWasNotProcessed() async throws {
    try await withServer { server in
      let events = try await server.h2.run(
        #"[{"request": {"path": "/echo"}}, {"until": {"done": 1}}, {"request": {"path": "/unprocessed"}},"#
          + #" {"until": {"closed": true}}]"#)
      #expect(events.goAways.map(\.lastStream) == [1])
      #expect(events.goAways.map(\.debug) == ["later"])
      #expect(events.answers.count == 1)
    }
  }
}
