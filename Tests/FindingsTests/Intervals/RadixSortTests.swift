import Measurement
import TestKit
import Testing

@testable import Findings

@Suite struct RadixSortTests {
  private struct Element: Equatable {
    var key: Int64
    var place: Int
  }

  /// The largest and smallest numbers, numbers with few and many digits, and few different ones.
  @Test(arguments: [
    0...0, -3...3, 0...2_047, 0...2_048, -60_000_000...60_000_000, Int64.min...Int64.max,
    Int64.max - 5...Int64.max, Int64.min...Int64.min + 5,
  ])
  func sortsAndKeepsTheOrderOfEqualOnes(_ range: ClosedRange<Int64>) {
    var generator = SeededGenerator(seed: 5)
    for count in [0, 1, 2, 1_023, 1_024, 5_000] {
      let elements = (0..<count).map { Element(key: .random(in: range, using: &generator), place: $0) }
      let expected = elements.sorted { ($0.key, $0.place) < ($1.key, $1.place) }
      #expect(RadixSort.sorted(elements, by: \.key) == expected, "\(count)")
    }
  }
}
