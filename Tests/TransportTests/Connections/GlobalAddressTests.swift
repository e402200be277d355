import Testing

@testable import Transport

/// Which addresses count as public.
@Suite struct GlobalAddressTests {
  private static func v4(_ text: String) -> UInt32 {
    text.split(separator: ".").compactMap { UInt32($0) }.reduce(0) { $0 << 8 | $1 }
  }

  private static func v6(_ words: [UInt16]) -> [UInt8] {
    words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }

  @Test(
    arguments: [
      "0.0.0.0", "10.255.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "169.254.169.254", "172.16.0.1",
      "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
      "198.51.100.7", "203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    ])
  func localAddresses(text: String) { #expect(!GlobalAddress.isGlobal(v4: Self.v4(text))) }

  @Test(arguments: [
    "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.128.0.1", "172.32.0.1", "198.20.0.1", "223.255.255.255",
  ])
  func globalAddresses(text: String) { #expect(GlobalAddress.isGlobal(v4: Self.v4(text))) }

  @Test func addressesOfIPv6() {
    let global: [[UInt16]] = [[0x2A00, 0x1450, 0, 0, 0, 0, 0, 1], [0x2606, 0x4700, 0, 0, 0, 0, 0, 1]]
    let local: [[UInt16]] = [
      [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0xFFFF, 0x0101, 0x0101],
      [0xFE80, 0, 0, 0, 0, 0, 0, 1], [0xFC00, 0, 0, 0, 0, 0, 0, 1], [0xFD00, 0, 0, 0, 0, 0, 0, 1],
      [0xFF02, 0, 0, 0, 0, 0, 0, 1], [0x2001, 0x0DB8, 0, 0, 0, 0, 0, 1], [0x2001, 0, 0, 0, 0, 0, 0, 1],
      [0x2002, 0x7F00, 1, 0, 0, 0, 0, 1], [0x3FFF, 0, 0, 0, 0, 0, 0, 1],
      [0x64, 0xFF9B, 0, 0, 0, 0, 0x7F00, 1], [0x64, 0xFF9B, 0, 0, 0, 0, 0x0A00, 1],
    ]
    for words in global { #expect(GlobalAddress.isGlobal(v6: Self.v6(words)), "\(words)") }
    for words in local { #expect(!GlobalAddress.isGlobal(v6: Self.v6(words)), "\(words)") }
    #expect(GlobalAddress.isGlobal(v6: Self.v6([0x64, 0xFF9B, 0, 0, 0, 0, 0x0101, 0x0101])))
  }
}
