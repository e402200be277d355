import Measurement
import Store
import Testing

@testable import TUI

@Suite("Places in growing lists")
struct ListPositionTests {
  @Test("at the end it follows; anywhere else it stays while rows are added")
  func stays() {
    var places = (1...100).map { RecordPlace(integerLiteral: $0 * 7) }
    #expect(ListPosition.end.visible(in: places, rows: 10) == 90..<100)
    let up = ListPosition.end.moved(by: -5, in: places, rows: 10)
    #expect(up.visible(in: places, rows: 10) == 85..<95)
    places += (101...200).map { RecordPlace(integerLiteral: $0 * 7) }
    #expect(up.visible(in: places, rows: 10) == 85..<95)
    #expect(ListPosition.end.visible(in: places, rows: 10) == 190..<200)
    #expect(up.moved(by: 1_000, in: places, rows: 10) == .end)
    #expect(up.moved(by: -1_000, in: places, rows: 10).visible(in: places, rows: 10) == 0..<10)
  }

  @Test("rows that leave at the far end take nobody with them")
  func drops() {
    let places = (50...100).map(RecordPlace.init(integerLiteral:))
    #expect(ListPosition.at(3).visible(in: places, rows: 10) == 0..<10)
    #expect(ListPosition.at(1_000).visible(in: places, rows: 10) == 41..<51)
  }

  @Test("short and empty lists show what there is")
  func short() {
    #expect(ListPosition.end.visible(in: [1, 2, 3], rows: 10) == 0..<3)
    #expect(ListPosition.end.moved(by: -1, in: [1, 2, 3], rows: 10) == .end)
    #expect(ListPosition.end.visible(in: [], rows: 10).isEmpty)
    #expect(ListPosition.end.moved(by: -4, in: [], rows: 10) == .end)
    #expect(ListPosition.at(4).visible(in: [1, 2, 3], rows: 0).isEmpty)
  }

  @Test("moving down and up again comes back, whatever the sizes")
  func roundTrip() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<2_000 {
      let places = (0..<Int64.random(in: 0...60, using: &generator)).map {
        RecordPlace(integerLiteral: $0 * 3)
      }
      let rows = Int.random(in: 1...20, using: &generator)
      var position = ListPosition.end
      for _ in 0..<6 {
        position = position.moved(by: Int.random(in: -15...15, using: &generator), in: places, rows: rows)
        let visible = position.visible(in: places, rows: rows)
        #expect(visible.count == min(rows, places.count))
        #expect(visible.upperBound <= places.count && visible.lowerBound >= 0)
      }
      let up = position.moved(by: -3, in: places, rows: rows)
      let start = position.visible(in: places, rows: rows).lowerBound
      #expect(up.visible(in: places, rows: rows).lowerBound == max(0, start - 3))
    }
  }
}
