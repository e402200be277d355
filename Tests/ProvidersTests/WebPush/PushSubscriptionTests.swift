import Measurement
import Providers
import Testing

@Suite struct PushSubscriptionTests {
  private let p256dh =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
  private let auth = "BTBZMqHH6r4Tts7J_aSIgg"

  private func json(
    endpoint: String = "\"https://Push.Example.net:8443/p/secret?x\"", p256dh: String? = nil,
    auth: String? = nil,
    more: String = ""
  ) -> String {
    "{\"endpoint\":\(endpoint),\"keys\":{\"p256dh\":\"\(p256dh ?? self.p256dh)\",\"auth\":\"\(auth ?? self.auth)\"}\(more)}"
  }

  private func refusal(_ text: String) -> CredentialError? {
    do throws(CredentialError) {
      _ = try PushSubscription(json: Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test func isReadAndNeverShown() throws {
    let subscription = try PushSubscription(
      json: Array(json(more: ",\"expirationTime\":1772600767123.5").utf8))
    #expect(subscription.origin == "https://push.example.net:8443")
    #expect(subscription.expiration == WallTime(microseconds: 1_772_600_767_123_500))
    var dumped = ""
    dump(subscription, to: &dumped)
    #expect(!("\(subscription)" + dumped).contains("secret"))
  }

  @Test func otherWritingsOfBase64AreRead() {
    #expect(refusal(json(p256dh: p256dh + "=", auth: auth + "==")) == nil)
    #expect(
      refusal(
        json(
          p256dh: p256dh.replacing("-", with: "+").replacing("_", with: "/"),
          auth: auth.replacing("-", with: "+").replacing("_", with: "/"))) == nil)
  }

  @Test func whatIsWrongIsSaidWithoutQuotingIt() throws {
    let wrong: [(String, CredentialError.Code, String)] = [
      ("", .truncated, "not JSON"), ("{\"endpoint\":", .truncated, "does not end with a brace"),
      ("[]", .malformed, "not an object"), ("{}", .incomplete, "\"endpoint\""),
      ("{\"endpoint\":\"https://a/secret\"}", .incomplete, "\"keys.p256dh\""),
      ("{\"endpoint\":\"https://a/secret\",\"keys\":{\"p256dh\":\"x\"}}", .incomplete, "\"keys.auth\""),
      (json(endpoint: "7"), .malformed, "\"endpoint\""),
      (json(endpoint: "\"ftp://a/secret\""), .invalid, "not an https URL"),
      (json(endpoint: "\"https://a/secret\\r\\nx: y\""), .invalid, "not an https URL"),
      (json(endpoint: "\"https:///secret\""), .invalid, "not an https URL"),
      (json(p256dh: "AAAA"), .invalid, "not a point"),
      (json(p256dh: "B" + String(repeating: "A", count: 86)), .invalid, "not a point"),
      (json(p256dh: "!!!"), .invalid, "not a point"), (json(auth: "AAAA"), .invalid, "not 16 bytes"),
    ]
    for (text, code, words) in wrong {
      let error = try #require(refusal(text), "\(text)")
      #expect(error.code == code, "\(text)")
      #expect(error.message.contains(words), "\(error.message)")
      #expect(!error.description.contains("secret"))
    }
  }

  @Test func timesBeyondAnyCalendarAreNone() throws {
    for time in ["null", "1e300", "-1"] {
      #expect(
        try PushSubscription(json: Array(json(more: ",\"expirationTime\":\(time)").utf8)).expiration == nil)
    }
  }
}
