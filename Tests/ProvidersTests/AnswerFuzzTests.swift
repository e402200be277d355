import Measurement
import Providers
import Testing

/// A provider's answer is outside data: whatever it says, the assessment is bounded.
@Suite struct AnswerFuzzTests {
  private static let pieces = [
    "{\"reason\":", "{\"error\":", "\"", "}", "{", "[", "\\u001b[2J", "\u{1B}", "\u{202E}", "null", "1e999",
    "\\ud800", "429",
    "Unregistered", String(repeating: "x", count: 5000), ",", ":", "true", "{\"error\":{\"message\":\"",
    "\u{0}",
  ]
  private static let headers = [
    "retry-after: ", "Retry-After:", "99999999999999999999999", "-1", "Wed, 04 Mar 2026 05:06:17 GMT",
    "Wed, 99 Foo 99999 99:99:99 GMT", "\r\n", "\n", ":", " ", "\u{0}", "é", "content-type: text/html", "0x10",
    "1.5",
  ]

  private func text(_ pieces: [String], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0...8, using: &generator) {
      if Int.random(in: 0..<5, using: &generator) == 0 {
        bytes.append(UInt8.random(in: 0...255, using: &generator))
      } else {
        bytes += Array((pieces.randomElement(using: &generator) ?? "").utf8)
      }
    }
    return bytes
  }

  @Test(arguments: 1...4) func assessmentsAreBounded(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let providers: [any Provider] = [
      HTTPProvider(url: "https://h/"), LoopbackProvider(origin: "https://127.0.0.1:1"),
      try APNsProvider(
        origin: "https://h", deviceToken: String(repeating: "a0", count: 32), topic: "com.example.app",
        authorization: .bearer("t")),
      try FCMProvider(origin: "https://h", projectID: "project-1", deviceToken: "abc:def", accessToken: "t"),
      try NtfyProvider(origin: "https://h", topic: "probe"),
    ]
    for _ in 0..<4000 {
      let response = PushResponse(
        status: Int.random(in: -1...1000, using: &generator),
        headers: ResponseHeaders(lines: text(Self.headers, &generator)),
        body: text(Self.pieces, &generator), receivedAt: WallTime(microseconds: 1_772_600_767_000_000))
      for provider in providers {
        let assessment = provider.assess(response)
        if let pause = assessment.retryAfter { #expect((.zero...RetryAfter.longest).contains(pause)) }
        if case .rejected(let reason) = assessment.decision { #expect(reason.count <= 200) }
        if let id = assessment.answerID { #expect((1...1024).contains(id.utf8.count)) }
      }
    }
  }

  @Test(arguments: 1...4) func answersThatCarryMoreAreRead(seed: UInt64) {
    var generator = SeededGenerator(seed: seed + 100)
    let lines =
      Self.pieces + [
        "{\"access_token\":\"a\",\"expires_in\":", "3599}", "\"event\":\"message\"", "\"id\":\"x\"",
        "\"time\":1",
        "\"message\":\"{\\\"pushscope\\\":{\\\"v\\\":1,\\\"id\\\":\\\"a\\\"}}\"", "\"event\":\"open\"",
      ]
    for _ in 0..<4000 {
      let bytes = text(lines, &generator)
      let response = PushResponse(status: 200, body: bytes, receivedAt: WallTime(microseconds: 0))
      switch OAuthToken.parse(response) {
      case .success(let token):
        #expect(token.lifetime >= .zero && (1...8192).contains(token.value.utf8.count))
      case .failure(let refusal): #expect(refusal.reason.count <= 400)
      }
      if case .message(let message) = NtfyEvent.parse(bytes) { #expect(message.id.utf8.count <= 64) }
      do throws(CredentialError) {
        _ = try PushSubscription(json: bytes)
      } catch {
        #expect(error.description.utf8.count < 500)
      }
      do throws(CredentialError) {
        _ = try ServiceAccount(json: bytes)
      } catch {
        #expect(error.description.utf8.count < 500)
      }
      do throws(CredentialError) {
        _ = try APNsTokenSigner(keyPEM: bytes, keyID: "ABCDEFGHIJ", teamID: "ABCDEFGHIJ")
      } catch {
        #expect(error.description.utf8.count < 500)
      }
    }
  }

  @Test func aStreamOfAnyBytesIsCutIntoBoundedLines() {
    var generator = SeededGenerator(seed: 6)
    var splitter = LineSplitter(maximumBytes: 100)
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
        Int.random(in: 0..<40, using: &generator) == 0 ? 0x0A : UInt8.random(in: 0...255, using: &generator)
      }
      #expect(splitter.append(bytes).allSatisfy { $0.count <= 100 })
    }
    #expect(splitter.skipped > 0)
  }
}
