import Measurement
import Providers
import Testing

@Suite struct Base64URLTests {
  /// RFC 4648, section 10, without the padding.
  @Test(arguments: [
    ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
    ("foobar", "Zm9vYmFy"),
  ]) func knownVectors(plain: String, encoded: String) {
    #expect(Base64URL.encode(plain.utf8) == encoded)
    #expect(Base64URL.decode(encoded) == Array(plain.utf8))
  }

  @Test func usesTheURLSafeAlphabet() {
    #expect(Base64URL.encode([0xFB, 0xFF, 0xFE]) == "-__-")
    #expect(Base64URL.decode("-__-") == [0xFB, 0xFF, 0xFE])
  }

  @Test func comesBackForEveryLength() {
    var random = SeededGenerator(seed: 2)
    for length in 0..<100 {
      let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }
  }

  @Test(arguments: ["Zg==", "Z", "Zh", "Zm9vY", "Zm 9", "Zm9v+", "Zm9v/", "Zm9é", "ZmA\u{0}"])
  func refusesWhatItWouldNotWrite(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }
}
