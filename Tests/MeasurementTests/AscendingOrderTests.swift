import Measurement
import TestKit
import Testing

@Suite struct AscendingOrderTests {
  @Test func itIsTheFirstThatALinearSearchFinds() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<500 {
      let values = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
        Int.random(in: 0..<10, using: &random)
      }.sorted()
      let bound = Int.random(in: -1...10, using: &random)
      let linear = values.firstIndex { $0 >= bound } ?? values.endIndex
      #expect(values.partitioningIndex { $0 >= bound } == linear, "\(values) \(bound)")
      let slice = values.dropFirst(3)
      #expect(slice.partitioningIndex { $0 >= bound } == slice.firstIndex { $0 >= bound } ?? slice.endIndex)
    }
  }

  @Test func aRangeOfNumbersNeedsFewSteps() {
    var steps = 0
    let root = (0..<Int64.max).partitioningIndex { number in
      steps += 1
      return number.multipliedReportingOverflow(by: number).overflow || number * number >= 1_000_000
    }
    #expect(root == 1_000 && steps <= 64, "\(steps)")
  }
}
