import Providers
import Testing

/// What a service repeats of a request does not become its reason.
@Suite struct RequestSecretsTests {
  private static let request = PushRequest(
    url: "https://push.example/3/device/abababababababababababab?key=0123456789abcdef&n=1",
    headers: [
      HeaderField("authorization", "vapid t=eyJ0eXAiOiJKV1Qi.claims.signature,k=BCVxsr7N_eNgVRqvHtD0z"),
      HeaderField("apns-topic", "com.example.application"), HeaderField("x-api-key", "secret-of-mine"),
      HeaderField("x-a", "short"),
    ])

  @Test(arguments: [
    ("bad token eyJ0eXAiOiJKV1Qi.claims.signature", "bad token (hidden)"),
    // Cut, as long reasons are.
    ("bad token eyJ0eXAiOiJKV", "bad token (hidden)"),
    ("you sent: vapid t=eyJ0eXAiOiJKV1Qi.claims.signature,k=BCVxsr7N_eNgVRqvHtD0z", "you sent: (hidden)"),
    ("secret-of-mine!", "(hidden)!"), ("no device abababababababababababab here", "no device (hidden) here"),
    ("0123456789abcdef", "(hidden)"),
    // Everything else is the service's own.
    ("BadDeviceToken", "BadDeviceToken"),
    ("com.example.application is no topic", "com.example.application is no topic"),
    ("short", "short"), ("", ""), ("eyJ0e", "eyJ0e"),
  ])
  func repeated(said: String, kept: String) {
    #expect(RequestSecrets(of: Self.request).hidden(in: said) == kept)
  }

  @Test func anAssertionIsASecretToo() {
    let assertion = String(repeating: "eyJh.", count: 20)
    let request = PushRequest(
      url: "https://oauth.example/token",
      headers: [HeaderField("content-type", "application/x-www-form-urlencoded")],
      body: Array("grant_type=urn%3Aietf&assertion=\(assertion)".utf8))
    #expect(RequestSecrets(of: request).hidden(in: "odd: \(assertion)") == "odd: (hidden)")
  }

  @Test func nothingSecretNothingHidden() {
    let request = PushRequest(url: "http://127.0.0.1:8080/")
    #expect(RequestSecrets(of: request).hidden(in: "127.0.0.1:8080 is closed") == "127.0.0.1:8080 is closed")
  }
}
