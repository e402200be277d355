import Configuration
import Foundation
import HTTPServer
import HTTPTestKit
import Measurement
import TestKit
import TestTraits
import Testing

@testable import Collector

@Suite(.ownThread) struct ReceiptListenerTests {
  @Test(arguments: Curl.Version.allCases)
  func passesReceiptsOnAndAnswersWhenTheyAreStored(version: Curl.Version) async throws {
    try await withListener { listener in
      let id = listener.id(7)
      let before = SystemClock().monotonicNow()
      let answer = try await listener.post(
        [
          listener.receipt(
            id, #""device":"phone","received_at_ms":1700000000123,"boot_id":"b","monotonic_ns":42"#)
        ], version)
      let after = SystemClock().monotonicNow()
      #expect(answer.status == 202)
      #expect(answer.version == (version == .http2 ? "2" : "1.1"))
      #expect(answer.headers["content-type"] == "application/json")
      #expect(answer.body == #"{"accepted":1,"duplicate":0,"unknown":0,"refused":0}"#)
      let receipt = try #require(listener.sink.received.first)
      #expect(listener.sink.received.count == 1)
      #expect(receipt.id == id)
      #expect(receipt.device == "phone")
      #expect(receipt.receivedAt == WallTime(microseconds: 1_700_000_000_123_000))
      #expect(receipt.bootID == "b")
      #expect(receipt.receivedMonotonic == MonotonicTime(nanoseconds: 42))
      #expect(receipt.arrivedAt > before && receipt.arrivedAt < after)
    }
  }

  @Test func answersOnlyAfterTheSinkHasReplied() async throws {
    try await withListener(repliesAtOnce: false) { listener in
      async let answer = listener.post([listener.receipt(listener.id(1))])
      try await listener.sink.until { $0.received.count == 1 }
      // A second request overtakes the first, which is still with the sink.
      #expect(try await listener.curl.ask("/nowhere").status == 404)
      listener.sink.reply(ReceiptOutcome(accepted: 0, duplicate: 1))
      #expect(try await answer.body == #"{"accepted":0,"duplicate":1,"unknown":0,"refused":0}"#)
    }
  }

  /// A device keeps what was not stored and posts it again; what is said to be refused it lets go.
  @Test func saysWhatTheStoreCouldNotTake() async throws {
    try await withListener(repliesAtOnce: false) { listener in
      async let none = listener.post([listener.receipt(listener.id(1)), listener.receipt(listener.id(2))])
      try await listener.sink.until { $0.received.count == 2 }
      listener.sink.reply(ReceiptOutcome(failed: 2))
      let refused = try await none
      #expect(refused.status == 503)
      #expect(refused.headers["retry-after"] == "60")
      async let some = listener.post([listener.receipt(listener.id(1)), listener.receipt(listener.id(3))])
      try await listener.sink.until { $0.received.count == 4 }
      listener.sink.reply(ReceiptOutcome(accepted: 1, failed: 1))
      #expect(try await some.body == #"{"accepted":1,"duplicate":0,"unknown":0,"refused":1}"#)
    }
  }

  @Test func takesAFullBatch() async throws {
    try await withListener { listener in
      let receipts = (0..<100).map { listener.receipt(listener.id($0)) }
      let answer = try await listener.post(receipts)
      #expect(answer.body == #"{"accepted":100,"duplicate":0,"unknown":0,"refused":0}"#)
      #expect(listener.sink.received.map(\.id) == (0..<100).map(listener.id))
    }
  }

  /// What a browser asks before a page or service worker of another origin may post JSON.
  @Test(arguments: Curl.Version.allCases)
  func answersPreflightRequests(version: Curl.Version) async throws {
    try await withListener { listener in
      for path in ["/v1/receipts", "/v1/clock"] {
        let answer = try await listener.curl.ask(
          path, version,
          headers: [
            "origin: https://app.example", "access-control-request-method: POST",
            "access-control-request-headers: content-type",
          ], arguments: ["-X", "OPTIONS"])
        #expect(answer.status == 204 && answer.body.isEmpty)
        #expect(answer.headers["access-control-allow-origin"] == "*")
        #expect(answer.headers["access-control-allow-methods"] == "POST")
        #expect(answer.headers["access-control-allow-headers"] == "content-type")
        #expect(answer.headers["content-length"] == nil)
      }
      #expect(
        try await listener.curl.ask("/v1/other", version, arguments: ["-X", "OPTIONS"]).status == 404)
      // A page can read how long to wait.
      let refused = try await listener.curl.ask("/v1/receipts", version, body: "nonsense")
      #expect(refused.headers["access-control-expose-headers"] == "retry-after")
      #expect(refused.headers["access-control-allow-origin"] == "*")
    }
  }

