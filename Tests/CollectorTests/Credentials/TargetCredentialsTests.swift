import Foundation
import Measurement
import Providers
import Testing

@testable import Collector
@testable import Configuration

@Suite struct TargetCredentialsTests {
  /// Made for these tests with openssl; nothing trusts it.
  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXDAw6j5tvBBZCz6j
    3s94I6OkrpJkBiMkWETuz3cRSyahRANCAASESLcwRhQMUuRUMrzdbf+PWOnEF6dm
    CoVv8QZqQdcOxQIEEgUpgY1C2+IQ35gBym2UH4UJS9z+4GJi3a1Fi7ZZ
    -----END PRIVATE KEY-----
    """
  private static let keys = """
    {"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}
    """

  private func text(_ text: String) -> SecretReference { .text(Secret(text)) }

  private func target(_ settings: ProviderSettings..., endpoint: String = "https://h:1") throws
    -> TargetConfiguration
  {
    var target = TargetConfiguration(
      name: "t", endpoint: try Endpoint.parse(endpoint), settings: try #require(settings.first))
    target.variants = settings.map { TargetVariant(settings: $0) }
    return target
  }

  private var notification: PushNotification {
    var generator = SystemRandomNumberGenerator()
    return PushNotification(
      id: NotificationID(
        run: RunID(at: WallTime(microseconds: 0), using: &generator),
        sample: SampleID(target: TargetID(rawValue: 1), sequence: 1)), plannedAt: WallTime(microseconds: 0))
  }

  private func apns(
    key: String = TargetCredentialsTests.key, deviceToken: String = String(repeating: "0f", count: 32),
    priority: Int = 10
  ) -> ProviderSettings {
    .apns(
      APNsSettings(
        deviceToken: text(deviceToken), topic: "a", priority: priority,
        credentials: .token(signingKey: text(key), keyID: "ABC123DEFG", teamID: "DEF123GHIJ")))
  }

  @Test func eachVariantBecomesAProvider() throws {
    let credentials = try TargetCredentials(reading: target(apns(), apns(priority: 5)))
    guard case .apnsToken = credentials.kind else {
      Issue.record("it has a signing key")
      return
    }
    let providers = try credentials.providers(token: "a.b.c")
    #expect(providers.count == 2)
    let requests = providers.map { $0.request(for: notification) }
    #expect(requests.map { $0.headers.first { $0.name == "apns-priority" }?.value } == ["10", "5"])
    #expect(requests.allSatisfy { $0.headers.contains(HeaderField("authorization", "bearer a.b.c")) })
    #expect(requests[0].url == "https://h:1/3/device/\(String(repeating: "0f", count: 32))")
    // Without a token nothing may be sent: it would look like a certificate's.
    #expect(throws: TargetCredentialError.self) { try credentials.providers(token: nil) }
  }

  @Test func webPushKeepsTheSubscriptionsPathOnAnotherServer() throws {
    let subscription = #"{"endpoint":"https://push.example.net/s3cret","keys":\#(Self.keys)}"#
    let settings = ProviderSettings.webpush(
      WebPushSettings(
        receiver: .subscription(text(subscription)),
        credentials: WebPushSettings.Credentials(vapidKey: text(Self.key), subject: "mailto:a@b")))
    let credentials = try TargetCredentials(reading: target(settings, endpoint: "https://127.0.0.1:9/s3cret"))
    guard case .vapid(_, let origin) = credentials.kind else {
      Issue.record("it has a VAPID key")
      return
    }
    #expect(origin == "https://127.0.0.1:9")
    let request = try #require(try credentials.providers(token: "vapid t=x,k=y").first).request(
      for: notification)
    #expect(request.url == "https://127.0.0.1:9/s3cret")
    #expect(request.headers.contains(HeaderField("authorization", "vapid t=x,k=y")))
  }

  /// Refused before anything is sent, and only for Apple's endpoint.
  @Test func aSubjectAtALocalHostIsRefusedForApple() throws {
    let subscription = #"{"endpoint":"https://web.push.apple.com/s3cret","keys":\#(Self.keys)}"#
    func read(_ subject: String, endpoint: String) throws -> TargetCredentialError? {
      let settings = ProviderSettings.webpush(
        WebPushSettings(
          receiver: .subscription(text(subscription)),
          credentials: WebPushSettings.Credentials(vapidKey: text(Self.key), subject: subject)))
      let target = try target(settings, endpoint: endpoint)
      do throws(TargetCredentialError) {
        _ = try TargetCredentials(reading: target)
        return nil
      } catch {
        return error
      }
    }
    let refusal = try read("mailto:ops@localhost", endpoint: "https://web.push.apple.com/s3cret")
    #expect(refusal?.message.hasPrefix("subject \"mailto:ops@localhost\" is not valid for Apple's") == true)
    #expect(try read("mailto:ops@example.com", endpoint: "https://web.push.apple.com/s3cret") == nil)
    #expect(try read("mailto:ops@localhost", endpoint: "https://push.example.com/s3cret") == nil)
  }

  @Test func ntfySubscribesWithTheSameCredentials() throws {
    let settings = NtfySettings(topic: "x", subscribe: true, credentials: .token(text("tk_1\n")))
    let credentials = try TargetCredentials(reading: target(.ntfy(settings)))
    let subscription = try #require(try credentials.ntfySubscription())
    #expect(subscription.request().headers == [HeaderField("authorization", "Bearer tk_1")])
    #expect(try TargetCredentials(reading: target(.ntfy(NtfySettings(topic: "x")))).ntfySubscription() == nil)
  }

  @Test func mistakesNameTargetSecretAndRemedyButNothingOfTheContent() throws {
    func error(_ settings: ProviderSettings) throws -> TargetCredentialError? {
      let target = try target(settings)
      do throws(TargetCredentialError) {
        _ = try TargetCredentials(reading: target).providers(token: "x")
        return nil
      } catch {
        return error
      }
    }
    let cases: [(ProviderSettings, String)] = [
      (apns(key: "s3cret"), "signing_key: the text from the environment has no -----BEGIN line"),
      (
        apns(deviceToken: "s3cret s3cret"), "device_token: the text from the environment is not a single line"
      ),
      (apns(deviceToken: "s3cret"), "device_token_file does not contain a device token"),
      (.fcm(FCMSettings(deviceToken: text("d"), serviceAccount: text("{\"s3cret\"}"))), "service_account: "),
      (
        .webpush(
          WebPushSettings(receiver: .subscription(text("{\"endpoint\":\"s3cret\"}")), credentials: nil)),
        "subscription: "
      ),
      (.ntfy(NtfySettings(topic: "x", credentials: .token(text("s3cret s3cret")))), "token: "),
      (
        .ntfy(NtfySettings(topic: "x", credentials: .token(.file(SecretFile(path: "/nowhere"))))),
        "token_file: there is no file"
      ),
      (.http(HTTPSettings(body: Array("{id}{padding}".utf8), payloadBytes: 10)), "payload_bytes 10 is less"),
    ]
    for (settings, words) in cases {
      let error = try #require(try error(settings), "\(words)")
      #expect(error.target == "t" && error.message.hasPrefix(words), "\(error.message)")
      #expect(!error.remedy.isEmpty && !error.description.contains("s3cret"))
    }
  }
}
