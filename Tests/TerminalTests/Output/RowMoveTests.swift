import Testing

@testable import Terminal

@Suite("Rows that moved are found")
struct RowMoveTests {
  private func best(_ back: [UInt64], _ front: [UInt64]) -> RowMove? {
    RowMove.best(back: back.span, front: front.span, blank: 0)
  }

  @Test("up, down, and parts of the screen")
  func found() {
    #expect(best([2, 3, 4, 5, 9], [1, 2, 3, 4, 5]) == RowMove(region: 0..<5, distance: -1))
    #expect(best([9, 1, 2, 3, 4], [1, 2, 3, 4, 5]) == RowMove(region: 0..<5, distance: 1))
    #expect(best([7, 3, 4, 5, 9, 8], [7, 2, 3, 4, 5, 8]) == RowMove(region: 1..<5, distance: -1))
    #expect(best([0, 0, 0, 1, 2, 3], [1, 2, 3, 0, 0, 0]) == RowMove(region: 0..<6, distance: 3))
  }

  @Test("not where it saves little, or wipes what is right")
  func notFound() {
    #expect(best([1, 2, 3], [1, 2, 3]) == nil)
    #expect(best([2, 3, 9, 9], [1, 2, 3, 4]) == nil)
    #expect(best([0, 0, 0, 0, 5], [5, 0, 0, 0, 0]) == nil, "blank rows cost nothing to paint")
    #expect(best([1, 2, 3, 4, 5, 6, 7, 1, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 8, 8]) == nil)
    #expect(best([], []) == nil)
  }
}
