import Measurement
import Providers
import Testing

@Suite struct NtfyTests {
  private func provider(
    topic: String = "pushscope-3f9a", priority: Int? = nil, authorization: NtfyAuthorization = .none,
    payloadBytes: Int? = nil
  ) throws(ProviderError) -> NtfyProvider {
    try NtfyProvider(
      origin: "https://ntfy.example.com", topic: topic, priority: priority, authorization: authorization,
      payloadBytes: payloadBytes)
  }

  @Test func asksToKeepWhatNobodyHearsYet() throws {
    let provider = try NtfyProvider(origin: "https://ntfy.example.com", topic: "t", isKept: true)
    #expect(provider.request(for: Probes.notification()).header("cache") == nil)
  }

  @Test func publishesWithoutKeeping() throws {
    let request = try provider(priority: 5, authorization: .token("tk_x")).request(for: Probes.notification())
    #expect(request.method == "POST" && request.url == "https://ntfy.example.com/pushscope-3f9a")
    #expect(request.header("cache") == "no" && request.header("priority") == "5")
    #expect(request.header("authorization") == "Bearer tk_x")
    #expect(PayloadMember.ticket(in: request.body)?.id == Probes.notification().id)
    let open = try provider().request(for: Probes.notification())
    #expect(open.header("authorization") == nil && open.header("priority") == nil)
    let basic = try provider(authorization: .basic(username: "me", password: "pass"))
    #expect(basic.request(for: Probes.notification()).header("authorization") == "Basic bWU6cGFzcw==")
    for bytes in [256, 257, 4095] {
      #expect(try provider(payloadBytes: bytes).request(for: Probes.notification()).body.count == bytes)
    }
  }

  @Test func secretsAreNotShown() {
    for authorization in [NtfyAuthorization.token("s3cret"), .basic(username: "me", password: "s3cret")] {
      var dumped = ""
      dump(authorization, to: &dumped)
      #expect(!("\(authorization)" + dumped).contains("s3cret"))
    }
  }

  @Test func whatNtfyWouldRefuseIsRefusedBefore() {
    #expect(throws: ProviderError.self) { try provider(topic: "") }
    #expect(throws: ProviderError.self) { try provider(topic: "a/b") }
    #expect(throws: ProviderError.self) { try provider(topic: String(repeating: "a", count: 65)) }
    #expect(throws: ProviderError.self) { try provider(priority: 0) }
    #expect(throws: ProviderError.self) { try provider(priority: 6) }
    #expect(throws: ProviderError.self) { try provider(payloadBytes: 4096) }
    #expect(throws: ProviderError.self) {
      try NtfySubscription(origin: "https://a", topic: "x?y")
    }
  }

  @Test func judgesByCodeAndWords() throws {
    let provider = try provider()
    #expect(
      provider.assess(Probes.response(200, #"{"id":"x"}"#))
        == ProviderAssessment(.accepted, answerID: "x"))
    #expect(
      provider.assess(
        Probes.response(
          429,
          #"{"code":42901,"http":429,"error":"limit reached: too many requests","link":"https://ntfy.sh/docs"}"#
        ))
        == ProviderAssessment(
          .rejected(reason: "42901 limit reached: too many requests"), retryAfter: RetryAfter.unnamed))
    #expect(
      provider.assess(Probes.response(401, #"{"code":40101,"http":401,"error":"unauthorized"}"#)).credential
        == .refused)
    #expect(provider.assess(Probes.response(507, "{}")).decision == .rejected(reason: ""))
    #expect(provider.assess(Probes.response(201)).decision == .rejected(reason: ""))
  }

  @Test func subscribesFromWhereItLeftOff() throws {
    let subscription = try NtfySubscription(
      origin: "https://ntfy.example.com", topic: "t", authorization: .token("tk"))
    #expect(subscription.request().url == "https://ntfy.example.com/t/json")
    #expect(subscription.request().method == "GET")
    #expect(subscription.request().header("authorization") == "Bearer tk")
    #expect(subscription.request(since: .time(7)).url == "https://ntfy.example.com/t/json?since=7")
  }

  @Test func readsTheServersLines() throws {
    func parse(_ text: String) -> NtfyEvent? { NtfyEvent.parse(Array(text.utf8)) }
    #expect(parse(#"{"id":"SLiKI64DOt","time":1635,"event":"open","topic":"t"}"#) == .open(at: 1635))
    #expect(parse(#"{"id":"x","time":1,"event":"keepalive","topic":"t"}"#) == .keepalive(at: 1))
    #expect(parse(#"{"id":"x","time":1,"event":"poll_request","topic":"t"}"#) == .other)
    #expect(
      parse(#"{"id":"hwQ2YpKdmg","time":1635528741,"event":"message","topic":"t","message":"Disk full"}"#)
        == .message(.init(id: "hwQ2YpKdmg", time: 1_635_528_741, text: "Disk full", ticket: nil)))
    let body = try provider().request(for: Probes.notification()).body
    let escaped = String(decoding: body, as: UTF8.self).replacing("\"", with: "\\\"")
    guard
      case .message(let message) = parse(#"{"id":"a1","time":1,"event":"message","message":"\#(escaped)"}"#)
    else {
      Issue.record("it is a message")
      return
    }
    #expect(
      message.ticket?.id == Probes.notification().id && message.ticket?.mac == Probes.notification().mac)
  }

  @Test(arguments: [
    "", "x", "[]", "{}", "{\"event\":7}", #"{"event":"message"}"#, #"{"event":"message","id":"a/b"}"#,
    #"{"event":"message","id":"a?since=all"}"#, "{\"event\":\"open\"",
  ]) func whatIsNoEventIsNone(line: String) { #expect(NtfyEvent.parse(Array(line.utf8)) == nil) }

  @Test func linesAreCutHoweverTheyCome() {
    let text = Array("one\r\n\r\ntwo\n\nthree\nrest".utf8)
    for size in 1...text.count {
      var splitter = LineSplitter()
      var lines: [String] = []
      for start in stride(from: 0, to: text.count, by: size) {
        lines += splitter.append(text[start..<min(start + size, text.count)]).map {
          String(decoding: $0, as: UTF8.self)
        }
      }
      #expect(lines == ["one", "two", "three"])
    }
  }

  @Test func anEndlessLineIsLeftOut() {
    var splitter = LineSplitter(maximumBytes: 10)
    var lines: [[UInt8]] = []
    for _ in 0..<1000 { lines += splitter.append([UInt8](repeating: 0x61, count: 7)) }
    lines += splitter.append(Array("\nok\n".utf8))
    lines += splitter.append(Array("12345678901\nagain\n".utf8))
    #expect(lines == [Array("ok".utf8), Array("again".utf8)])
    #expect(splitter.skipped == 2)
  }
}
