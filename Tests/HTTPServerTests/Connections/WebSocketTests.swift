import Foundation
import HTTPServer
import HTTPTestKit
import Measurement
import TestKit
import TestTraits
import Testing

/// A WebSocket with a client that sends what no browser would (Tests/Support/websocket_client.py).
@Suite(.ownThread, .enabled(if: Python.has("wsproto"))) struct WebSocketTests {
  private struct Outcome: Decodable {
    var status: Int?
    var version: String?
    var texts: [String]
    var pongs: [String]
    var closed: Int?
    var reason: String
  }

  private func run(_ cases: [String]) async throws -> [Outcome] {
    try await withServer { server in
      let outcome = try await Programs.run(
        Programs.python,
        [
          "\(Programs.scripts)/websocket_client.py", "\(server.port)", server.credentials.authorityFile,
          "/socket",
        ],
        input: "[" + cases.joined(separator: ",") + "]")
      let outcomes = try outcome.output.split(separator: "\n").map {
        try JSONDecoder().decode(Outcome.self, from: Data($0.utf8))
      }
      try #require(outcomes.count == cases.count, "\(outcome.error)")
      return outcomes
    }
  }

  /// Frames of a client, and the code that the server ends with.
  private static let ends: [(frames: String, code: Int)] = [
    (#"{"opcode": 8}"#, 1000),
    (#"{"opcode": 8, "hex": "03e9"}"#, 1001),
    (#"{"opcode": 8, "hex": "0bb8c3a4"}"#, 3000),
    (#"{"opcode": 8, "hex": "1387"}"#, 4999),
    (#"{"opcode": 8, "hex": "03"}"#, 1002),
    (#"{"opcode": 8, "hex": "03e7"}"#, 1002),
    (#"{"opcode": 8, "hex": "0000"}"#, 1002),
    (#"{"opcode": 8, "hex": "03ec"}"#, 1002),
    (#"{"opcode": 8, "hex": "03ed"}"#, 1002),
    (#"{"opcode": 8, "hex": "03ee"}"#, 1002),
    (#"{"opcode": 8, "hex": "03f7"}"#, 1002),
    (#"{"opcode": 8, "hex": "03f8"}"#, 1002),
    (#"{"opcode": 8, "hex": "0bb7"}"#, 1002),
    (#"{"opcode": 8, "hex": "1388"}"#, 1002),
    (#"{"opcode": 8, "hex": "03e8c3"}"#, 1007),
    (#"{"opcode": 1, "hex": "c328"}"#, 1007),
    (#"{"opcode": 1, "hex": "c3", "fin": false}, {"opcode": 0, "hex": "28"}"#, 1007),
    (#"{"opcode": 1, "text": "x", "mask": false}"#, 1002),
    (#"{"opcode": 8, "hex": "03e8", "mask": false}"#, 1002),
    (#"{"opcode": 9, "mask": false}"#, 1002),
    (#"{"opcode": 1, "text": "x", "rsv": 4}"#, 1002),
    (#"{"opcode": 1, "text": "x", "rsv": 2}"#, 1002),
    (#"{"opcode": 9, "rsv": 1}"#, 1002),
    (#"{"opcode": 1, "text": "x", "fin": false}, {"opcode": 0, "text": "x", "rsv": 4}"#, 1002),
    (#"{"opcode": 3}"#, 1002),
    (#"{"opcode": 11}"#, 1002),
    (#"{"opcode": 2, "text": "x"}"#, 1003),
    (#"{"opcode": 0, "text": "x"}"#, 1002),
    (#"{"opcode": 1, "text": "x", "fin": false}, {"opcode": 1, "text": "x"}"#, 1002),
    (#"{"opcode": 9, "text": "x", "fin": false}"#, 1002),
    (#"{"raw": "89fe007e"}"#, 1002),
    (#"{"raw": "81ffffffffffffffffff"}"#, 1009),
    (#"{"raw": "81ff0000000000ffffff"}"#, 1009),
  ]

  @Test func endsCarryACode() async throws {
    let outcomes = try await run(Self.ends.map { "{\"frames\": [\($0.frames)]}" })
    for (outcome, (frames, code)) in zip(outcomes, Self.ends) {
      #expect(outcome.closed == code, "\(frames): \(outcome)")
      #expect(outcome.texts.isEmpty, "\(frames)")
    }
  }

  @Test func messagesAreWholeAndBounded() async throws {
    let close = #"{"opcode": 8, "hex": "03e8"}"#
    let empty =
      #"{"opcode": 1, "text": "a", "fin": false}, {"opcode": 0, "fin": false}, {"opcode": 9, "hex": "01"}"#
    let part = String(repeating: "x", count: 40_000)
    let crowd = Array(repeating: #"{"opcode": 0, "fin": false}"#, count: WebSocketTests.fragments)
    let outcomes = try await run([
      "{\"frames\": [\(empty), {\"opcode\": 0, \"text\": \"ä\"}, \(close)]}",
      "{\"frames\": [{\"opcode\": 1, \"text\": \"\(part)\", \"fin\": false}, {\"opcode\": 0, \"text\": \"\(part)\"}]}",
      "{\"frames\": [{\"opcode\": 1, \"fin\": false}, \(crowd.joined(separator: ","))]}",
    ])
    #expect(outcomes[0].texts == ["aä"] && outcomes[0].pongs == ["01"] && outcomes[0].closed == 1000)
    #expect(outcomes[1].closed == 1009 && outcomes[1].texts.isEmpty)
    #expect(outcomes[2].closed == 1009)
  }

  /// More than a message may have.
  private static let fragments = 1100

  /// What a request differs in, and the answer's status.
  private static let requests: [(changes: String, status: Int)] = [
    (#""headers": {"connection": "keep-alive, upgrade", "upgrade": "h2c, WebSocket"}"#, 101),
    (#""headers": {"sec-websocket-version": "8"}"#, 426),
    (#""headers": {"sec-websocket-version": null}"#, 426),
    (#""headers": {"sec-websocket-version": "13, 8"}"#, 426),
    (#""headers": {"sec-websocket-key": null}"#, 400),
    (#""headers": {"sec-websocket-key": "AAAA"}"#, 400),
    (#""headers": {"sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAAAA"}"#, 400),
    (#""headers": {"sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAA_=="}"#, 400),
    (#""headers": {"connection": "keep-alive"}"#, 404),
    (#""headers": {"connection": null}"#, 404),
    (#""headers": {"connection": "upgraded"}"#, 404),
    (#""headers": {"upgrade": "websockets"}"#, 404),
    (#""version": "1.0""#, 404),
    (#""method": "POST", "headers": {"content-length": "0"}"#, 404),
  ]

  @Test func onlyAValidRequestIsUpgraded() async throws {
    let outcomes = try await run(
      Self.requests.map { "{\($0.changes), \"frames\": [{\"opcode\": 8}]}" })
    for (outcome, (changes, status)) in zip(outcomes, Self.requests) {
      #expect(outcome.status == status, "\(changes)")
      if [400, 426].contains(status) { #expect(outcome.version == "13", "\(changes)") }
    }
  }
}
