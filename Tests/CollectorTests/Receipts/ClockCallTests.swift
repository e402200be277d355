import Foundation
import HTTPServer
import HTTPTestKit
import Measurement
import TestTraits
import Testing

@testable import Collector

@Suite(.ownThread) struct ClockCallTests {
  private struct Stamps: Decodable {
    var t1: Int64
    var t2: Int64
    var t3: Int64
  }

  private func ask(
    _ listener: ListenerFixture, t1: Int64 = 5, _ version: Curl.Version = .http2
  ) async throws -> Stamps {
    let answer = try await listener.curl.ask("/v1/clock", version, body: "{\"t1\":\(t1)}")
    #expect(answer.status == 200)
    #expect(answer.headers["content-type"] == "application/json")
    #expect(answer.headers["cache-control"] == "no-store")
    #expect(answer.headers["access-control-allow-origin"] == "*")
    return try JSONDecoder().decode(Stamps.self, from: Data(answer.body.utf8))
  }

  /// A body with one receipt and these exchanges.
  private func post(
    _ listener: ListenerFixture, device: String = "d", rest: String = "", clock: [String]
  ) async throws -> Curl.Answer {
    let receipt = listener.receipt(listener.id(1), "\"device\":\"\(device)\",\"received_at_ms\":1\(rest)")
    return try await listener.curl.ask(
      "/v1/receipts", body: "{\"receipts\":[\(receipt)],\"clock\":[\(clock.joined(separator: ","))]}")
  }

  private func entry(_ stamps: Stamps, t4: Int64 = 9_000_000_000, device: String = "d", rest: String = "")
    -> String
  {
    "{\"t1\":\(stamps.t1),\"t2\":\(stamps.t2),\"t3\":\(stamps.t3),\"t4\":\(t4),\"device\":\"\(device)\"\(rest)}"
  }

  @Test(arguments: Curl.Version.allCases)
  func tellsTheTimeByAClockThatNobodySets(version: Curl.Version) async throws {
    let clock = FrozenClock()
    try await withListener(clock: clock) { listener in
      let first = try await ask(listener, t1: .max, version)
      #expect(first.t1 == .max)
      #expect(first.t2 == 1_700_000_000_000_000_000)
      #expect(first.t3 == first.t2)
      // The wall clock of this test never moves: the stamps go on with the monotonic one.
      clock.step(.milliseconds(1500))
      #expect(try await ask(listener, t1: 0, version).t2 == 1_700_000_001_500_000_000)
    }
  }

  /// The wall clock was set back by a minute since the listener before: its stamps are still not this one's.
  @Test func stampsOfAnEarlierListenerAreNeverThisOnes() async throws {
    let clock = FrozenClock()
    let earlier = clock.wallNow().advanced(byMicroseconds: 60_000_000)
    try await withListener(clock: clock, configure: { $0.showsTimesAfter = earlier }) { listener in
      let now = try await ask(listener)
      #expect(now.t2 == earlier.microseconds * 1000 + 1_000_000)
      clock.step(.seconds(100))
      let old = Stamps(t1: 5, t2: earlier.microseconds * 1000, t3: earlier.microseconds * 1000)
      _ = try await post(listener, clock: [entry(old), entry(now, device: "d")])
      #expect(listener.sink.exchanges.count == 1)
      #expect(listener.sink.exchanges.first?.exchange.t3 ?? .zero <= MonotonicTime(microseconds: 1_000_000))
    }
  }

  @Test func stampsArrivalAndAnswerInThatOrder() async throws {
    try await withListener { listener in
      let before = Int64(Date().timeIntervalSince1970 * 1e9)
      let stamps = try await ask(listener)
      #expect(stamps.t2 < stamps.t3)
      #expect(stamps.t2 > before - 1_000_000_000)
      #expect(stamps.t3 < before + 60_000_000_000)
    }
  }

