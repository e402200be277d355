import Foundation
import HTTPServer
import HTTPTestKit
import Measurement
import TestTraits
import Testing

@testable import Collector

/// Damaged requests against a listener that runs: each is answered in bounds or cut off, and the next good one is served.
@Suite(.ownThread) struct ReceiptListenerFuzzTests {
  private static let pieces = [
    "{", "}", "[", "\"", ":", ",", "null", "-1", "1e999", "9223372036854775808", "\\u0000", "\\ud800",
    "\u{1B}[2J",
    "\u{202E}", "é", String(repeating: "[", count: 3000), String(repeating: "9", count: 3000),
  ]
  private static let headers = [
    "content-length: 5", "content-length: -1", "content-length: 99999999999999999999",
    "transfer-encoding: chunked",
    "transfer-encoding: gzip", "expect: 100-continue", "content-type: \u{202E}x", "te: trailers",
    "cookie: a=b; c=d",
    "host: evil.example", "content-encoding: gzip", "x-long: " + String(repeating: "a", count: 6000),
    "connection: close",
    "upgrade: h2c", "range: bytes=0-9", "accept: */*", "x-empty;",
  ]
  private static let allowed: Set<Int> = [
    200, 202, 400, 401, 404, 405, 408, 411, 413, 414, 417, 429, 431, 501, 503,
  ]

  @Test(arguments: ["/v1/clock", "/v1/receipts"], [1, 2] as [UInt64])
  func answersInBounds(path: String, seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    try await withListener { listener in
      let good =
        path == "/v1/clock"
        ? "{\"t1\":1700000000000000000}" : "{\"receipts\":[\(listener.receipt(listener.id(1)))]}"
      for round in 0..<24 {
        var scalars = Array(good.unicodeScalars)
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
          let place = Int.random(in: 0...scalars.count, using: &generator)
          if Bool.random(using: &generator) {
            scalars.insert(
              contentsOf: (Self.pieces.randomElement(using: &generator) ?? "").unicodeScalars, at: place)
          } else {
            let end = min(scalars.count, place + Int.random(in: 1...9, using: &generator))
            scalars.removeSubrange(place..<end)
          }
        }
        let headers = (0..<Int.random(in: 0...2, using: &generator)).compactMap { _ in
          Self.headers.randomElement(using: &generator)
        }
        do {
          let answer = try await listener.curl.ask(
            path, round.isMultiple(of: 2) ? .http2 : .http1, headers: headers,
            body: String(String.UnicodeScalarView(scalars)), arguments: ["--max-time", "3"])
          #expect(Self.allowed.contains(answer.status), "\(answer.status) for \(headers)")
          #expect(answer.body.utf8.count < 400)
          #expect(!answer.body.unicodeScalars.contains(where: EscapedText.isHarmful), "\(answer.body)")
        } catch is Curl.Failed {
          // The connection was cut, or curl itself would not send it: the listener must be there still.
        }
      }
      #expect(try await listener.curl.ask("/v1/clock", body: "{\"t1\":5}").status == 200)
    }
  }
}
