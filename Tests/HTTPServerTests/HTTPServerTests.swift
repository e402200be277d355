import Foundation
import HTTPServer
import HTTPTestKit
import Measurement
import NIOCore
import NIOPosix
import TestKit
import TestTraits
import Testing

@Suite(.ownThread) struct HTTPServerTests {
  @Test(arguments: Curl.Version.allCases)
  func passesRequestsOnAndAnswersBack(version: Curl.Version) async throws {
    try await withServer { server in
      let answer = try await server.curl.ask("/echo/a?b=c", version, headers: ["X-Name: Ada"], body: "hello")
      let expected = version == .http2 ? "2" : "1.1"
      #expect(answer.status == 200)
      #expect(answer.version == expected)
      #expect(answer.headers["x-answer"] == "yes")
      #expect(answer.body == "POST /echo/a?b=c \(expected) 5 Ada 127.0.0.1")
      #expect(answer.headers["content-length"] == "\(answer.body.utf8.count)")
    }
  }

  @Test func choosesByALPNAndFallsBackToHTTP1() async throws {
    try await withServer { server in
      let none = try await server.send(
        "GET /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", alpn: "none")
      #expect(none.output.hasPrefix("HTTP/1.1 200"))
    }
    try await withServer(protocols: [.http2]) { server in
      let none = try await server.send("GET /echo HTTP/1.1\r\nhost: x\r\n\r\n", alpn: "none")
      #expect(none.output.isEmpty)
      #expect(none.status == 0, "the connection was left open")
      #expect(try await server.curl.ask("/echo").status == 200)
    }
  }

  @Test func keepsPipelinedRequestsInOrder() async throws {
    try await withServer { server in
      let request = { (path: String, last: Bool) in
        "GET \(path) HTTP/1.1\r\nhost: x\r\n\(last ? "connection: close\r\n" : "")\r\n"
      }
      let outcome = try await server.send(
        request("/echo/1", false) + request("/empty", false) + request("/echo/3", true), alpn: "http/1.1")
      #expect(outcome.status == 0)
      #expect(outcome.output.components(separatedBy: "HTTP/1.1 200").count == 4)
      #expect(outcome.output.contains("\r\n\r\nGET /echo/1 1.1 0  127.0.0.1HTTP/1.1 200"))
      #expect(outcome.output.hasSuffix("\r\n\r\nGET /echo/3 1.1 0  127.0.0.1"))
    }
  }

  @Test func letsAClientThatAsksSendItsBody() async throws {
    try await withServer { server in
      let answer = try await server.curl.ask(
        "/echo", .http1, headers: ["Expect: 100-continue"], body: "hello")
      #expect(answer.body == "POST /echo 1.1 5  127.0.0.1")
      let head =
        "POST /echo HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 3\r\nconnection: close\r\n\r\n"
      let outcome = try await server.send(head + "abc", alpn: "http/1.1")
      #expect(outcome.output.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200"))
    }
  }

  @Test func onlyTheFirstAnswerCounts() async throws {
    try await withServer { server in
      for version in Curl.Version.allCases {
        let answer = try await server.curl.ask("/twice", version)
        #expect(answer.status == 200)
        #expect(answer.body == "1")
      }
    }
  }

  @Test func saysWhereItCannotListen() async throws {
    try await withServer { server in
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let identity = try ServerIdentity(
        certificateFile: server.credentials.certificateFile, keyFile: server.credentials.keyFile)
      let error = await #expect(throws: HTTPServerError.self) {
        _ = try await HTTPServer.start(
          HTTPServerConfiguration(port: server.port, identity: identity), on: group.next(),
          clock: SystemClock(), responder: NoResponder())
      }
      #expect(error?.code == .bind)
      #expect(error?.place == "127.0.0.1:\(server.port)")
      try await group.shutdownGracefully()
    }
  }

  @Test func shutdownAnswersWhatIsOpenAndCutsOffWhatIsNot() async throws {
    let server = try await TestServer()
    async let events = server.h2.run(
      #"[{"request": {"path": "/silence"}}, {"request": {"path": "/hold"}}, {"until": {"closed": true}}]"#)
    try await eventually { server.held == 1 }
    async let down: Void = server.shutdown(within: .seconds(2))
    server.release()
    await down
    let seen = try await events
    #expect(seen.goAways.first?.code == 0)
    #expect(seen.goAways.first?.lastStream == 3)
    #expect(seen.answers.map(\.stream) == [3])
    #expect(seen.answers.map(\.body) == ["\"released\""])
    #expect(server.opened == 1)
    #expect(server.closed == 1)
    await #expect(throws: Curl.Failed.self) { try await server.curl.ask("/echo") }
  }
}

struct NoResponder: HTTPResponder {
  func respond(to exchange: HTTPExchange) {}
  func answer(to violation: HTTPViolation) -> HTTPResponse { HTTPResponse(status: violation.status) }
}
