import FoundationEssentials
import Measurement
import Providers
import TestTraits
import Testing
import TransportTestKit

@testable import Collector
@testable import Transport

/// nginx with nchan, a publish/subscribe service of its own, told to look like ntfy: the stream begins with a kept `open`,
/// and what is published are events. True delivery, end to end, over HTTP/2 both ways.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasNchan, "nginx with nchan, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct NchanTests {
  /// Wraps a notification as an event, as ntfy itself does for its subscribers.
  private struct EventProvider: Provider {
    let name = "nchan"
    let url: String

    func request(for notification: PushNotification) -> PushRequest {
      let message = "{\"pushscope\":\(PayloadMember.json(for: notification))}"
      let escaped = message.replacing("\"", with: "\\\"")
      return PushRequest(
        url: url, headers: [HeaderField("content-type", "application/json")],
        body: Array("{\"event\":\"message\",\"id\":\"n1\",\"time\":1,\"message\":\"\(escaped)\"}".utf8))
    }

    func assess(_ response: PushResponse) -> ProviderAssessment {
      if (200...202).contains(response.status) { return ProviderAssessment(.accepted) }
      return ProviderAssessment(.rejected(reason: ""))
    }
  }

  @Test func deliveredThroughNchan() async throws {
    let server = try ServerProcess.nginx(
      """
      location = /probe { nchan_publisher; nchan_channel_id probe; nchan_message_buffer_length 1; }
      location = /probe/json {
        nchan_subscriber http-raw-stream; nchan_channel_id probe; nchan_subscriber_first_message oldest;
      }
      """, modules: ["ngx_nchan_module"])
    let caFile = try #require(TestCertificate.good?.certificate)
    let client = BlockingRequest(caFile: caFile, clock: SystemClock())
    let opening = PushRequest(
      url: TransportRun.https(server, path: "/probe"), body: Array(#"{"event":"open"}"#.utf8))
    #expect((200...202).contains(try client.perform(opening).get().response.status))

    let authenticator = ReceiptAuthenticator(secret: Array("secret".utf8), collectorID: UUID())
    let sink = TestSink(repliesAtOnce: true)
    let subscriber = try Subscriber(
      Subscriber.Subject(
        target: TransportRun.target, name: "nchan",
        service: NtfyTopic(
          subscription: try NtfySubscription(origin: "https://127.0.0.1:\(server.port)", topic: "probe")),
        authenticator: authenticator, caFile: caFile, bootID: "boot", seed: 1),
      clock: SystemClock(), timeout: .seconds(20), sink: sink, post: { _ in })
    defer { subscriber.stop() }
    try await subscriber.opened()

    let run = TransportRun()
    var target = try TransportRun.target(TransportRun.https(server), rate: 100, count: 50)
    target.providers = [EventProvider(url: TransportRun.https(server, path: "/probe"))]
    target.authenticator = authenticator
    try run.start(target)
    #expect(run.waitForEnd())
    #expect(run.seen.accepted == 50)
    try await sink.until { $0.received.count >= 50 }
    #expect(Set(sink.received.map(\.id.sample)) == Set(run.seen.sent.keys))
    for receipt in sink.received {
      let sent = try #require(run.seen.sent[receipt.id.sample])
      #expect(receipt.arrivedAt > sent.at)
    }
  }
}
