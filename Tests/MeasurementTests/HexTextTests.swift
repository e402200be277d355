import Measurement
import Testing

@Suite struct HexTextTests {
  @Test func twoLowerCaseDigitsAByte() {
    #expect(HexText.make([0x00, 0x0F, 0xA0, 0xFF] as [UInt8]) == "000fa0ff")
    #expect(HexText.make([] as [UInt8]).isEmpty)
  }

  @Test func aNumberHasAllItsDigits() {
    #expect(HexText.make(0xBEEF as UInt64) == "000000000000beef")
    #expect(HexText.make(UInt64.max) == "ffffffffffffffff")
  }

  @Test func randomBytesAreNotTheSameTwice() {
    let (one, other) = (HexText.random(bytes: 16), HexText.random(bytes: 16))
    #expect(one.utf8.count == 32 && other.utf8.count == 32 && one != other)
  }
}
