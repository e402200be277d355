import ConstraintAnimation
import Measurement
import Testing

@Suite("Regions of cells")
struct CellRegionTests {
  @Test("whatever is inserted is covered, by few rectangles and nothing around all of them")
  func covers() {
    var generator = SeededGenerator(seed: 5)
    func some(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
    for _ in 0..<200 {
      var region = CellRegion()
      var rects: [CellRect] = []
      for _ in 0..<some(1..<20) {
        let (x, y) = (some(0..<180), some(0..<55))
        let rect = CellRect(x0: x, y0: y, x1: x + some(0..<20), y1: y + some(0..<5))
        rects.append(rect)
        region.insert(rect)
        #expect(region.rects.count <= CellRegion.most && region.rects.allSatisfy { !$0.isEmpty })
      }
      let around = rects.reduce(CellRect.zero) { $0.union($1) }
      #expect(around.isEmpty ? region.isEmpty : region.bounds == around)
      for rect in rects {
        for y in rect.y0..<rect.y1 {
          for x in rect.x0..<rect.x1 where !region.contains(x: x, y: y) {
            Issue.record("\(x), \(y) of \(rect) is missing")
            return
          }
        }
      }
      var other = CellRegion(CellRect(x0: 3, y0: 3, x1: 4, y1: 4))
      other.formUnion(region)
      #expect(
        other.contains(x: 3, y: 3)
          && other.bounds == CellRect(x0: 3, y0: 3, x1: 4, y1: 4).union(region.bounds))
    }
  }

  @Test("what is far apart stays apart, and what is near or inside is joined")
  func joins() {
    let title = CellRect(x0: 0, y0: 0, x1: 200, y1: 1)
    let columns = CellRect(x0: 180, y0: 2, x1: 190, y1: 44)
    var region = CellRegion(title)
    region.insert(columns)
    #expect(Set(region.rects) == [title, columns])
    region.insert(CellRect(x0: 182, y0: 5, x1: 185, y1: 9))
    #expect(Set(region.rects) == [title, columns])
    region.insert(CellRect(x0: 0, y0: 1, x1: 200, y1: 2))
    #expect(Set(region.rects) == [CellRect(x0: 0, y0: 0, x1: 200, y1: 2), columns])
    region.insert(CellRect(x0: 0, y0: 0, x1: 200, y1: 60))
    #expect(region.rects == [CellRect(x0: 0, y0: 0, x1: 200, y1: 60)])
    #expect(region.intersection(columns).rects == [columns])
    #expect(CellRegion(.zero).isEmpty && CellRegion().bounds.isEmpty)
  }
}
