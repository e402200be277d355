import Cryptography
import Foundation
import Measurement
import NIOCore
import NIOHPACK
import NIOPosix
import Testing

@testable import Configuration
@testable import HTTPServer
@testable import LoopbackService

/// Web Push's headers, one wrong at a time.
@Suite struct WebPushServiceTests {
  private let key = P256.PrivateKey()

  private func refusal(
    _ changes: [(String, String?)] = [], body: String = "", style: WebPushErrorStyle = .mozilla,
    method: String = "POST"
  ) throws -> String? {
    let origins = ServiceOrigins(["https://127.0.0.1:1"])
    let authenticator = VAPIDAuthenticator(
      applicationKey: key.publicKey, behavior: TokenBehavior(), origins: origins)
    let service = WebPushService(
      authenticator: authenticator, subscription: "s",
      reader: PushMessageReader(privateKey: P256.PrivateKey(), secret: [UInt8](repeating: 0, count: 16)),
      agents: AutopushService(
        behavior: AgentBehavior(), origins: origins, clock: SystemClock(),
        eventLoop: MultiThreadedEventLoopGroup.singleton.next()),
      origins: origins)
    let exp = Int(RequestContext.start) + 60
    let token = try TestToken.es256(
      key, header: "{\"alg\":\"ES256\"}",
      claims: "{\"aud\":\"https://127.0.0.1:1\",\"exp\":\(exp),\"sub\":\"mailto:a@example.com\"}")
    let point = Base64URLText.encode(Data(key.publicKey.x963Representation))
    var fields: [(String, String)] = [
      ("authorization", "vapid t=\(token), k=\(point)"), ("ttl", "60"), ("urgency", "high"),
      ("topic", "probes"),
    ]
    for (name, value) in changes {
      fields.removeAll { $0.0 == name }
      if let value { fields.append((name, value)) }
    }
    let request = HTTPRequest(
      method: method, path: "\(style.path)s", headers: HPACKHeaders(fields),
      body: ByteBuffer(string: body), version: .http2, arrivedAt: .zero)
    guard case .refused(let refusal, _) = service.check(request, .test()) else { return nil }
    return refusal.reason
  }

  @Test func mindsEachHeader() throws {
    #expect(try refusal([("topic", nil), ("urgency", nil)]) == nil)
    #expect(try refusal([("ttl", "0"), ("topic", "probe")]) == nil)
    #expect(try refusal([("ttl", nil)]) == "errno 111 Bad Request")
    #expect(try refusal([("ttl", "soon")]) == "errno 111 Bad Request")
    #expect(try refusal([("ttl", "-1")]) == "errno 114 Bad Request")
    #expect(try refusal([("topic", String(repeating: "t", count: 33))]) == "errno 113 Bad Request")
    #expect(try refusal([("topic", "no topic")]) == "errno 113 Bad Request")
    #expect(try refusal([("urgency", "urgent")]) == "errno 110 Bad Request")
    #expect(try refusal(body: "x") == "errno 110 Bad Request", "not encrypted")
    #expect(try refusal([("content-encoding", "aes128gcm")], body: "x") == "errno 110 Bad Request")
    #expect(try refusal(body: String(repeating: "x", count: 4097)) == "errno 104 Payload Too Large")
    #expect(try refusal(method: "PUT") == "errno 999 Method Not Allowed")
  }

  @Test func appleHasWordsOfItsOwn() throws {
    #expect(try refusal([("topic", "probe")], style: .apple) == "BadWebPushTopic", "5 is 1 more than 4")
    #expect(try refusal(style: .apple) == nil)
    #expect(try refusal([("ttl", "-1")], style: .apple) == "BadTtl")
    #expect(try refusal([("urgency", "x")], style: .apple) == "BadUrgency")
  }
}
