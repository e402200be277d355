import Measurement
import Providers
import Testing

@Suite struct HTTPProviderTests {
  private func notification(_ sequence: Int64) -> PushNotification {
    var generator = SeededGenerator(seed: 1)
    let run = RunID(at: WallTime(microseconds: 0), using: &generator)
    return PushNotification(
      id: NotificationID(run: run, sample: SampleID(target: TargetID(rawValue: 1), sequence: sequence)),
      plannedAt: WallTime(microseconds: sequence))
  }

  private func response(_ status: Int, _ body: String = "", retryAfter: String? = nil) -> PushResponse {
    PushResponse(
      status: status, headers: ResponseHeaders(retryAfter.map { [HeaderField("retry-after", $0)] } ?? []),
      body: Array(body.utf8), receivedAt: WallTime(microseconds: 0))
  }

  @Test func allRequestsAreTheSame() {
    let provider = HTTPProvider(
      url: "https://example.com/hook", method: "PUT", headers: [HeaderField("x-probe", "1")], body: [1, 2, 3])
    let request = provider.request(for: notification(1))
    #expect(request == provider.request(for: notification(2)))
    #expect(
      request.method == "PUT" && request.url == "https://example.com/hook" && request.body == [1, 2, 3])
    #expect(request.headers.contains(HeaderField("content-type", "application/octet-stream")))
  }

  @Test func aGivenContentTypeIsKeptAndNoBodyHasNone() {
    let typed = HTTPProvider(
      url: "https://a/", headers: [HeaderField("content-type", "text/plain")], body: [1])
    #expect(typed.request(for: notification(1)).headers == [HeaderField("content-type", "text/plain")])
    #expect(HTTPProvider(url: "https://a/").request(for: notification(1)).headers.isEmpty)
  }

  /// 401 asks for credentials; 403 speaks of those that were shown, if any were.
  @Test func refusedCredentialsAreTold() {
    let plain = HTTPProvider(url: "https://h/")
    #expect(plain.assess(response(401)).credential == .refused)
    #expect(plain.assess(response(403)).credential == nil)
    let authorized = HTTPProvider(url: "https://h/", headers: [HeaderField("authorization", "Bearer x")])
    for status in [401, 403] { #expect(authorized.assess(response(status)).credential == .refused) }
    #expect(authorized.assess(response(404)).credential == nil)
    // What is measured on purpose is no refusal.
    let asked = HTTPProvider(
      url: "https://h/", headers: [HeaderField("authorization", "Bearer x")], success: [400...499])
    #expect(asked.assess(response(403)) == ProviderAssessment(.accepted))
  }

  @Test func judgesByTheRangesOfSuccess() {
    let provider = HTTPProvider(url: "https://a/", success: [200...204, 302...302])
    for status in [200, 204, 302] { #expect(provider.assess(response(status)).decision == .accepted) }
    for status in [205, 301, 404, 500] {
      #expect(provider.assess(response(status)).decision == .rejected(reason: ""))
    }
  }

  @Test func findsAWordForTheReason() {
    let provider = HTTPProvider(url: "https://a/")
    func reason(_ body: String) -> ProviderDecision { provider.assess(response(400, body)).decision }
    #expect(reason(#"{"reason":"BadTopic"}"#) == .rejected(reason: "BadTopic"))
    #expect(reason(#"{"code":40001,"error":"unauthorized"}"#) == .rejected(reason: "unauthorized"))
    #expect(reason(#"{"error":{"status":"INVALID"}}"#) == .rejected(reason: ""))
    #expect(reason("<html>") == .rejected(reason: ""))
    #expect(reason(#"{"reason":7}"#) == .rejected(reason: ""))
    #expect(
      reason("{\"reason\":\"\(String(repeating: "x", count: 5000))\"}")
        == .rejected(reason: String(repeating: "x", count: 200)))
  }

  @Test func passesPausesOn() {
    let provider = HTTPProvider(url: "https://a/")
    #expect(provider.assess(response(503, retryAfter: "5")).retryAfter == .seconds(5))
    #expect(provider.assess(response(200, retryAfter: "5")).retryAfter == nil)
  }
}
