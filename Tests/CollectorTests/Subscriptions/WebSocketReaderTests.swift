import Foundation
import Measurement
import TestKit
import TestTraits
import Testing

@testable import Collector

@Suite("A WebSocket's client") struct WebSocketReaderTests {
  private func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [first, UInt8(payload.count)] + payload
  }

  private func read(_ bytes: [UInt8], by step: Int = .max, maximumBytes: Int = 1000) throws
    -> [WebSocketReader.Message]
  {
    var reader = WebSocketReader(maximumBytes: maximumBytes)
    var messages: [WebSocketReader.Message] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      reader.append(rest.prefix(step))
      rest = rest.dropFirst(step)
      while let message = try reader.next() { messages.append(message) }
    }
    return messages
  }

  @Test("messages are the same however their bytes are cut", arguments: [1, 2, 3, 7, .max]) func cut(
    step: Int
  ) throws {
    let long = [UInt8](repeating: 0x61, count: 300)
    let bytes =
      frame(0x81, Array("one".utf8)) + frame(0x89, [1]) + frame(0x01, Array("tw".utf8)) + frame(0x8A, [])
      + frame(0x80, Array("o".utf8)) + [0x81, 126, 1, 44] + long + frame(0x88, [3, 0xE9] + Array("bye".utf8))
      + frame(0x88, [])
    #expect(
      try read(bytes, by: step) == [
        .text(Array("one".utf8)), .ping([1]), .pong([]), .text(Array("two".utf8)), .text(long),
        .close(code: 1001, reason: "bye"), .close(code: nil, reason: ""),
      ])
  }

  @Test(
    "what RFC 6455 forbids a server, and what is too long, ends the connection",
    arguments: [
      ([0xC1, 0x00], 1002), ([0x83, 0x00], 1002), ([0x81, 0x80, 0, 0, 0, 0], 1002), ([0x09, 0x00], 1002),
      ([0x89, 126, 0, 126], 1002), ([0x80, 0x00], 1002), ([0x01, 0x00, 0x81, 0x00], 1002),
      ([0x82, 0x00], 1003),
      ([0x81, 0x02, 0xC3, 0x28], 1007), ([0x88, 0x01, 3], 1002), ([0x88, 0x02, 3, 0xED], 1002),
      ([0x88, 0x03, 3, 0xE8, 0xC3], 1007), ([0x81, 126, 3, 0xE9], 1009), ([0x81, 126, 0, 10], 1002),
      ([0x81, 127, 0, 0, 0, 0, 0, 0, 0, 10], 1002), ([0x81, 127, 0xFF, 0, 0, 0, 0, 0, 0, 0], 1009),
      ([0x01, 126, 2, 0x58] + [UInt8](repeating: 0x61, count: 600) + [0x80, 126, 1, 0x91], 1009),
    ] as [([UInt8], Int)])
  func violations(bytes: [UInt8], code: Int) {
    let violation = #expect(throws: WebSocketReader.Violation.self) { try read(bytes) }
    #expect(violation?.code == code, "\(violation?.reason ?? "")")
  }

  @Test(
    "frames are what another program reads, whatever their length", .ownThread,
    .enabled(if: Python.has("wsproto")))
  func frames() throws {
    let sizes = [0, 1, 125, 126, 65_535, 65_536]
    let bytes =
      sizes.flatMap {
        WebSocketWriter.frame(.text, [UInt8](repeating: 0x62, count: $0), mask: [1, 2, 3, UInt8($0 & 0xFF)])
      } + WebSocketWriter.frame(.ping, [7], mask: [0, 0, 0, 9])
      + WebSocketWriter.frame(
        .close, WebSocketWriter.closePayload(1001) + Array("bye".utf8), mask: [9, 8, 7, 6])
    let output = try Python.run(
      """
      import sys
      from wsproto.frame_protocol import FrameProtocol
      protocol = FrameProtocol(client=False, extensions=[])
      protocol.receive_bytes(open(sys.argv[1], 'rb').read())
      sizes = {}
      for frame in protocol.received_frames():
          name = frame.opcode.name
          if name in ('TEXT', 'CONTINUATION'):
              assert set(frame.payload) <= {'b'}
              sizes[len(sizes)] = len(frame.payload)
              assert frame.message_finished
          else:
              print(name, frame.payload)
      print(list(sizes.values()))
      """, input: bytes)
    #expect(output.contains("[0, 1, 125, 126, 65535, 65536]"), "\(output)")
    #expect(output.contains("CLOSE") && output.contains("1001") && output.contains("PING"), "\(output)")
  }

  @Test("a text in fragments without end is refused; one in as many as are allowed is read")
  func fragments() throws {
    func bytes(_ count: Int) -> [UInt8] {
      frame(0x01, []) + (2..<count).flatMap { _ in frame(0x00, []) } + frame(0x80, [0x61])
    }
    #expect(try read(bytes(WebSocketReader.mostFragments)) == [.text([0x61])])
    let violation = #expect(throws: WebSocketReader.Violation.self) {
      try read(bytes(WebSocketReader.mostFragments + 1))
    }
    #expect(violation?.code == 1008)
  }

  @Test("damaged frames are messages or a violation, and never more than may be", arguments: 1...20)
  func damaged(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let good =
      frame(0x81, Array("one".utf8)) + frame(0x01, [0x61]) + frame(0x89, [1]) + frame(0x80, [0x62])
      + [0x81, 126, 1, 44] + [UInt8](repeating: 0x61, count: 300) + frame(0x88, [3, 0xE9])
    for _ in 0..<200 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
      guard let messages = try? read(bytes, by: Int.random(in: 1...400, using: &generator), maximumBytes: 310)
      else {
        continue
      }
      for case .text(let text) in messages { #expect(text.count <= 310) }
    }
  }

  // MARK: Opening

  /// The example of RFC 6455, section 1.3.
  private static let nonce = Array("the sample nonce".utf8)
  private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

  private func open(_ answer: String, by step: Int = .max) throws -> [UInt8]? {
    var opening = WebSocketOpening(nonce: Self.nonce, protocols: ["push-notification"])
    var rest = Array(answer.utf8)[...]
    while !rest.isEmpty {
      let part = rest.prefix(step)
      rest = rest.dropFirst(step)
      if let behind = try opening.receive(part) { return behind + rest }
    }
    return nil
  }

  private static let good =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    + "Sec-WebSocket-Accept: \(accept)\r\n"

  @Test(
    "the standard's example opens it, and what stands behind the answer is kept", arguments: [1, 5, .max])
  func opens(step: Int) throws {
    #expect(try open(Self.good + "\r\nxyz", by: step) == Array("xyz".utf8))
    #expect(try open(Self.good + "Sec-WebSocket-Protocol: push-notification\r\n\r\n", by: step) == [])
    #expect(try open(Self.good, by: step) == nil)
    let request = String(
      decoding: WebSocketOpening(nonce: Self.nonce).request(authority: "h:1", target: "", userAgent: "u"),
      as: UTF8.self)
    #expect(request.hasPrefix("GET / HTTP/1.1\r\nHost: h:1\r\n") && request.hasSuffix("\r\n\r\n"))
    #expect(request.contains("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"))
  }

  @Test(
    "any other answer does not",
    arguments: [
      good.replacing("101", with: "200"), good.replacing("s3p", with: "S3p"),
      good.replacing("keep-alive, Upgrade", with: "x"),
      good.replacing("websocket", with: "h2c"), good + "Sec-WebSocket-Extensions: permessage-deflate\r\n",
      good + "Sec-WebSocket-Protocol: other\r\n", "nonsense\r\n", "",
      "HTTP/1.1 101 X\r\n" + String(repeating: "a: b\r\n", count: 2000),
    ])
  func refuses(answer: String) {
    #expect(throws: WebSocketOpening.Failure.self) { try open(answer + "\r\n") }
  }

  @Test("a line without end is not kept") func endless() {
    #expect(throws: WebSocketOpening.Failure.self) {
      try open(String(repeating: "a", count: 100_000), by: 1000)
    }
  }
}
