import Foundation
import Measurement
import Testing

@testable import Collector

/// Receipts come from anywhere: a batch is read with every value in its bounds, or refused in words of our own.
@Suite struct ReceiptFuzzTests {
  private static let good =
    #"{"receipts":[{"id":"0193a1b2-0000-7000-8000-000000000001","mac":"abc","received_at_ms":1700000000123,"device":"d","boot_id":"b","monotonic_ns":5},{"id":"i","mac":"m","received_at_ms":0,"device":"d"}],"clock":[{"t1":1,"t2":2,"t3":3,"t4":4,"device":"d"}]}"#
  private static let pieces = [
    "{", "}", "[", "]", ",", ":", "\"", "null", "true", "-1", "9223372036854775807", "9223372036854775808",
    "1e308", "1e999",
    "0.5", "\\u0000", "\\u001b[2J", "\\ud800", "\u{202E}", "\u{1B}", "é", "\"id\":", "\"clock\":",
    "\"monotonic_ns\":",
    String(repeating: "[", count: 600), String(repeating: "a", count: 300),
  ]

  @Test(arguments: 1...5) func damagedBatches(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1500 {
      var bytes = Array(Self.good.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes.insert(contentsOf: (Self.pieces.randomElement(using: &generator) ?? "").utf8, at: place)
        case 1:
          bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...12, using: &generator)))
        default: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &generator) }
        }
      }
      do throws(ReceiptBatch.Malformed) {
        for entry in try ReceiptBatch(json: Data(bytes)).entries {
          #expect((1...64).contains(entry.id.utf8.count) && (1...128).contains(entry.mac.utf8.count))
          #expect((1...ReceiptBatch.maximumDeviceBytes).contains(entry.device.utf8.count))
          #expect((0...253_402_300_799_999_000).contains(entry.receivedAt.microseconds))
          #expect(entry.bootID.map { (1...64).contains($0.utf8.count) } ?? true)
          #expect(entry.monotonic.map { $0 >= .zero } ?? true)
        }
      } catch {
        #expect(error.message.utf8.count < 200)
        #expect(error.message.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(error.message)")
      }
    }
  }
}
