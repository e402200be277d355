import Foundation
import HTTPServer
import HTTPTestKit
import TestKit
import TestTraits
import Testing

/// What a responder can do to a stream or a connection, seen by python-h2.
@Suite(.ownThread) struct HTTP2ConnectionTests {
  @Test func announcesAndChangesTheStreamLimit() async throws {
    var limits = HTTPServerLimits()
    limits.concurrentStreams = 3
    try await withServer(limits) { server in
      let events = try await server.h2.run(
        #"""
        [{"until": {"max_streams": 3}}, {"request": {"path": "/limit/50"}}, {"until": {"max_streams": 50}},
         {"request": {"path": "/empty", "count": 40}}, {"until": {"done": 41}},
         {"request": {"path": "/limit/2"}}, {"until": {"max_streams": 2}}]
        """#)
      #expect(events.streamLimits == [3, 50, 2])
      #expect(events.answers.allSatisfy { $0.status == 200 })
    }
  }

  @Test func endsAConnectionThatIgnoresTheLimit() async throws {
    var limits = HTTPServerLimits()
    limits.concurrentStreams = 2
    try await withServer(limits) { server in
      let events = try await server.h2.run(
        #"""
        [{"until": {"max_streams": 2}}, {"break_limit": true}, {"request": {"path": "/silence", "count": 3}},
         {"until": {"closed": true}}]
        """#)
      #expect(events.goAways.first?.code == 1, "PROTOCOL_ERROR")
      #expect(try await server.curl.ask("/echo").status == 200)
    }
  }

  @Test func resetsStreams() async throws {
    try await withServer { server in
      let events = try await server.h2.run(
        #"""
        [{"request": {"path": "/reset", "body": "x"}}, {"request": {"path": "/refuse"}},
         {"request": {"path": "/echo"}}, {"until": {"done": 3}}]
        """#)
      #expect(events.resets.map(\.code) == [2, 7])
      #expect(events.resets.map(\.stream) == [1, 3])
      #expect(events.answers.map(\.stream) == [5])
    }
  }

  @Test func saysGoAwayAndStillAnswers() async throws {
    try await withServer { server in
      let events = try await server.h2.run(
        #"""
        [{"request": {"path": "/hold"}}, {"request": {"path": "/goaway"}}, {"until": {"closed": true}}]
        """#)
      #expect(events.goAways.map(\.code) == [11])
      #expect(events.goAways.map(\.debug) == ["tired"])
      #expect(events.goAways.map(\.lastStream) == [3])
      #expect(Set(events.answers.compactMap(\.stream)) == [1, 3])
      #expect(events.last?.event == "closed")
    }
  }

  @Test func canStaySilentAndForgetsWhatTheClientResets() async throws {
    var limits = HTTPServerLimits()
    limits.concurrentStreams = 1
    try await withServer(limits) { server in
      let events = try await server.h2.run(
        #"""
        [{"until": {"max_streams": 1}}, {"request": {"path": "/silence"}}, {"until": {"idle_ms": 100}},
         {"reset": {"stream": 1}}, {"request": {"path": "/echo"}}, {"until": {"done": 1}}]
        """#)
      #expect(events.answers.map(\.stream) == [3])
    }
  }

  @Test func disconnects() async throws {
    try await withServer { server in
      let events = try await server.h2.run(
        #"[{"request": {"path": "/disconnect"}}, {"until": {"closed": true}}]"#)
      #expect(events.goAways.isEmpty)
      #expect(events.answers.isEmpty)
    }
  }

  @Test func takesBodiesInManyFramesOnManyStreams() async throws {
    try await withServer { server in
      let events = try await server.h2.run(
        #"""
        [{"request": {"path": "/echo", "body_bytes": 65536, "count": 40}},
         {"request": {"path": "/echo", "end": false, "length": false, "body_bytes": 1000}},
         {"data": {"stream": 81, "bytes": 500, "end": false}}, {"data": {"stream": 81, "bytes": 0, "end": true}},
         {"until": {"done": 41}}]
        """#)
      #expect(events.answers.filter { $0.body == "POST /echo 2 65536  127.0.0.1" }.count == 40)
      #expect(events.answers.contains { $0.body == "POST /echo 2 1500  127.0.0.1" })
    }
  }

  /// The answer to HEAD has the fields that GET's would have, and no body; the connection serves on.
  @Test func answersHEADWithoutABody() async throws {
    try await withServer { server in
      let events = try await server.h2.run(
        #"""
        [{"request": {"path": "/echo", "method": "HEAD"}}, {"request": {"path": "/stream/3", "method": "HEAD"}},
         {"until": {"done": 2}}, {"request": {"path": "/echo", "method": "GET"}}, {"until": {"done": 3}}]
        """#)
      #expect(events.answers.map(\.status) == [200, 200, 200])
      #expect(events.answers.map(\.body) == ["", "", "GET /echo 2 0  127.0.0.1"])
      #expect(events.answers[0].headers?["content-length"] == "25")
      #expect(server.ended == 1)
      let outcome = try await server.send(
        "HEAD /echo HTTP/1.1\r\nhost: x\r\n\r\nHEAD /stream/2 HTTP/1.1\r\nhost: x\r\n\r\n"
          + "GET /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        alpn: "http/1.1")
      let answers = outcome.output.components(separatedBy: "HTTP/1.1 200 OK\r\n").dropFirst()
      #expect(
        answers.map { $0.components(separatedBy: "\r\n\r\n").last } == ["", "", "GET /echo 1.1 0  127.0.0.1"])
    }
  }

  @Test func ignoresTrailersAndUnknownFrames() async throws {
    try await withServer { server in
      // A frame of the unassigned type 0xFA on stream 0 (RFC 9113 section 5.5).
      let events = try await server.h2.run(
        #"""
        [{"until": {"max_streams": 100}}, {"raw": "000003fa0000000000aabbcc"}, {"request": {"path": "/echo"}},
         {"until": {"done": 1}}]
        """#)
      #expect(events.answers.map(\.status) == [200])
    }
  }
}
