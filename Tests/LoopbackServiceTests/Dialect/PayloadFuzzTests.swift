import Measurement
import NIOCore
import Testing

@testable import LoopbackService

/// The loopback service may be pointed at by anything: what it sends back to a collector is plain, whatever came.
@Suite struct PayloadFuzzTests {
  private static let good =
    #"{"aps":{"alert":"x"},"pushscope":{"v":1,"id":"0193a1b2-0000-7000-8000-000000000001","mac":"ab_-","at":1700000000123}}"#
  private static let pieces = [
    "{", "}", "[", "]", "\"", "\\", "\\u001b", "\u{1B}", "\u{202E}", "\"v\":1", "\"id\":\"\\\"\"", "null",
    "1e999", ",", ":",
    String(repeating: "{\"a\":", count: 400), "\u{0}",
  ]

  @Test(arguments: 1...4) func damagedPayloads(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1500 {
      var bytes = Array(Self.good.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        if Bool.random(using: &generator) {
          bytes.insert(contentsOf: (Self.pieces.randomElement(using: &generator) ?? "").utf8, at: place)
        } else {
          bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...12, using: &generator)))
        }
      }
      guard let receipt = PayloadReader.read(ByteBuffer(bytes: bytes))?.receipt else { continue }
      for text in [receipt.id, receipt.mac] {
        #expect((1...128).contains(text.utf8.count))
        #expect(text.utf8.allSatisfy { (0x2D...0x7A).contains($0) && $0 != 0x5C })
      }
    }
  }
}
