import Cryptography
import Measurement
import Testing

@testable import Providers

/// RFC 8291, section 5 and appendix A.
@Suite struct WebPushCipherTests {
  static let subscriptionJSON = """
    {"endpoint":"https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV","expirationTime":null,"keys":{
    "p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth":"BTBZMqHH6r4Tts7J_aSIgg"}}
    """
  /// The receiver's private key.
  static let receiverKey = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"

  static func subscription() throws -> PushSubscription {
    try PushSubscription(json: Array(subscriptionJSON.utf8))
  }

  private func senderKey() throws -> P256.PrivateKey {
    let bytes = try #require(Base64URL.decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
    return try P256.PrivateKey(rawRepresentation: bytes)
  }

  private let salt = "DGv6ra1nlYgDCS1FRnbzlw"

  @Test func matchesTheRFC() throws {
    let body = try WebPushCipher.encrypt(
      Array("When I grow up, I want to be a watermelon".utf8), padding: 0, for: Self.subscription(),
      key: senderKey(), salt: try #require(Base64URL.decode(salt)))
    #expect(body.count == 144)
    #expect(
      Base64URL.encode(body)
        == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
  }

  @Test func paddingIsCountedAndBounded() throws {
    let salt = try #require(Base64URL.decode(salt))
    let body = try WebPushCipher.encrypt(
      [1, 2, 3], padding: 100, for: Self.subscription(), key: senderKey(), salt: salt)
    #expect(body.count == WebPushCipher.overheadBytes + 103)
    // The longest plaintext for a body of 4096 bytes, and the record's own end beyond.
    let longest = try WebPushCipher.encrypt(
      [UInt8](repeating: 0, count: 3993), padding: 0, for: Self.subscription(), key: senderKey(), salt: salt)
    #expect(longest.count == 4096)
    #expect(throws: WebPushCipher.Failure.self) {
      try WebPushCipher.encrypt(
        [UInt8](repeating: 0, count: 4080), padding: 0, for: Self.subscription(), key: senderKey(), salt: salt
      )
    }
    #expect(throws: WebPushCipher.Failure.self) {
      try WebPushCipher.encrypt([], padding: -1, for: Self.subscription(), key: senderKey(), salt: salt)
    }
    #expect(throws: WebPushCipher.Failure.self) {
      try WebPushCipher.encrypt([], padding: 0, for: Self.subscription(), key: senderKey(), salt: [])
    }
  }
}
