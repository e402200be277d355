import Measurement
import Providers
import Testing

@Suite struct FCMProviderTests {
  private func provider(
    deviceToken: String = "d:APA91b-_x", priority: FCMPriority = .high, ttl: Duration? = .seconds(60),
    validateOnly: Bool = false, payloadBytes: Int? = nil
  ) throws(ProviderError) -> FCMProvider {
    try FCMProvider(
      origin: "https://fcm.googleapis.com", projectID: "my-project", deviceToken: deviceToken,
      priority: priority, ttl: ttl, validateOnly: validateOnly, payloadBytes: payloadBytes,
      accessToken: "ya29.x")
  }

  private func assess(_ status: Int, _ body: String, _ headers: [(String, String)] = []) throws
    -> ProviderAssessment
  {
    try provider().assess(Probes.response(status, body, headers))
  }

  @Test func theMessageHasItsShape() throws {
    let request = try provider(priority: .normal, validateOnly: true).request(for: Probes.notification())
    #expect(request.url == "https://fcm.googleapis.com/v1/projects/my-project/messages:send")
    #expect(
      request.headers == [
        HeaderField("authorization", "Bearer ya29.x"), HeaderField("content-type", "application/json"),
      ])
    let id = Probes.notification().id.description
    let mac = String(repeating: "m", count: 43)
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"validate_only":true,"message":{"token":"d:APA91b-_x","data":{"v":"1","id":"\#(id)","mac":"\#(mac)","at":"1772600767123"},"android":{"priority":"normal","ttl":"60s"}}}"#
    )
  }

  /// Firebase installation IDs: 17 bytes in base64url.
  @Test func sendsToAnInstallationToo() throws {
    func request(_ id: String) throws -> String {
      let provider = try FCMProvider(
        origin: "https://a", projectID: "p-1", deviceToken: id, receiver: .fid, accessToken: "t")
      return String(decoding: provider.request(for: Probes.notification()).body, as: UTF8.self)
    }
    #expect(
      try request("cHrIfKOvS_-Wx0z1AbCdEf").contains(#""message":{"fid":"cHrIfKOvS_-Wx0z1AbCdEf","data""#))
    for wrong in ["", "cHrIfKOvS_-Wx0z1AbCdE", "cHrIfKOvS_-Wx0z1AbCdEfg", "cHrIfKOvS_+Wx0z1AbCdEf"] {
      #expect(throws: ProviderError.self) { try request(wrong) }
    }
  }

  @Test func withoutATTLNothingIsSaidOfIt() throws {
    let body = try provider(ttl: nil).request(for: Probes.notification(mac: nil)).body
    let text = String(decoding: body, as: UTF8.self)
    #expect(!text.contains("ttl") && !text.contains("mac"))
  }

  @Test func bodiesHaveExactlyTheirSize() throws {
    for bytes in [768, 769, 4096] {
      let request = try provider(payloadBytes: bytes).request(for: Probes.notification())
      #expect(request.body.count == bytes)
      let message = try #require(try Probes.object(request.body)["message"] as? [String: Any])
      let data = try #require(message["data"] as? [String: String])
      #expect(Set(data.keys).isSuperset(of: ["v", "id", "mac", "at"]))
    }
  }

  @Test func whatFCMWouldRefuseIsRefusedBefore() {
    #expect(throws: ProviderError.self) { try provider(deviceToken: "") }
    #expect(throws: ProviderError.self) { try provider(deviceToken: "a b") }
    #expect(throws: ProviderError.self) { try provider(ttl: .seconds(2_419_201)) }
    #expect(throws: ProviderError.self) { try provider(payloadBytes: 4097) }
    #expect(throws: ProviderError.self) { try provider(payloadBytes: 100) }
    #expect(throws: ProviderError.self) {
      try FCMProvider(origin: "https://a", projectID: "../x", deviceToken: "t", accessToken: "a")
    }
  }

  private func status(_ status: String, details: String = "") -> String {
    #"{"error":{"code":400,"message":"words for people","status":"\#(status)"\#(details.isEmpty ? "" : ",\"details\":[\(details)]")}}"#
  }

  private func fcmError(_ code: String) -> String {
    #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
  }

  private let badRequest =
    #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.token","description":"Invalid registration token"}]}"#

  @Test func errorsAreToldByFCMsCodeElseGooglesStatus() throws {
    #expect(
      try assess(200, #"{"name":"projects/p/messages/0:15%b1"}"#)
        == ProviderAssessment(.accepted, answerID: "0:15%b1"))
    #expect(try assess(200, #"{"name":7}"#) == ProviderAssessment(.accepted))
    #expect(
      try assess(404, status("NOT_FOUND", details: fcmError("UNREGISTERED"))).decision
        == .rejected(reason: "UNREGISTERED"))
    for details in [
      fcmError("INVALID_ARGUMENT") + "," + badRequest, badRequest + "," + fcmError("INVALID_ARGUMENT"),
    ] {
      #expect(
        try assess(400, status("INVALID_ARGUMENT", details: details)).decision
          == .rejected(reason: "INVALID_ARGUMENT: message.token"))
    }
    #expect(try assess(400, status("INVALID_ARGUMENT")).decision == .rejected(reason: "INVALID_ARGUMENT"))
    #expect(
      try assess(
        400, status("INVALID_ARGUMENT", details: "7,null,\"x\",[],{}," + fcmError("UNSPECIFIED_ERROR"))
      ).decision
        == .rejected(reason: "UNSPECIFIED_ERROR"))
    #expect(try assess(502, "<!DOCTYPE html><html>").decision == .rejected(reason: ""))
  }

  @Test func pausesAreObeyed() throws {
    let quota = status("RESOURCE_EXHAUSTED", details: fcmError("QUOTA_EXCEEDED"))
    #expect(try assess(429, quota).retryAfter == .seconds(60))
    #expect(try assess(429, quota, [("retry-after", "7")]).retryAfter == .seconds(7))
    #expect(try assess(503, status("UNAVAILABLE"), [("retry-after", "9")]).retryAfter == .seconds(9))
    #expect(try assess(503, status("UNAVAILABLE")).retryAfter == nil)
  }

  @Test func refusedTokensAreToldFromRefusedCredentialsOfOthers() throws {
    #expect(try assess(401, status("UNAUTHENTICATED")).credential == .expired)
    #expect(
      try assess(401, status("UNAUTHENTICATED", details: fcmError("THIRD_PARTY_AUTH_ERROR"))).credential
        == nil
    )
    // The account may not send for the project.
    #expect(try assess(403, status("PERMISSION_DENIED")).credential == .refused)
    #expect(try assess(403, "<html>").credential == .refused)
    #expect(try assess(404, status("NOT_FOUND")).credential == nil)
  }

  @Test func registrationTokensOfNoUseAreTold() throws {
    let stranger = try assess(403, status("PERMISSION_DENIED", details: fcmError("SENDER_ID_MISMATCH")))
    #expect(stranger.isReceiverUnknown && stranger.credential == nil)
    #expect(try assess(404, status("NOT_FOUND", details: fcmError("UNREGISTERED"))).isReceiverUnknown)
    #expect(
      try !assess(400, status("INVALID_ARGUMENT", details: fcmError("INVALID_ARGUMENT"))).isReceiverUnknown)
    #expect(try !assess(404, status("NOT_FOUND")).isReceiverUnknown)
  }
}
