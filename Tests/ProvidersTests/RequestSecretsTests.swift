import Foundation
import Measurement
import Providers
import Testing

/// What a service repeats of a request does not become its reason.
@Suite struct RequestSecretsTests {
  private static let claims = "eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzAwMDAwMDAwfQ"
  private static let signature = "nX3-_bQ0u1ZrV5yT8wKdLmPfGhJkQsRt"
  private static let token = "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.\(claims).\(signature)"

  private static let request = PushRequest(
    url: "https://push.example/3/device/abababababababababababab?key=0123456789abcdef&n=1",
    headers: [
      HeaderField("authorization", "vapid t=\(token),k=BCVxsr7N_eNgVRqvHtD0z"),
      HeaderField("apns-topic", "com.example.application"), HeaderField("x-api-key", "secret-of-mine"),
      HeaderField("x-a", "short"),
    ])

  @Test(arguments: [
    ("bad token \(token)", "bad token (hidden)"),
    // Cut, as long reasons are; a header alone is the same for everybody.
    ("bad token \(token.prefix(50))", "bad token (hidden)"),
    ("bad token eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9", "bad token eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9"),
    ("signature \(signature) is wrong", "signature (hidden) is wrong"),
    ("signature …\(signature.dropFirst(3).prefix(8))… is wrong", "signature …(hidden)… is wrong"),
    ("claims \(claims.uppercased())", "claims (hidden)"),
    ("you sent: vapid t=\(token),k=BCVxsr7N_eNgVRqvHtD0z", "you sent: (hidden)"),
    ("secret-of-mine!", "(hidden)!"), ("SECRET-OF-MINE", "(hidden)"), ("of-mine is", "of-mine is"),
    ("secret-of", "(hidden)"),
    ("no device abababababababababababab here", "no device (hidden) here"),
    ("/3/DEVICE/ABABABABABABABABABABABAB", "/3/DEVICE/(hidden)"),
    ("0123456789abcdef", "(hidden)"), ("%30123456789ABCDEF", "(hidden)"),
    // Everything else is the service's own.
    ("BadDeviceToken", "BadDeviceToken"), ("https://push.example is down", "https://push.example is down"),
    ("com.example.application is no topic", "com.example.application is no topic"),
    ("short", "short"), ("", ""), ("eyJ0e", "eyJ0e"),
  ])
  func repeated(said: String, kept: String) {
    #expect(RequestSecrets(of: Self.request).hidden(in: said) == kept)
  }

  @Test func anAssertionIsASecretToo() {
    let assertion = "eyJhbGciOiJSUzI1NiJ9." + String(repeating: "eyJh", count: 20) + ".c2lnbmF0dXJl"
    let request = PushRequest(
      url: "https://oauth.example/token",
      headers: [HeaderField("content-type", "application/x-www-form-urlencoded")],
      body: Array("grant_type=urn%3Aietf&assertion=\(assertion)".utf8))
    #expect(RequestSecrets(of: request).hidden(in: "odd: \(assertion)") == "odd: (hidden)")
    #expect(RequestSecrets(of: request).hidden(in: "odd: \(assertion.suffix(9))") == "odd: (hidden)")
  }

  @Test func nothingSecretNothingHidden() {
    let request = PushRequest(url: "http://127.0.0.1:8080/")
    #expect(RequestSecrets(of: request).hidden(in: "127.0.0.1:8080 is closed") == "127.0.0.1:8080 is closed")
  }

  @Test(arguments: [
    ("no such user probe, password hunter2", "no such user probe, password (hidden)"),
    ("probe:hunter2", "(hidden)"), ("PROBE:HUNTER2", "(hidden)"),
    ("hunter23 is another", "hunter23 is another"),
    ("Basic cHJvYmU6aHVudGVyMg==", "(hidden)"), ("cHJvYmU6aHVudGVyMg", "(hidden)"),
    ("Basic is what I want", "Basic is what I want"),
  ])
  func basicIsDecoded(said: String, kept: String) {
    let value = "Basic " + Data("probe:hunter2".utf8).base64EncodedString()
    let request = PushRequest(
      url: "https://ntfy.example/probe", headers: [HeaderField("authorization", value)])
    #expect(RequestSecrets(of: request).hidden(in: said) == kept)
  }

