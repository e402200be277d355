import FoundationEssentials
import Measurement
import Providers
import Testing

@Suite struct LoopbackProviderTests {
  private struct Payload: Decodable, Equatable {
    struct Member: Decodable, Equatable {
      var v: Int
      var id: String
      var mac: String?
      var at: Int64
    }
    var pushscope: Member
  }

  private var notification: PushNotification {
    var generator = SeededGenerator(seed: 1)
    let run = RunID(at: WallTime(microseconds: 0), using: &generator)
    return PushNotification(
      id: NotificationID(run: run, sample: SampleID(target: TargetID(rawValue: 1), sequence: 9)),
      mac: "AbC-_",
      plannedAt: WallTime(microseconds: 1_772_600_767_123_456))
  }

  @Test func speaksTheDialect() throws {
    let provider = LoopbackProvider(
      origin: "https://127.0.0.1:8471", deviceToken: "00ff", topic: "com.example", priority: 5, expiration: 60
    )
    let request = provider.request(for: notification)
    #expect(request.method == "POST")
    #expect(request.url == "https://127.0.0.1:8471/3/device/00ff")
    #expect(
      request.headers == [
        HeaderField("apns-id", notification.id.description), HeaderField("authorization", "bearer loopback"),
        HeaderField("apns-topic", "com.example"), HeaderField("apns-push-type", "alert"),
        HeaderField("apns-priority", "5"), HeaderField("apns-expiration", "60"),
        HeaderField("content-type", "application/json"),
      ])
    #expect(request.headers.allSatisfy { $0.isSendable })
    #expect(request.body.count < APNsDialect.maximumPayloadBytes)
  }

  @Test(arguments: [APNsPushType.alert, .background]) func thePayloadCarriesWhatAReceiptNeeds(
    pushType: APNsPushType
  ) throws {
    let provider = LoopbackProvider(origin: "https://a", pushType: pushType)
    var notification = notification
    let body = Data(provider.request(for: notification).body)
    let payload = try JSONDecoder().decode(Payload.self, from: body)
    #expect(
      payload.pushscope
        == Payload.Member(v: 1, id: notification.id.description, mac: "AbC-_", at: 1_772_600_767_123))
    notification.mac = nil
    let without = try JSONDecoder().decode(Payload.self, from: Data(provider.request(for: notification).body))
    #expect(without.pushscope.mac == nil)
  }

  @Test func judgesByStatusAndReason() {
    let provider = LoopbackProvider(origin: "https://a")
    func assess(_ status: Int, _ body: String) -> ProviderAssessment {
      provider.assess(
        PushResponse(status: status, body: Array(body.utf8), receivedAt: WallTime(microseconds: 0)))
    }
    #expect(assess(200, "") == ProviderAssessment(.accepted))
    #expect(
      assess(410, #"{"reason":"Unregistered","timestamp":1}"#)
        == ProviderAssessment(.rejected(reason: "Unregistered")))
    #expect(assess(201, "") == ProviderAssessment(.rejected(reason: "")))
    #expect(
      assess(429, #"{"reason":"TooManyRequests"}"#)
        == ProviderAssessment(.rejected(reason: "TooManyRequests"), retryAfter: RetryAfter.unnamed))
  }
}
