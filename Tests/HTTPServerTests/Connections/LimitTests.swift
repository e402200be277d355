import HTTPServer
import HTTPTestKit
import TestKit
import TestTraits
import Testing

/// What a peer may cost, and that the server serves on after each attempt.
@Suite(.ownThread) struct LimitTests {
  @Test(arguments: Curl.Version.allCases)
  func refusesBodiesThatAreTooLarge(version: Curl.Version) async throws {
    var limits = HTTPServerLimits()
    limits.bodyBytes = 1000
    try await withServer(limits) { server in
      let fits = try await server.curl.ask("/echo", version, body: String(repeating: "x", count: 1000))
      #expect(fits.status == 200)
      let declared = try await server.curl.ask("/echo", version, body: String(repeating: "x", count: 1001))
      #expect(declared.status == 413)
      #expect(declared.body == "\"bodyTooLarge\"")
      let huge = try await server.curl.ask("/echo", version, body: String(repeating: "x", count: 3_000_000))
      #expect(huge.status == 413)
    }
  }

  @Test func refusesBodiesOfUndeclaredLength() async throws {
    var limits = HTTPServerLimits()
    limits.bodyBytes = 1000
    try await withServer(limits) { server in
      let chunked = try await server.curl.ask(
        "/echo", .http1, headers: ["Transfer-Encoding: chunked"], body: String(repeating: "x", count: 5000))
      #expect(chunked.status == 413)
      #expect(chunked.headers["connection"] == "close")
      let events = try await server.h2.run(
        #"""
        [{"request": {"path": "/echo", "body_bytes": 5000, "length": false}}, {"until": {"done": 1}},
         {"request": {"path": "/echo", "body_bytes": 1000, "length": false}}, {"until": {"done": 2}}]
        """#)
      #expect(events.answers.map(\.status) == [413, 200], "the connection stays of use")
    }
  }

  @Test func refusesEndlessHeaders() async throws {
    try await withServer { server in
      let long = "x-long: " + String(repeating: "a", count: 20_000)
      await #expect(throws: Curl.Failed.self) { try await server.curl.ask("/echo", .http2, headers: [long]) }
      let plain = try await server.send(
        "GET /echo HTTP/1.1\r\nhost: x\r\n\(long)\r\n\r\n", alpn: "http/1.1")
      #expect(!plain.output.contains("200"))
      #expect(plain.status == 0, "the connection was left open")
      #expect(try await server.curl.ask("/echo").status == 200)
    }
  }

  @Test func turnsConnectionsAwayThatAreTooMany() async throws {
    var limits = HTTPServerLimits()
    limits.connections = 2
    try await withServer(limits) { server in
      // Both have shown who they are, and have a request open.
      let hold =
        #"[{"request": {"path": "/login"}}, {"until": {"done": 1}}, {"request": {"path": "/hold"}}, {"until": {"done": 2}}]"#
      async let first = server.h2.run(hold)
      async let second = server.h2.run(hold)
      try await eventually { server.held == 2 }
      await #expect(throws: Curl.Failed.self) { try await server.curl.ask("/echo") }
      server.release()
      let events = try await first + second
      #expect(events.answers.count == 4)
      try await eventually { server.closed == 2 }
      #expect(try await server.curl.ask("/echo").status == 200)
    }
  }

  @Test func givesUpOnRequestsThatNeverEnd() async throws {
    var limits = HTTPServerLimits()
    limits.requestTimeout = .milliseconds(150)
    try await withServer(limits) { server in
      let events = try await server.h2.run(
        #"[{"request": {"path": "/echo", "body_bytes": 10, "end": false, "length": false}}, {"until": {"done": 1}}]"#
      )
      #expect(events.answers.map(\.status) == [408])
      let slow = try await server.send(
        "POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc", alpn: "http/1.1")
      #expect(slow.output.hasPrefix("HTTP/1.1 408"))
      #expect(slow.status == 0)
    }
  }

  @Test func closesWhatNeverShakesHands() async throws {
    var limits = HTTPServerLimits()
    limits.handshakeTimeout = .milliseconds(150)
    try await withServer(limits) { server in
      let outcome = try await server.send("", alpn: "plain", timeout: 20)
      #expect(outcome.status == 0)
      #expect(server.opened == 0)
    }
  }

  @Test func closesWhatStaysSilent() async throws {
    var limits = HTTPServerLimits()
    limits.idleTimeout = .milliseconds(1500)
    try await withServer(limits) { server in
      async let silent = server.send("", alpn: "http/1.1", timeout: 20)
      async let ended = server.h2.run(
        #"[{"request": {"path": "/echo"}}, {"until": {"done": 1}}, {"until": {"closed": true}}]"#)
      // An open request is not idleness.
      async let held = server.h2.run(
        #"[{"request": {"path": "/silence"}}, {"until": {"idle_ms": 2500}}, {"request": {"path": "/echo"}}, {"until": {"done": 1}}]"#
      )
      let (first, second, third) = try await (silent, ended, held)
      #expect(first.status == 0)
      #expect(second.goAways.map(\.code) == [0])
      #expect(third.answers.map(\.stream) == [3])
    }
  }

  @Test func boundsUnfinishedBodiesTogether() async throws {
    var limits = HTTPServerLimits()
    limits.bufferedBytes = 7000
    try await withServer(limits) { server in
      let events = try await server.h2.run(
        #"""
        [{"request": {"path": "/echo", "body_bytes": 2000, "end": false, "length": false, "count": 3}},
         {"until": {"done": 1}}, {"data": {"stream": 1, "bytes": 10}}, {"data": {"stream": 3, "bytes": 10}},
         {"until": {"done": 3}}, {"request": {"path": "/echo", "body_bytes": 4000, "end": false, "length": false}},
         {"data": {"stream": 7, "bytes": 10}}, {"until": {"done": 4}}]
        """#)
      #expect(events.answers.map(\.status) == [503, 200, 200, 200])
      #expect(events.answers.map(\.stream).first == 5)
    }
  }

  @Test func endsFloodsOfResets() async throws {
    var limits = HTTPServerLimits()
    limits.resetsPerTenth = 5
    try await withServer(limits) { server in
      let steps = (0..<400).map {
        #"{"request": {"path": "/silence"}}, {"reset": {"stream": \#(2 * $0 + 1)}}"#
      }
      let events = try await server.h2.run(
        "[{\"until\": {\"max_streams\": 100}}, {\"hold\": true}, \(steps.joined(separator: ",")), {\"hold\": false},"
          + " {\"until\": {\"closed\": true}}]")
      #expect(events.goAways.first?.code == 11, "ENHANCE_YOUR_CALM")
      #expect(try await server.curl.ask("/echo").status == 200)
    }
  }

  @Test func endsFloodsOfPings() async throws {
    var limits = HTTPServerLimits()
    limits.controlFramesPerSecond = 20
    try await withServer(limits) { server in
      let events = try await server.h2.run(
        #"[{"until": {"max_streams": 100}}, {"ping": 5000}, {"until": {"closed": true}}]"#)
      #expect(events.goAways.first?.code == 11)
    }
  }

  /// Frames of all types, flags and streams, some well-formed, with bodies of noise.
  @Test(arguments: 1...8) func survivesBrokenFrames(seed: UInt64) async throws {
    try await withServer { server in
      var state = seed &* 0x9E37_79B9_7F4A_7C15
      func random(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
      }
      func hexadecimal(_ value: Int, _ bytes: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 2 * bytes - digits.count) + digits
      }
      let frames = (0..<60).map { _ in
        let length = [0, 4, 5, 8, random(40), random(2000)][random(6)]
        let body = (0..<length).map { _ in hexadecimal(random(256), 1) }.joined()
        return hexadecimal(length, 3) + hexadecimal(random(12), 1) + hexadecimal(random(256), 1)
          + hexadecimal([0, 1, 3, 2 * random(50) + 1, random(1 << 31)][random(5)], 4) + body
      }
      let steps = frames.map { "{\"raw\": \"\($0)\"}" }.joined(separator: ",")
      let events = try await server.h2.run("[\(steps), {\"until\": {\"closed\": true}}]")
      #expect(events.last?.event == "closed")
      #expect(try await server.curl.ask("/echo").status == 200)
    }
  }

  @Test func survivesNoise() async throws {
    try await withServer { server in
      let noise = String(repeating: "\u{1}\u{7F}noise", count: 500)
      for alpn in ["plain", "http/1.1", "none", "h2"] {
        let outcome = try await server.send(noise, alpn: alpn)
        #expect(outcome.status == 0, "\(alpn): the connection was left open")
        #expect(!outcome.output.contains("200"))
      }
      // HTTP/2 without TLS, HTTP/1.1 with two lengths, and a header without a name.
      #expect(try await server.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", alpn: "plain").status == 0)
      for header in ["content-length: 3\r\ncontent-length: 4", ": x", "a b: c", "content-length: -1"] {
        let outcome = try await server.send(
          "POST /echo HTTP/1.1\r\nhost: x\r\n\(header)\r\n\r\nabc", alpn: "http/1.1")
        #expect(outcome.output.hasPrefix("HTTP/1.1 4"), "\(header): \(outcome.output)")
      }
      #expect(try await server.curl.ask("/echo").status == 200)
    }
  }
}
