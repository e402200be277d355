import Foundation
import Measurement
import Providers
import TestKit
import Testing

/// Whatever a provider answers, the reason is short and the reading ends.
@Suite struct HostileAnswerTests {
  private static func providers() throws -> [any Provider] {
    [
      try APNsProvider(
        origin: "https://a", deviceToken: String(repeating: "a", count: 64), topic: "a",
        authorization: .bearer("t")),
      try FCMProvider(origin: "https://a", projectID: "p", deviceToken: "t", accessToken: "a"),
      try WebPushProvider(subscription: WebPushCipherTests.subscription(), authorization: nil),
      try NtfyProvider(origin: "https://a", topic: "t"), HTTPProvider(url: "https://a/"),
      LoopbackProvider(origin: "https://a"),
    ]
  }

  private static let seeds: [String] = [
    #"{"reason":"BadDeviceToken","timestamp":1}"#,
    #"{"error":{"code":404,"message":"x","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"},{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"a"}]}]}}"#,
    #"{"code":410,"errno":103,"error":"Gone","message":"m","more_info":"i"}"#,
    #"{"code":42901,"http":429,"error":"limit reached"}"#, "plain words\nsecond line",
    #"{"error":"invalid_grant","error_description":"d"}"#,
  ]

  private func check(_ body: [UInt8], _ providers: [any Provider]) {
    for status in [400, 401, 410, 429, 503] {
      let response = Probes.response(status, bytes: body, [("retry-after", "5")])
      for provider in providers {
        guard case .rejected(let reason) = provider.assess(response).decision else {
          Issue.record("\(type(of: provider)) accepts \(status)")
          return
        }
        #expect(reason.unicodeScalars.count <= 200, "\(type(of: provider))")
      }
      guard case .failure(let refusal) = OAuthToken.parse(response) else { continue }
      #expect(refusal.reason.unicodeScalars.count <= 200)
    }
    _ = OAuthToken.parse(Probes.response(200, bytes: body))
    _ = NtfyEvent.parse(body)
    _ = PayloadMember.ticket(in: body)
  }

  @Test func wrongTypesDepthsAndSizes() throws {
    let providers = try Self.providers()
    let deep = String(repeating: "{\"error\":", count: 6000) + "1" + String(repeating: "}", count: 6000)
    let lists = String(repeating: "[", count: 60_000)
    let long = "{\"reason\":\"" + String(repeating: "x", count: 60_000) + "\"}"
    // One character that is made of thousands of marks.
    let marks = "{\"reason\":\"a" + String(repeating: "\u{0301}", count: 20_000) + "\"}"
    let escapes = #"{"reason":"\u001b[2J\u202Egnp\u0000","error":"\ud800"}"#
    let wrong = [
      "null", "7", "\"x\"", "[]", "{}", "{\"reason\":{}}", "{\"reason\":null,\"error\":[1]}",
      "{\"error\":{\"details\":{}}}",
    ]
    for text in [deep, "{\"error\":\(lists)", lists, long, marks, escapes] + wrong {
      check(Array(text.utf8), providers)
    }
    check([UInt8](repeating: 0x7B, count: 65_536), providers)
    check([0x7B, 0xFF, 0xFE, 0x00, 0x7D], providers)
  }

  @Test func noise() throws {
    let providers = try Self.providers()
    var random = SeededGenerator(seed: 5)
    for round in 0..<150 {
      var bytes = Array(Self.seeds[round % Self.seeds.count].utf8)
      for _ in 0..<(round % 9) {
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int(random.next() % 20)))
        default: bytes.insert(contentsOf: random.bytes(Int(random.next() % 20)), at: place)
        }
        if bytes.isEmpty { bytes = [0x7B] }
      }
      check(bytes, providers)
      check(random.bytes(Int(random.next() % 300)), providers)
    }
  }

  @Test func headersOfNoUse() throws {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<200 {
      let lines =
        Array("link: ".utf8) + random.bytes(80) + Array("\r\nttl: ".utf8) + random.bytes(12)
        + Array("\r\nlocation: ".utf8) + random.bytes(40) + Array("\r\nx-wns-status: ".utf8)
        + random.bytes(400)
      let response = PushResponse(
        status: 201, headers: ResponseHeaders(lines: lines), body: [], receivedAt: Probes.plannedAt)
      #expect(WebPushRefusal(response).reason.unicodeScalars.count <= 200)
    }
  }
}