  @Test(
    arguments: [
      ("{}", "t1: missing"), (#"{"t1":"5"}"#, "t1: of the wrong type"), (#"{"t1":-1}"#, "t1: negative"),
      (#"{"t1":1.5}"#, "not JSON, or a number that is not whole or too large"),
      (#"{"t1":9223372036854775808}"#, "not JSON, or a number that is not whole or too large"),
      ("[]", "the body: of the wrong type"), ("", "not JSON, or a number that is not whole or too large"),
    ])
  func saysWhatIsWrongWithAQuestion(body: String, message: String) async throws {
    try await withListener { listener in
      let answer = try await listener.curl.ask("/v1/clock", body: body)
      #expect(answer.status == 400)
      #expect(answer.body == "{\"error\":\"\(message)\"}")
      #expect(listener.sink.refusals == [ReceiptRefusal(.malformed, source: "127.0.0.1")])
      #expect(try await listener.curl.ask("/v1/clock", arguments: ["-X", "PUT"]).status == 405)
    }
  }

  @Test func passesExchangesOnWithTheReceipts() async throws {
    let clock = FrozenClock()
    try await withListener(clock: clock) { listener in
      clock.step(.seconds(3))
      let stamps = try await ask(listener)
      clock.step(.milliseconds(20))
      let answer = try await post(listener, clock: [entry(stamps)])
      #expect(answer.body == #"{"accepted":1,"duplicate":0,"unknown":0,"refused":0}"#)
      let arrived = try #require(listener.sink.exchanges.first)
      #expect(arrived.device == "d")
      #expect(arrived.bootID == nil)
      #expect(listener.sink.received.first?.arrivedAt == MonotonicTime(microseconds: 4_020_000))
      // Room for JSON numbers that were rounded to 53 bits.
      let asked = MonotonicTime(microseconds: 4_000_000)
      #expect(
        arrived.exchange
          == ClockExchange(
            t1: 5, t2: asked + .nanoseconds(256), t3: asked - .nanoseconds(256), t4: 9_000_000_000))
    }
  }

  @Test func takesTheBootFromTheExchangeOrFromTheReceipts() async throws {
    try await withListener { listener in
      let stamps = try await ask(listener)
      _ = try await post(
        listener, rest: #","boot_id":"b1""#, clock: [entry(stamps), entry(stamps, rest: #","boot_id":"b2""#)])
      #expect(listener.sink.exchanges.map(\.bootID) == ["b1", "b2"])
    }
  }

  @Test func believesOnlyStampsOfItsOwnAndDevicesWithAReceipt() async throws {
    try await withListener { listener in
      let stamps = try await ask(listener)
      var early = stamps
      early.t2 -= 3_600_000_000_000
      var late = stamps
      late.t3 += 3_600_000_000_000
      let bad = [
        entry(early), entry(late), entry(Stamps(t1: 0, t2: .max, t3: .max)),
        entry(Stamps(t1: 0, t2: 0, t3: 0)),
        entry(stamps, t4: 4), entry(stamps, device: "another"),
      ]
      let answer = try await post(listener, clock: bad)
      #expect(answer.status == 202, "the receipt is good all the same")
      #expect(listener.sink.exchanges.isEmpty)
    }
  }

  @Test func aReceiptWithTheWrongMACBringsNoExchange() async throws {
    try await withListener { listener in
      let stamps = try await ask(listener)
      let good = listener.receipt(listener.id(1), #""device":"honest","received_at_ms":1"#)
      let forged = listener.receipt(
        listener.id(2), #""device":"liar","received_at_ms":1"#, mac: listener.mac(listener.id(3)))
      let body =
        "{\"receipts\":[\(good),\(forged)],\"clock\":[\(entry(stamps, device: "liar")),\(entry(stamps, device: "honest"))]}"
      #expect(try await listener.curl.ask("/v1/receipts", body: body).status == 202)
      #expect(listener.sink.exchanges.map(\.device) == ["honest"])
    }
  }

  private func strict(_ options: inout ReceiptListenerOptions) {
    options.sourceLimit.budget = 20
    options.sourceLimit.regainedPerSecond = 1
    options.sourceLimit.badCost = 10
  }

  @Test func questionsWithoutEndAreToldToWait() async throws {
    try await withListener(clock: FrozenClock(), configure: strict) { listener in
      for _ in 0..<11 { _ = try await ask(listener) }
      let answer = try await listener.curl.ask("/v1/clock", body: #"{"t1":1}"#)
      #expect(answer.status == 429)
      #expect(answer.headers["retry-after"] == "1")
    }
  }

  @Test func exchangesBeyondTheReceiptsCostTheirSource() async throws {
    try await withListener(clock: FrozenClock(), configure: strict) { listener in
      let stamps = Stamps(t1: 1, t2: 1_700_000_000_000_000_000, t3: 1_700_000_000_000_000_000)
      _ = try await post(listener, clock: [entry(stamps)])
      #expect(try await post(listener, clock: Array(repeating: entry(stamps), count: 12)).status == 202)
      #expect(try await post(listener, clock: []).status == 429)
    }
  }

  @Test func repetitionsCostTheirSourceThoughTheyAreAnsweredAsBefore() async throws {
    try await withListener(repliesAtOnce: false, clock: FrozenClock(), configure: strict) { listener in
      let batch = (0..<20).map { listener.receipt(listener.id($0)) }
      async let first = listener.post(batch)
      try await listener.sink.until { $0.received.count == 20 }
      listener.sink.reply(ReceiptOutcome(accepted: 20, repeated: 20))
      #expect(try await first.body == #"{"accepted":20,"duplicate":0,"unknown":0,"refused":0}"#)
      #expect(try await listener.post(batch).status == 429)
    }
  }
}
