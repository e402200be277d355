import Measurement
import Providers
import Testing

@Suite struct APNsProviderTests {
  private static let token = String(repeating: "a0", count: 32)

  private func provider(
    deviceToken: String = token, topic: String? = "com.example.app", pushType: APNsPushType = .alert,
    priority: Int? = nil, expiration: APNsExpiration = .once, collapseID: String? = nil,
    payloadBytes: Int? = nil, authorization: APNsAuthorization = .bearer("t.o.k")
  ) throws(ProviderError) -> APNsProvider {
    try APNsProvider(
      origin: "https://api.push.apple.com", deviceToken: deviceToken, topic: topic, pushType: pushType,
      priority: priority, expiration: expiration, collapseID: collapseID, payloadBytes: payloadBytes,
      authorization: authorization)
  }

  @Test func theRequestHasAllOfApplesHeaders() throws {
    let request = try provider(priority: 5, collapseID: "c").request(for: Probes.notification())
    #expect(request.method == "POST")
    #expect(request.url == "https://api.push.apple.com/3/device/\(Self.token)")
    #expect(
      Set(request.headers) == [
        HeaderField("apns-id", Probes.notification().id.description),
        HeaderField("authorization", "bearer t.o.k"), HeaderField("apns-topic", "com.example.app"),
        HeaderField("apns-push-type", "alert"), HeaderField("apns-priority", "5"),
        HeaderField("apns-expiration", "0"), HeaderField("apns-collapse-id", "c"),
        HeaderField("content-type", "application/json"),
      ])
    #expect(request.headers.allSatisfy { $0.isSendable })
    let payload = try Probes.object(request.body)
    #expect(Set(payload.keys) == ["aps", "pushscope"])
    #expect(PayloadMember.ticket(in: request.body)?.id == Probes.notification().id)
    #expect(PayloadMember.ticket(in: request.body)?.mac == Probes.notification().mac)
  }

  /// The suffixes of Apple's table.
  @Test(arguments: [
    (APNsPushType.alert, ""), (.background, ""), (.complication, ".complication"),
    (.controls, ".push-type.controls"), (.fileprovider, ".pushkit.fileprovider"),
    (.liveactivity, ".push-type.liveactivity"), (.location, ".location-query"), (.mdm, ""),
    (.pushtotalk, ".voip-ptt"), (.voip, ".voip"), (.widgets, ".push-type.widgets"),
  ]) func topicsCarryThePushTypesSuffixOnce(pushType: APNsPushType, suffix: String) throws {
    for topic in ["com.example.app", "com.example.app" + suffix] {
      let request = try provider(topic: topic, pushType: pushType).request(for: Probes.notification())
      #expect(request.header("apns-topic") == "com.example.app" + suffix)
      #expect(request.header("apns-push-type") == pushType.rawValue)
      #expect(request.header("apns-priority") == String(pushType.priorities[0]))
      #expect(throws: Never.self) { try Probes.object(request.body) }
      #expect(request.body.count <= pushType.maximumPayloadBytes)
    }
  }

  @Test func whatAppleWouldRefuseIsRefusedBefore() throws {
    func setting(_ make: () throws(ProviderError) -> APNsProvider) -> String? {
      do throws(ProviderError) {
        _ = try make()
        return nil
      } catch {
        return error.setting
      }
    }
    #expect(
      setting { () throws(ProviderError) in try provider(pushType: .background, priority: 10) } == "priority")
    #expect(
      setting { () throws(ProviderError) in try provider(pushType: .liveactivity, priority: 1) } == "priority"
    )
    #expect(setting { () throws(ProviderError) in try provider(priority: 7) } == "priority")
    #expect(setting { () throws(ProviderError) in try provider(topic: nil) } == "topic")
    #expect(
      setting { () throws(ProviderError) in try provider(topic: nil, authorization: .certificate) } == nil)
    #expect(
      setting { () throws(ProviderError) in try provider(collapseID: String(repeating: "x", count: 65)) }
        == "collapse_id")
    #expect(setting { () throws(ProviderError) in try provider(deviceToken: "../3") } == "device_token_file")
    #expect(setting { () throws(ProviderError) in try provider(deviceToken: "") } == "device_token_file")
    #expect(setting { () throws(ProviderError) in try provider(payloadBytes: 4097) } == "payload_bytes")
    #expect(setting { () throws(ProviderError) in try provider(pushType: .voip, payloadBytes: 5120) } == nil)
    #expect(
      setting { () throws(ProviderError) in try provider(pushType: .voip, payloadBytes: 5121) }
        == "payload_bytes")
    #expect(setting { () throws(ProviderError) in try provider(payloadBytes: 100) } == "payload_bytes")
    for type in APNsPushType.allCases {
      #expect(setting { () throws(ProviderError) in try provider(pushType: type, payloadBytes: 256) } == nil)
    }
  }

  @Test func aCertificateNeedsNoHeader() throws {
    let request = try provider(authorization: .certificate).request(for: Probes.notification())
    #expect(request.header("authorization") == nil)
    #expect(request.header("apns-topic") == "com.example.app")
  }

  @Test func expirationsAreUnixSeconds() throws {
    func value(_ expiration: APNsExpiration) throws -> String? {
      try provider(expiration: expiration).request(for: Probes.notification()).header("apns-expiration")
    }
    #expect(try value(.once) == "0")
    #expect(try value(.at(1_800_000_000)) == "1800000000")
    #expect(try value(.after(.seconds(3600))) == "1772604367")
  }

  @Test func payloadsHaveExactlyTheirSize() throws {
    let least = APNsProvider.smallestPayloadBytes(.alert)
    for bytes in [least, least + 1, least + 12, least + 13, least + 14, 1000, 4096] {
      let request = try provider(payloadBytes: bytes).request(for: Probes.notification())
      #expect(request.body.count == bytes)
      #expect(try Probes.object(request.body)["aps"] != nil)
      #expect(PayloadMember.ticket(in: request.body)?.id == Probes.notification().id)
    }
  }

  /// Every status and reason of Apple's table, and what is new since.
  @Test func everyReasonIsKeptAsItCame() throws {
    let provider = try provider()
    #expect(provider.assess(Probes.response(200)) == ProviderAssessment(.accepted))
    #expect(
      provider.assess(Probes.response(200, "", [("apns-unique-id", "a-b")]))
        == ProviderAssessment(.accepted, answerID: "a-b"))
    for reason in APNsReason.allCases {
      let assessment = provider.assess(Probes.response(reason.status, "{\"reason\":\"\(reason.rawValue)\"}"))
      #expect(assessment.decision == .rejected(reason: reason.rawValue))
      #expect(assessment.credential == reason.credential)
      #expect(assessment.isReceiverUnknown == reason.isReceiverUnknown)
      #expect((assessment.retryAfter != nil) == (reason.status == 429))
    }
    #expect(
      provider.assess(Probes.response(410, #"{"reason":"Unregistered","timestamp":1772600767123}"#)).decision
        == .rejected(reason: "Unregistered"))
    #expect(
      provider.assess(Probes.response(418, #"{"reason":"SomethingOfNextYear"}"#)).decision
        == .rejected(reason: "SomethingOfNextYear"))
    #expect(provider.assess(Probes.response(502, "<html>")).decision == .rejected(reason: ""))
    #expect(
      provider.assess(Probes.response(503, #"{"reason":"Shutdown"}"#, [("retry-after", "30")])).retryAfter
        == .seconds(30))
    #expect(APNsReason.expiredProviderToken.credential == .expired)
    #expect(APNsReason.tooManyProviderTokenUpdates.credential == .renewedTooOften)
    #expect(APNsReason.badDeviceToken.credential == nil)
    // Apple has 403 for errors of certificates and tokens only.
    for reason in APNsReason.allCases where reason.status == 403 { #expect(reason.credential != nil) }
    #expect(
      provider.assess(Probes.response(403, #"{"reason":"SomethingOfNextYear"}"#)).credential == .refused)
    #expect(provider.assess(Probes.response(400, #"{"reason":"SomethingOfNextYear"}"#)).credential == nil)
    #expect(
      APNsReason.allCases.filter(\.isReceiverUnknown)
        == [.badDeviceToken, .deviceTokenNotForTopic, .expiredToken, .unregistered])
  }
}

extension APNsReason {
  /// The status that Apple documents for the reason.
  fileprivate var status: Int {
    switch self {
    case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken,
      .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken:
      403
    case .badPath: 404
    case .methodNotAllowed: 405
    case .expiredToken, .unregistered: 410
    case .payloadTooLarge: 413
    case .tooManyProviderTokenUpdates, .tooManyRequests: 429
    case .internalServerError: 500
    case .serviceUnavailable, .shutdown: 503
    default: 400
    }
  }
}
