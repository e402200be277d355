import Cryptography
import Testing

/// Published examples of digests, authentication codes, derived keys and encryption.
@Suite struct SymmetricTests {
  /// FIPS 180-4's examples.
  @Test func sha256() {
    #expect(
      SHA256.hash() == bytes("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    let abc = bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(SHA256.hash(Array("abc".utf8)) == abc)
    #expect(SHA256.hash(Array("a".utf8), [], Array("bc".utf8)) == abc)
    #expect(
      SHA256.hash([UInt8](repeating: 0x61, count: 1_000_000))
        == bytes("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"))
  }

  /// RFC 4231, cases 1, 2 and 6.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0B, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ]) func hmac(secret: [UInt8], message: String, code: String) {
    let key = HMAC(secret: secret)
    let message = Array(message.utf8)
    let code = bytes(code)
    // A key has no state that a code changes.
    for _ in 0..<2 { #expect(key.code(for: message) == code) }
    #expect(key.isValid(code, for: message))
    #expect(!key.isValid(code, for: message + [0]))
    #expect(!key.isValid(code.dropLast(), for: message))
    #expect(!key.isValid([], for: message))
    for place in [0, 15, 31] {
      var other = code
      other[place] ^= 0x80
      #expect(!key.isValid(other, for: message))
    }
  }

  @Test func hmacOfNothing() {
    #expect(
      HMAC(secret: []).code(for: [])
        == bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
  }

  @Test func threadsShareAnHMACKey() async {
    let key = HMAC(secret: Array("shared".utf8))
    let codes = (0..<100).map { key.code(for: [UInt8($0)]) }
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask { codes.indices.allSatisfy { key.code(for: [UInt8($0)]) == codes[$0] } }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  /// RFC 5869, appendix A, cases 1 and 3.
  @Test func hkdf() throws {
    let secret = SymmetricKey([UInt8](repeating: 0x0B, count: 22))
    let key = try HKDF.key(
      from: secret, salt: bytes("000102030405060708090a0b0c"), info: bytes("f0f1f2f3f4f5f6f7f8f9"), count: 42)
    #expect(
      key.bytes
        == bytes("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
    let plain = try HKDF.key(from: secret, salt: [], info: [], count: 42)
    #expect(
      plain.bytes
        == bytes("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
    #expect(throws: CryptographyError.self) {
      try HKDF.key(from: secret, salt: [], info: [], count: 255 * 32 + 1)
    }
  }

  /// Case 3 of the proposal of GCM to NIST.
  @Test func aes128GCM() throws {
    let key = SymmetricKey(bytes("feffe9928665731c6d6a8f9467308308"))
    let nonce = bytes("cafebabefacedbaddecaf888")
    let text = bytes(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
        + "b16aedf5aa0de657ba637b391aafd255")
    let sealed = try AES128GCM.seal(text, key: key, nonce: nonce)
    #expect(
      sealed
        == bytes(
          "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
            + "1ba30b396a0aac973d58e091473f5985" + "4d5c2af327cd64a62cf35abd2ba6fab4"))
    #expect(try AES128GCM.open(sealed, key: key, nonce: nonce) == text)
    for place in [0, text.count - 1, text.count, sealed.count - 1] {
      var changed = sealed
      changed[place] ^= 1
      let error = #expect(throws: CryptographyError.self) {
        try AES128GCM.open(changed, key: key, nonce: nonce)
      }
      #expect(error?.code == .inauthentic)
    }
    let nothing = try AES128GCM.seal([], key: key, nonce: nonce)
    #expect(nothing.count == AES128GCM.tagBytes)
    #expect(try AES128GCM.open(nothing, key: key, nonce: nonce).isEmpty)
    #expect(throws: CryptographyError.self) {
      try AES128GCM.open(nothing.dropLast(), key: key, nonce: nonce)
    }
    #expect(throws: CryptographyError.self) { try AES128GCM.seal(text, key: key, nonce: nonce + [0]) }
    #expect(throws: CryptographyError.self) {
      try AES128GCM.seal(text, key: SymmetricKey([1, 2, 3]), nonce: nonce)
    }
  }

  @Test func keysShowNothingOfThemselves() {
    let key = SymmetricKey(Array("secret".utf8))
    var text = ""
    dump(key, to: &text)
    dump(P256.PrivateKey(), to: &text)
    #expect("\(key)" == "key of 6 bytes")
    #expect(!text.contains("storage") && !text.contains("handle"))
  }
}

/// Bytes of a hexadecimal text.
func bytes(_ hex: String) -> [UInt8] {
  let digits = hex.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
