import Cryptography
import Testing

@testable import Providers

/// RFC 8188, section 3.
@Suite struct EncryptedContentTests {
  private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

  /// Section 3.1: one record.
  @Test func matchesTheFirstExample() throws {
    let content = try EncryptedContent.seal(
      [.init(text: Array("I am the walrus".utf8))],
      key: SymmetricKey(bytes("yqdlZ-tYemfogSmv7Ws5PQ")), salt: bytes("I1BsxtFttlv3u_Oo94xnmw"),
      keyID: [], recordSize: 4096)
    #expect(content.count == 53)
    #expect(
      Base64URL.encode(content)
        == "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
  }

  /// Section 3.2: two records of 25 bytes, a key with a name, a byte of padding in the first record.
  @Test func matchesTheSecondExample() throws {
    let content = try EncryptedContent.seal(
      [.init(text: Array("I am th".utf8), padding: 1), .init(text: Array("e walrus".utf8))],
      key: SymmetricKey(bytes("BO3ZVPxUlnLORbVGMpbT1Q")), salt: bytes("uNCkWiNYzKTnBN9ji3-qWA"),
      keyID: Array("a1".utf8), recordSize: 25)
    #expect(content.count == 73)
    #expect(
      Base64URL.encode(content)
        == "uNCkWiNYzKTnBN9ji3-qWAAAABkCYTHOG8chz_gnvgOqdGYovxyjuqRyJFjEDyoF1Fvkj6hQPdPHI51OEUKEpgz3SsLWIqS_uA"
    )
  }

  @Test func recordsHaveOneSize() throws {
    let key = SymmetricKey([UInt8](repeating: 9, count: 16))
    let salt = [UInt8](repeating: 7, count: 16)
    let full = EncryptedContent.Record(text: [1, 2, 3], padding: 5)
    let short = EncryptedContent.Record(text: [1, 2, 3])
    func seal(_ records: [EncryptedContent.Record], size: UInt32 = 25, keyID: [UInt8] = []) throws {
      _ = try EncryptedContent.seal(records, key: key, salt: salt, keyID: keyID, recordSize: size)
    }
    try seal([full, full, short])
    #expect(throws: EncryptedContent.Failure.self) { try seal([short, full]) }
    #expect(throws: EncryptedContent.Failure.self) { try seal([full], size: 24) }
    #expect(throws: EncryptedContent.Failure.self) { try seal([]) }
    #expect(throws: EncryptedContent.Failure.self) { try seal([.init(text: [], padding: -1)]) }
    #expect(throws: EncryptedContent.Failure.self) {
      try seal([full], keyID: [UInt8](repeating: 0, count: 256))
    }
    #expect(throws: EncryptedContent.Failure.self) {
      try EncryptedContent.seal([full], key: key, salt: [], keyID: [], recordSize: 25)
    }
  }
}
