import Measurement
import Providers
import Testing

@Suite struct WebPushProviderTests {
  private func provider(
    ttl: Duration = .seconds(60), urgency: WebPushUrgency = .veryLow, topic: String? = "probe-01",
    payloadBytes: Int? = nil, authorization: String? = "vapid t=a,k=b"
  ) throws -> WebPushProvider {
    try WebPushProvider(
      subscription: WebPushCipherTests.subscription(), ttl: ttl, urgency: urgency, topic: topic,
      payloadBytes: payloadBytes, authorization: authorization)
  }

  @Test func theRequestIsRFC8030s() throws {
    let request = try provider().request(for: Probes.notification())
    #expect(request.method == "POST")
    #expect(request.url == "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV")
    #expect(
      Set(request.headers) == [
        HeaderField("ttl", "60"), HeaderField("urgency", "very-low"), HeaderField("topic", "probe-01"),
        HeaderField("content-encoding", "aes128gcm"), HeaderField("content-type", "application/octet-stream"),
        HeaderField("authorization", "vapid t=a,k=b"),
      ])
    #expect(
      try provider(authorization: nil).request(for: Probes.notification()).header("authorization") == nil)
  }

  @Test func noTwoMessagesShareKeyOrSalt() throws {
    let provider = try provider()
    let bodies = (0..<20).map { _ in provider.request(for: Probes.notification()).body }
    #expect(Set(bodies.map { Array($0.prefix(16)) }).count == 20)
    #expect(Set(bodies.map { Array($0[21..<86]) }).count == 20)
  }

  @Test func bodiesHaveExactlyTheirSize() throws {
    for bytes in [WebPushProvider.smallestPayloadBytes, 256, 1000, 4096] {
      #expect(try provider(payloadBytes: bytes).request(for: Probes.notification()).body.count == bytes)
    }
  }

  @Test func whatServicesWouldRefuseIsRefusedBefore() {
    #expect(throws: ProviderError.self) { try provider(ttl: .seconds(2_592_001)) }
    #expect(throws: ProviderError.self) { try provider(ttl: .seconds(-1)) }
    #expect(throws: ProviderError.self) { try provider(payloadBytes: 4097) }
    #expect(throws: ProviderError.self) { try provider(payloadBytes: 10) }
    for topic in ["", "a b", "ä", String(repeating: "a", count: 36)] {
      #expect(throws: ProviderError.self) { try provider(topic: topic) }
    }
  }

  /// Apple decodes a topic; for the others RFC 8030's rule is all there is.
  @Test(arguments: ["a", "probe", "probe1234"]) func topicsThatOnlyAppleRefuses(topic: String) throws {
    #expect(try provider(topic: topic).request(for: Probes.notification()).header("topic") == topic)
    for host in ["web.push.apple.com", "WEB.push.apple.com:443"] {
      var subscription = try WebPushCipherTests.subscription()
      subscription.endpoint = "https://\(host)/QOd"
      let refusal = #expect(throws: ProviderError.self) {
        try WebPushProvider(subscription: subscription, topic: topic, authorization: nil)
      }
      #expect(refusal?.message.contains("Apple") == true)
      #expect(throws: Never.self) {
        try WebPushProvider(subscription: subscription, topic: topic + "12", authorization: nil)
      }
    }
  }

  /// As each service words it; the bodies are those of their documentation and source.
  @Test func servicesAreToldApartByTheirWords() throws {
    func refusal(_ status: Int, _ body: String, _ headers: [(String, String)] = []) -> WebPushRefusal {
      WebPushRefusal(Probes.response(status, body, headers))
    }
    let mozilla = refusal(
      410,
      #"{"code":410,"errno":106,"error":"Gone","more_info":"http://autopush.readthedocs.io","message":"Request did not validate"}"#,
      [("content-type", "application/json")])
    #expect(mozilla.service == .mozilla && mozilla.reason == "errno 106 Gone" && mozilla.credential == nil)
    let mozillaVAPID = refusal(401, #"{"code":401,"errno":109,"error":"Unauthorized","message":"Bad VAPID"}"#)
    #expect(mozillaVAPID.reason == "errno 109 Unauthorized" && mozillaVAPID.credential == .refused)
    let apple = refusal(403, #"{"reason":"BadJwtToken"}"#)
    #expect(apple.service == .apple && apple.reason == "BadJwtToken" && apple.credential == .refused)
    #expect(refusal(403, #"{"reason":"ExpiredJwtToken"}"#).credential == .expired)
    let google = refusal(
      403,
      "the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.\n",
      [("content-type", "text/plain; charset=utf-8")])
    #expect(
      google.service == .google && google.reason.hasPrefix("the VAPID credentials")
        && google.credential == .refused)
    let windows = refusal(
      406, "", [("x-wns-status", "dropped"), ("x-wns-error-description", "Channel throttled")])
    #expect(windows.service == .windows && windows.reason == "Channel throttled")
    let unified = refusal(
      507,
      #"{"code":50701,"http":507,"error":"cannot publish to UnifiedPush topic without previously active subscriber"}"#
    )
    #expect(unified.service == .ntfy && unified.reason.hasPrefix("50701 cannot publish"))
    let prosody = refusal(404, "")
    #expect(prosody.service == .unknown && prosody.reason == "")
    #expect(refusal(502, "<html><h1>Bad Gateway</h1>", [("content-type", "text/html")]).reason == "")
    #expect(refusal(502, "\n\n<html>").reason == "")
  }

  @Test(arguments: [(404, true), (410, true), (403, false), (429, false), (500, false)])
  func subscriptionsOfNoUseAreTold(status: Int, isUnknown: Bool) throws {
    #expect(try provider().assess(Probes.response(status)).isReceiverUnknown == isUnknown)
  }

  @Test func statusesDecide() throws {
    let provider = try provider()
    for status in [200, 201, 202, 204] {
      #expect(provider.assess(Probes.response(status)).decision == .accepted)
      for (location, id) in [
        ("https://push.example:8443/m/gAAAA-x", "push.example:8443 gAAAA-x" as String?),
        ("https://user@push.example/m/x?token=y", "push.example x"), ("https://push.example", nil),
        ("/m/x", nil), ("https://h/" + String(repeating: "x", count: 2_000), nil), ("", nil),
      ] {
        #expect(
          provider.assess(Probes.response(status, "", [("location", location)])).answerID == id, "\(location)"
        )
      }
    }
    for status in [203, 301, 400, 404, 410, 413, 500] {
      #expect(provider.assess(Probes.response(status)).decision == .rejected(reason: ""))
    }
    let busy = provider.assess(
      Probes.response(
        503, #"{"code":503,"errno":201,"error":"Service Unavailable"}"#, [("retry-after", "120")]))
    #expect(
      busy
        == ProviderAssessment(.rejected(reason: "errno 201 Service Unavailable"), retryAfter: .seconds(120))
    )
    #expect(provider.assess(Probes.response(429)).retryAfter == RetryAfter.unnamed)
  }
}