  @Test func countsClientsThatDoNotTrustTheCertificate() async throws {
    try await withListener { listener in
      _ = try await Programs.run(
        "curl", ["-sS", "--max-time", "30", "https://127.0.0.1:\(listener.port)/v1/clock"])
      try await listener.sink.until { $0.handshakes == [.unknownCA] }
    }
  }

  @Test func wantsTheRightMAC() async throws {
    try await withListener { listener in
      let good = listener.receipt(listener.id(1))
      let stolen = listener.receipt(listener.id(2), mac: listener.mac(listener.id(1)))
      let foreign =
        #"{"id":"11111111-2222-4333-8444-555555555555","mac":"\#(listener.mac(listener.id(1)))","received_at_ms":1,"device":"d"}"#
      let none = #"{"id":"x","mac":"y","received_at_ms":1,"device":"d"}"#
      for bad in [[stolen], [foreign], [none], [stolen, foreign, none]] {
        let answer = try await listener.post(bad)
        #expect(answer.status == 401)
        #expect(answer.body == #"{"error":"wrong mac"}"#)
      }
      #expect(listener.sink.received.isEmpty)
      #expect(listener.sink.refusals.map(\.count) == [1, 1, 1, 3])
      #expect(listener.sink.refusals.allSatisfy { $0.kind == .wrongMAC && $0.source == "127.0.0.1" })
      // In a mixed batch the good ones are taken and the others counted.
      let mixed = try await listener.post([stolen, good, none])
      #expect(mixed.status == 202)
      #expect(mixed.body == #"{"accepted":1,"duplicate":0,"unknown":0,"refused":2}"#)
      #expect(listener.sink.received.map(\.id) == [listener.id(1)])
    }
  }

  @Test func takesIDsInEitherCase() async throws {
    try await withListener { listener in
      let id = listener.id(3)
      let text = listener.receipt(id).replacingOccurrences(
        of: id.description, with: id.description.uppercased())
      let answer = try await listener.post([text])
      #expect(answer.status == 202)
      #expect(listener.sink.received.map(\.id) == [id])
    }
  }

  @Test func hasOneCallAndOneMethod() async throws {
    try await withListener { listener in
      let get = try await listener.curl.ask("/v1/receipts")
      #expect(get.status == 405)
      #expect(get.headers["allow"] == "POST, OPTIONS")
      #expect(get.body == #"{"error":"use POST"}"#)
      #expect(try await listener.curl.ask("/v1/receipts", arguments: ["-X", "DELETE"]).status == 405)
      for path in ["/", "/v1/receipt", "/v1/receipts/", "/v2/receipts", "//v1/receipts"] {
        let answer = try await listener.curl.ask(path, body: "{}")
        #expect(answer.status == 404, "\(path)")
        #expect(answer.body == #"{"error":"no such call"}"#)
      }
      #expect(try await listener.curl.ask("/v1/receipts?x=1", body: "{}").status == 400)
    }
  }

