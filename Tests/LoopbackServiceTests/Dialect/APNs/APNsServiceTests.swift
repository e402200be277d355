import Cryptography
import Measurement
import NIOCore
import NIOHPACK
import Testing

@testable import Configuration
@testable import HTTPServer
@testable import LoopbackService

@Suite struct APNsServiceTests {
  static let token = String(repeating: "0a", count: 32)
  static let id = "0193b1a0-0000-8000-8000-00000000abcd"

  /// A good request, changed in one place.
  private func request(
    _ method: String = "POST", path: String = "/3/device/\(token)", body: String = "{\"aps\":{}}",
    changing changes: [(String, String?)] = []
  ) -> HTTPRequest {
    var fields: [(String, String)] = [
      ("authorization", "bearer loopback"), ("apns-topic", "com.example.app"), ("apns-id", Self.id),
      ("apns-push-type", "alert"), ("apns-priority", "10"), ("apns-expiration", "0"),
    ]
    for (name, value) in changes {
      if name.hasPrefix("+"), let value {
        fields.append((String(name.dropFirst()), value))
      } else {
        fields.removeAll { $0.0 == name }
        if let value { fields.append((name, value)) }
      }
    }
    return HTTPRequest(
      method: method, path: path, headers: HPACKHeaders(fields), body: ByteBuffer(string: body),
      version: .http2,
      arrivedAt: .zero)
  }

  private static let key = P256.PrivateKey()

  private func service() -> APNsService {
    APNsService(
      authenticator: APNsAuthenticator(
        key: Self.key.publicKey, keyID: LoopbackCredentials.signingKeyID, teamID: LoopbackCredentials.teamID,
        behavior: TokenBehavior()), freshID: { "fresh" })
  }

  private func reason(_ request: HTTPRequest, hasCertificate: Bool = false) -> String? {
    let result = service().check(request, .test(hasCertificate: hasCertificate))
    guard case .refused(let refusal, _) = result else { return nil }
    return refusal.reason
  }

  @Test(
    arguments: [
      ("authorization", nil, "MissingProviderToken"), ("authorization", "", "MissingProviderToken"),
      ("authorization", "bearer ", "InvalidProviderToken"),
      ("authorization", "Bearer x", "InvalidProviderToken"),
      ("authorization", "basic x", "InvalidProviderToken"),
      ("apns-topic", nil, "MissingTopic"), ("apns-topic", "", "BadTopic"),
      ("apns-topic", "com example", "BadTopic"),
      ("apns-id", "x", "BadMessageId"), ("apns-id", "0193B1A0-0000-8000-8000-00000000ABCD", "BadMessageId"),
      ("apns-id", "0193b1a0000080008000-00000000abcd0000", "BadMessageId"),
      ("apns-push-type", "shout", "InvalidPushType"), ("apns-push-type", "Alert", "InvalidPushType"),
      ("apns-priority", "7", "BadPriority"), ("apns-priority", "", "BadPriority"),
      ("apns-expiration", "-1", "BadExpirationDate"), ("apns-expiration", "soon", "BadExpirationDate"),
      ("apns-expiration", "", "BadExpirationDate"),
      ("apns-collapse-id", String(repeating: "c", count: 65), "BadCollapseId"),
      ("apns-collapse-id", "", "BadCollapseId"),
      ("+apns-topic", "com.example.app", "DuplicateHeaders"),
      ("+authorization", "bearer y", "DuplicateHeaders"),
    ] as [(String, String?, String)])
  func refusesWrongHeaders(name: String, value: String?, expected: String) {
    #expect(reason(request(changing: [(name, value)])) == expected)
  }

  @Test(
    arguments: [
      ("apns-id", nil), ("apns-push-type", nil), ("apns-priority", nil), ("apns-expiration", nil),
      ("apns-priority", "5"), ("apns-priority", "1"), ("apns-expiration", "1893456000"),
      ("apns-topic", "com.example-x.app_1.voip"),
      ("apns-collapse-id", String(repeating: "c", count: 64)), ("x-other", "anything"),
    ] as [(String, String?)])
  func takesRightHeaders(name: String, value: String?) {
    #expect(reason(request(changing: [(name, value)])) == nil)
  }

  @Test func backgroundPushesGoWithLowPriority() {
    func background(_ priority: String?) -> String? {
      reason(request(changing: [("apns-push-type", "background"), ("apns-priority", priority)]))
    }
    #expect(background("10") == "BadPriority")
    #expect(background("5") == nil)
    #expect(background(nil) == "BadPriority", "without priority it is 10")
    func live(_ priority: String) -> String? {
      reason(
        request(changing: [
          ("apns-push-type", "liveactivity"), ("apns-priority", priority),
          ("apns-topic", "com.example.app.push-type.liveactivity"),
        ]))
    }
    #expect(live("1") == "BadPriority")
    #expect(live("5") == nil)
  }

