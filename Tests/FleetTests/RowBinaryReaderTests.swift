import Measurement
import Store
import Testing

@testable import Fleet

/// What answers may be another program than an engine, or an engine whose tables were edited.
@Suite("Impossible answers of an engine") struct RowBinaryReaderTests {
  private func reader(_ numbers: [Int64]) -> RowBinaryReader {
    RowBinaryReader(
      numbers.flatMap { number in withUnsafeBytes(of: number.littleEndian) { Array($0) } }, place: "here")
  }

  @Test(arguments: [Int64.min, -1, 1 << 41, .max]) func numbersOfRowsAreRefused(number: Int64) {
    var counted = reader([number])
    #expect(throws: FleetError.self) { try counted.count() }
    var states = reader([Int64](repeating: number, count: 20))
    #expect(throws: FleetError.self) { try states.counts() }
    var sequences = reader([number])
    #expect(throws: FleetError.self) { try sequences.sequence() }
  }

  @Test func possibleOnesAreRead() throws {
    var numbers = reader([0, 1 << 40, (1 << 40) - 1])
    #expect(try numbers.count() == 0)
    #expect(try numbers.count() == 1 << 40)
    #expect(try numbers.sequence() == (1 << 40) - 1)
  }
}
