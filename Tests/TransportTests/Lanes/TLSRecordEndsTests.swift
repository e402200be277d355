import Testing

@testable import Transport

@Suite("Ends of TLS records") struct TLSRecordEndsTests {
  /// A record of so many bytes after its header.
  private func record(_ count: Int) -> [UInt8] {
    [23, 3, 3, UInt8(count >> 8), UInt8(count & 0xFF)] + [UInt8](repeating: 0xAA, count: count)
  }

  private func note(_ bytes: [UInt8], after taken: Int, in ends: inout TLSRecordEnds) {
    bytes.withUnsafeBytes { ends.scan($0, after: taken, lastStamp: 9) { Int64($0) } }
  }

  @Test func recordsHaveTheStampsOfThePacketsThatCompleteThem() {
    var ends = TLSRecordEnds()
    let bytes = record(10) + record(300) + record(20)
    // In two parts, of which the first ends within a header.
    note(Array(bytes[..<17]), after: 0, in: &ends)
    note(Array(bytes[17...]), after: 17, in: &ends)
    #expect(ends.count == 3)
    #expect(ends.removeStamp(at: 15) == 15)
    #expect(ends.removeStamp(at: 320) == 303)
    #expect(ends.removeStamp(at: 345) == 9)
    #expect(ends.count == 0)
  }

  @Test func aStampThatIsPassedOverIsDropped() {
    var ends = TLSRecordEnds()
    note(record(10) + record(10), after: 0, in: &ends)
    #expect(ends.removeStamp(at: 30) == 9)
    #expect(ends.count == 0)
    #expect(ends.removeStamp(at: 45) == nil)
  }

  /// A peer that sends records without content only: nobody takes their stamps.
  @Test func recordsWithoutContentAreNotKept() {
    var ends = TLSRecordEnds()
    var taken = 0
    let bytes = (0..<100).flatMap { _ in record(17) }
    for _ in 0..<1000 {
      ends.drop(through: taken)
      note(bytes, after: taken, in: &ends)
      taken += bytes.count
      #expect(ends.count == 100)
    }
    // Nor are those that come before one with content.
    note(record(40), after: taken, in: &ends)
    #expect(ends.removeStamp(at: taken + 45) == 9)
    #expect(ends.count == 0)
  }
}
