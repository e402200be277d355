import Cryptography
import Foundation
import Measurement
import Testing

@testable import Configuration
@testable import LoopbackService

@Suite struct VAPIDAuthenticatorTests {
  private let key = P256.PrivateKey()
  private let now = RequestContext.start

  private func word(
    _ claims: String, key other: P256.PrivateKey? = nil, style: WebPushErrorStyle = .mozilla,
    isDER: Bool = false, format: (String, String) -> String = { "vapid t=\($0), k=\($1)" }
  ) throws -> String? {
    let authenticator = VAPIDAuthenticator(
      applicationKey: key.publicKey, behavior: TokenBehavior(),
      origins: ServiceOrigins(["https://127.0.0.1:1"]))
    let signer = other ?? key
    let token = try TestToken.es256(
      signer, header: "{\"typ\":\"JWT\",\"alg\":\"ES256\"}", claims: claims, isDER: isDER)
    let point = Base64URLText.encode(Data(signer.publicKey.x963Representation))
    return authenticator.problem(format(token, point), style: style, .test())?.reason
  }

  private func claims(
    aud: String = "https://127.0.0.1:1", after seconds: Double = 3600, sub: String? = "mailto:a@example.com"
  ) -> String {
    let sub = sub.map { ",\"sub\":\"\($0)\"" } ?? ""
    return "{\"aud\":\"\(aud)\",\"exp\":\(Int(now + seconds))\(sub)}"
  }

  @Test func takesWhatTheSubscriptionsSenderSigned() throws {
    #expect(try word(claims()) == nil)
    #expect(try word(claims()) { "Vapid k=\"\($1)\",t=\"\($0)\"" } == nil)
    #expect(try word(claims(), key: P256.PrivateKey()) == "VapidPkHashMismatch")
    #expect(try word(claims(), isDER: true) == "BadJwtToken")
    #expect(try word(claims()) { token, _ in "WebPush \(token)" } == "BadJwtToken")
    #expect(try word(claims()) { token, _ in "vapid t=\(token), k=AAAA" } == "BadVapidPublicKey")
    #expect(try word(claims()) { _, _ in "" } == "MissingVapid")
  }

  /// RFC 8292, section 2.4, the whole header as it stands there: a signature that nothing of ours made.
  @Test func takesTheStandardsExample() throws {
    let header =
      "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsIn"
      + "N1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2"
      + "L9OkSSHzvoD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
    let point =
      "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
    let bytes = try #require(Base64URLText.decode(point))
    let authenticator = VAPIDAuthenticator(
      applicationKey: try P256.PublicKey(x963Representation: Array(bytes)), behavior: TokenBehavior(),
      origins: ServiceOrigins(["https://push.example.net"]))
    func problem(_ header: String, at seconds: Double) -> String? {
      var context = RequestContext.test()
      context.now = WallTime(microseconds: Int64(seconds * 1e6))
      return authenticator.problem(header, style: .mozilla, context)?.reason
    }
    #expect(problem(header, at: 1_453_523_000) == nil)
    #expect(problem(header, at: 1_453_523_769) == "ExpiredJwtToken")
    #expect(problem(header.replacing("MjM3NjgsIn", with: "MjM3NjksIn"), at: 1_453_523_000) == "BadJwtToken")
  }

  @Test func mindsTheClaims() throws {
    #expect(try word(claims(aud: "https://127.0.0.1:2")) == "BadJwtToken")
    #expect(try word(claims(aud: "https://127.0.0.1:1/wpush")) == "BadJwtToken")
    #expect(try word(claims(after: -1)) == "ExpiredJwtToken")
    #expect(try word(claims(after: 86_390)) == nil)
    #expect(try word(claims(after: 86_410)) == "BadJwtToken")
    #expect(try word(claims(sub: "tel:1")) == "BadJwtToken")
    #expect(try word(claims(sub: nil)) == nil)
    #expect(try word(claims(sub: nil), style: .apple) == "BadJwtToken")
    #expect(try word(claims(sub: "mailto:a@localhost"), style: .apple) == "BadJwtToken")
    #expect(try word(claims(sub: "mailto:<a@example.com>"), style: .apple) == "BadJwtToken")
    #expect(try word("{\"aud\":\"https://127.0.0.1:1\"}") == "BadJwtToken")
  }
}