  @Test func refusesWrongPathsAndMethods() {
    #expect(reason(request(path: "/")) == "BadPath")
    #expect(reason(request(path: "/3/devices/\(Self.token)")) == "BadPath")
    #expect(reason(request("GET", path: "/4/x")) == "BadPath")
    #expect(reason(request("GET")) == "MethodNotAllowed")
    #expect(reason(request("PUT")) == "MethodNotAllowed")
    #expect(reason(request(path: "/3/device/")) == "MissingDeviceToken")
    #expect(reason(request(path: "/3/device/xyz")) == "BadDeviceToken")
    #expect(reason(request(path: "/3/device/\(Self.token)0")) == "BadDeviceToken")
    #expect(reason(request(path: "/3/device/\(Self.token)/status")) == "BadDeviceToken")
    #expect(reason(request(path: "/3/device/" + String(repeating: "F", count: 160))) == nil)
  }

  @Test func boundsThePayload() {
    func body(_ bytes: Int) -> String { "{\"a\":\"\(String(repeating: "x", count: bytes - 8))\"}" }
    #expect(reason(request(body: "")) == "PayloadEmpty")
    #expect(reason(request(body: body(4096))) == nil)
    #expect(reason(request(body: body(4097))) == "PayloadTooLarge")
    let voip = [("apns-push-type", "voip" as String?), ("apns-topic", "com.example.app.voip")]
    #expect(reason(request(body: body(5120), changing: voip)) == nil)
    #expect(reason(request(body: body(5121), changing: voip)) == "PayloadTooLarge")
  }

  @Test(arguments: ["[]", "null", "\"x\"", "{", "{\"aps\":}", "x"]) func wantsAJSONObject(body: String) {
    #expect(reason(request(body: body)) == "PayloadEmpty")
  }

  @Test func firstThingsFirst() {
    // Everything is wrong; what APNs would have to know first is told first.
    let all = request(
      "GET", path: "/3/device/x", body: "", changing: [("authorization", nil), ("apns-topic", nil)])
    #expect(reason(all) == "MethodNotAllowed")
    let rest = request(
      path: "/3/device/x", body: "", changing: [("authorization", nil), ("apns-topic", nil)])
    #expect(reason(rest) == "MissingProviderToken")
  }

  @Test(arguments: [
    ("voip", ".voip"), ("complication", ".complication"), ("location", ".location-query"),
    ("fileprovider", ".pushkit.fileprovider"), ("pushtotalk", ".voip-ptt"),
    ("liveactivity", ".push-type.liveactivity"), ("widgets", ".push-type.widgets"),
  ])
  func topicsEndAsTheirPushTypeWants(pushType: String, suffix: String) {
    func topic(_ topic: String) -> String? {
      reason(request(changing: [("apns-push-type", pushType), ("apns-topic", topic)]))
    }
    #expect(topic("com.example.app\(suffix)") == nil)
    #expect(topic("com.example.app") == "BadTopic")
  }

  @Test func aCertificateStandsForTheTokenAndItsTopic() {
    func with(_ topic: String?) -> String? {
      reason(request(changing: [("authorization", nil), ("apns-topic", topic)]), hasCertificate: true)
    }
    #expect(with("com.example.app") == nil)
    #expect(with(nil) == nil)
    #expect(with("com.example.other") == "TopicDisallowed")
    #expect(reason(request(changing: [("authorization", nil)])) == "MissingProviderToken")
  }

  @Test func echoesTheIDOrMakesOne() throws {
    func id(_ request: HTTPRequest) -> String? {
      switch service().check(request, .test()) {
      case .notification(let notification): notification.id
      case .refused(_, let id): id
      default: nil
      }
    }
    #expect(id(request()) == Self.id)
    #expect(id(request(changing: [("apns-id", nil)])) == "fresh")
    #expect(id(request(changing: [("apns-id", "x")])) == "fresh")
    #expect(id(request(body: "")) == Self.id)
  }

  @Test func everyReasonHasApplesStatus() {
    // Table of "Handling notification responses from APNs".
    let expected = [
      400: 14, 403: 8, 404: 1, 405: 1, 410: 2, 413: 1, 429: 2, 500: 1, 503: 2,
    ]
    let counts = Dictionary(grouping: ErrorCatalog.apns.reasons, by: \.status).mapValues(\.count)
    #expect(counts == expected)
  }
}
