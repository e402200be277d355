import Foundation
import HTTPTestKit
import Measurement
import TestKit
import TestTraits
import Testing

@testable import HTTPServer

@Suite("Failed TLS handshakes", .ownThread) struct HandshakeTests {
  @Test("a client that does not trust the certificate is counted by its alert", arguments: ["1.2", "1.3"])
  func mistrust(version: String) async throws {
    try await withServer { server in
      let outcome = try await Programs.run(
        "curl",
        [
          "-sS", "--tlsv\(version)", "--tls-max", version, "--max-time", "30",
          "https://127.0.0.1:\(server.port)/",
        ])
      #expect(outcome.status == 60, "\(outcome.error)")
      try await eventually("the alert arrives") { server.handshakes.isEmpty ? nil : true }
      #expect(server.handshakes == [.unknownCA])
      // One that trusts it is none.
      #expect(try await server.curl.ask("/echo").status == 200)
      #expect(server.handshakes.count == 1)
    }
  }

  @Test("what is not TLS, too slow, or given up is told apart, and a look at the port is nothing")
  func others() async throws {
    var limits = HTTPServerLimits()
    limits.handshakeTimeout = .seconds(2)
    try await withServer(limits) { server in
      _ = try await server.send("GET / HTTP/1.1\r\n\r\n", alpn: "plain")
      try await eventually("it is refused") { server.handshakes == [.notTLS] ? true : nil }
      // The beginning of a ClientHello of 80 bytes.
      let beginning = "\u{16}\u{3}\u{1}\u{0}\u{50}\u{1}\u{0}"
      _ = try await server.send(beginning, alpn: "plain", timeout: 0.2)
      try await eventually("it is closed") { server.handshakes == [.notTLS, .closed] ? true : nil }
      _ = try await server.send("", alpn: "plain", timeout: 0.1)
      _ = try await server.send(beginning, alpn: "plain", timeout: 30)
      try await eventually("it is too slow") {
        server.handshakes == [.notTLS, .closed, .timeout] ? true : nil
      }
    }
  }

  @Test("an address is kept without the part that tells one client from another")
  func network() {
    #expect(SourceAddress.network("192.0.2.77") == "192.0.2.0/24")
    #expect(SourceAddress.network("::ffff:192.0.2.77") == "192.0.2.0/24")
    #expect(SourceAddress.network("2001:db8:1:2a3b::7") == "2001:db8:1:2a00::/56")
    #expect(SourceAddress.network("::1") == "0:0:0:0::/56")
    #expect(SourceAddress.network("") == "an unknown address")
  }
}