  /// Of a registration token, which stands in the body, where no place tells it.
  @Test(arguments: [
    ("token dQw4w9WgXcQ:APA91bHun4 is gone", "token (hidden) is gone"),
    ("TOKEN DQW4W9WGXCQ:APA91BHUN4 IS GONE", "TOKEN (hidden) IS GONE"), ("Un4MxP5egYK", "(hidden)"),
    (#"{\"token\":\"dQw4w9WgXcQ\"}"#, #"{\"token\":\"(hidden)\"}"#), ("UNREGISTERED", "UNREGISTERED"),
  ])
  func registrationToken(said: String, kept: String) throws {
    let provider = try FCMProvider(
      origin: "https://fcm.example", projectID: "project-1", deviceToken: "dQw4w9WgXcQ:APA91bHun4MxP5egYKx_w",
      accessToken: "ya29.a0AfH6SMBx")
    let request = provider.request(for: Probes.notification())
    #expect(RequestSecrets(of: request).hidden(in: said) == kept)
    #expect(RequestSecrets(of: request).hidden(in: "ya29.a0AfH6SMBx") == "(hidden)")
  }

  /// Values of `${NAME}` may be short and stand anywhere; with fewer than four bytes they are no secrets.
  @Test func partsThatAreNamedAsSecrets() {
    let provider = HTTPProvider(
      url: "https://hooks.example/in/k7Qz/notify", headers: [HeaderField("x-key", "id-9ab3; zone=eu")],
      secrets: ["k7Qz", "9ab3", "eu"])
    let request = provider.request(for: Probes.notification())
    let secrets = RequestSecrets(of: request)
    #expect(secrets.hidden(in: "no hook /in/k7Qz/notify") == "no hook /in/(hidden)/notify")
    #expect(secrets.hidden(in: "no hook /IN/K7QZ") == "no hook /IN/(hidden)")
    #expect(
      secrets.hidden(in: "9ab3 has no rights in eu, 9ab34 has") == "(hidden) has no rights in eu, 9ab34 has")
  }

  /// Paths of words could lend them to any reason; only all of it together is a secret.
  @Test func wordsInPathsStayWords() {
    let request = PushRequest(
      url: "https://hooks.example/notifications-of-all-users/send?token=xyzw&page=12345678")
    let secrets = RequestSecrets(of: request)
    #expect(
      secrets.hidden(in: "notifications are off for all users") == "notifications are off for all users")
    #expect(secrets.hidden(in: "no /NOTIFICATIONS-OF-ALL-USERS/") == "no /(hidden)/")
    #expect(secrets.hidden(in: "token xyzw on page 12345678") == "token (hidden) on page 12345678")
  }

  @Test func jsonEscapesHideNothing() {
    let request = PushRequest(
      url: "https://a.example/", headers: [HeaderField("x-key", "ab/cd+ef/gh12==")])
    let secrets = RequestSecrets(of: request)
    #expect(secrets.hidden(in: #"bad key ab\/cd+ef\/gh12==."#) == "bad key (hidden).")
    #expect(secrets.hidden(in: "bad key ab%2Fcd%2Bef%2Fgh12%3D%3D.") == "bad key (hidden).")
  }

  /// Text that only looks like an escape, and text that is not ASCII, stays as it was.
  @Test(arguments: ["100 %", "%zz %4", "\\", "a\\/b", "ünïcödé ✓ %C3%BC", "\u{1F469}\u{200D}\u{1F469}"])
  func otherTextIsUntouched(text: String) {
    #expect(RequestSecrets(of: Self.request).hidden(in: text) == text)
    #expect(RequestSecrets(of: Self.request).hidden(in: text + Self.signature) == text + "(hidden)")
  }

  /// A rejected answer is looked through on the thread that sends: the work grows with the lengths, not their product.
  @Test func costIsBounded() {
    let secret = String(repeating: "0123456789abcdef", count: 4096)
    let request = PushRequest(
      url: "https://a.example/" + secret,
      headers: (0..<20).map { HeaderField("x-\($0)", secret) }, body: [], secrets: [secret])
    let text = String(repeating: "0123456x", count: 25)
    var took = Duration.seconds(60)
    for _ in 0..<5 {
      took = min(
        took, ContinuousClock().measure { #expect(RequestSecrets(of: request).hidden(in: text) == text) })
    }
    #expect(took < .seconds(5))
  }
}