  @Test func saysWhatIsMalformed() async throws {
    try await withListener { listener in
      let answer = try await listener.curl.ask("/v1/receipts", body: #"{"receipts":[{"id":7}]}"#)
      #expect(answer.status == 400)
      #expect(answer.body == #"{"error":"receipts[0].id: of the wrong type"}"#)
      #expect(listener.sink.refusals == [ReceiptRefusal(.malformed, source: "127.0.0.1")])
    }
  }

  @Test(arguments: Curl.Version.allCases)
  func boundsTheBody(version: Curl.Version) async throws {
    try await withListener { listener in
      let fits = "{" + String(repeating: " ", count: 64 * 1024 - 2) + "}"
      #expect(try await listener.curl.ask("/v1/receipts", version, body: fits).status == 400)
      let answer = try await listener.curl.ask("/v1/receipts", version, body: fits + " ")
      #expect(answer.status == 413)
      #expect(answer.body == #"{"error":"the body is larger than 65536 bytes"}"#)
    }
  }

  private func strict(_ options: inout ReceiptListenerOptions) {
    options.sourceLimit.budget = 50
    options.sourceLimit.regainedPerSecond = 1
    options.sourceLimit.badCost = 10
  }

  @Test func tellsSourcesOfNonsenseToWait() async throws {
    let clock = FrozenClock()
    try await withListener(clock: clock, configure: strict) { listener in
      let good = listener.receipt(listener.id(1))
      for _ in 0..<20 { #expect(try await listener.post([good]).status == 202) }
      for _ in 0..<5 { #expect(try await listener.curl.ask("/v1/receipts", body: "{").status == 400) }
      let answer = try await listener.post([good])
      #expect(answer.status == 429)
      #expect(answer.headers["retry-after"] == "10")
      #expect(answer.body == #"{"error":"too many bad requests"}"#)
      #expect(listener.sink.received.count == 20)
      #expect(listener.sink.refusals.last == ReceiptRefusal(.rateLimited, source: "127.0.0.1"))
      clock.step(.milliseconds(9500))
      #expect(try await listener.post([good]).headers["retry-after"] == "1")
      clock.step(.milliseconds(500))
      #expect(try await listener.post([good]).status == 202)
    }
  }

  @Test func chargesForUnknownOnesAndRepetitions() async throws {
    try await withListener(repliesAtOnce: false, clock: FrozenClock(), configure: strict) { listener in
      let batch = (0..<5).map { listener.receipt(listener.id($0)) }
      async let first = listener.post(batch)
      try await listener.sink.until { $0.received.count == 5 }
      listener.sink.reply(ReceiptOutcome(accepted: 1, duplicate: 2, unknown: 4))
      #expect(try await first.status == 202)
      let second = try await listener.post(batch)
      #expect(second.status == 429)
      #expect(second.headers["retry-after"] == "2")
    }
  }

  @Test func holdsOnlySoManyBatches() async throws {
    try await withListener(repliesAtOnce: false, configure: { $0.maximumPending = 1 }) { listener in
      async let first = listener.post([listener.receipt(listener.id(1))])
      try await listener.sink.until { $0.received.count == 1 }
      let second = try await listener.post([listener.receipt(listener.id(2))])
      #expect(second.status == 503)
      #expect(second.headers["retry-after"] == "1")
      listener.sink.reply(ReceiptOutcome(accepted: 1))
      #expect(try await first.status == 202)
      async let third = listener.post([listener.receipt(listener.id(3))])
      try await listener.sink.until { $0.received.count == 2 }
      listener.sink.reply(ReceiptOutcome(accepted: 1))
      #expect(try await third.status == 202)
    }
  }

  @Test func aReplyAfterTheEndGoesNowhere() async throws {
    let listener = try await ListenerFixture(repliesAtOnce: false)
    let answer = Task { try await listener.post([listener.receipt(listener.id(1))]) }
    try await listener.sink.until { $0.received.count == 1 }
    await listener.shutdown()
    listener.sink.reply(ReceiptOutcome(accepted: 1))
    await #expect(throws: Curl.Failed.self) { _ = try await answer.value }
  }

  @Test func namesTheFileThatIsWrong() async throws {
    let directory = try TemporaryDirectory()
    let options = ReceiptListenerOptions(
      .init(
        address: ListenAddress(host: "127.0.0.1", port: 0), certificateFile: directory.file("absent.pem"),
        keyFile: directory.file("absent.key")))
    let error = await #expect(throws: HTTPServerError.self) {
      _ = try await ReceiptListener.start(
        options, authenticator: ListenerFixture.authenticator, clock: SystemClock())
    }
    #expect(error?.place == directory.file("absent.pem"))
  }
}
