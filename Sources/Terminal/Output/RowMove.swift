/// A block of rows that is already on screen at another height.
///
/// A scrolling list or a panel that slides up changes nearly every row; the terminal can move them
/// itself for about twenty bytes. At most one move per frame is used, the one that saves most.
struct RowMove: Equatable {
  /// The rows that take part: the block where it was and where it goes.
  var region: Range<Int>
  /// Rows towards the bottom; negative towards the top.
  var distance: Int

  /// - Parameters:
  ///   - back: a hash of each row that is wanted.
  ///   - front: a hash of each row that is there, as many.
  ///   - blank: the hash of a blank row, which moving does not save.
  /// - Returns: the best move, `nil` when none saves at least three rows.
  static func best(
    back: Span<UInt64>, front: Span<UInt64>, blank: UInt64
  ) -> RowMove? {
    let count = back.count
    guard count > 1 else { return nil }
    var best: RowMove?
    var bestSaving = 2
    for distance in 1 - count..<count where distance != 0 {
      // Row y takes what is at y - distance.
      var y = max(0, distance)
      let end = min(count, count + distance)
      while y < end {
        guard back[y] == front[y - distance] else {
          y += 1
          continue
        }
        let start = y
        var saving = 0
        while y < end && back[y] == front[y - distance] {
          if back[y] != front[y] && back[y] != blank { saving += 1 }
          y += 1
        }
        guard saving > bestSaving else { continue }
        let block = start..<y
        let source = start - distance..<y - distance
        let region = min(block.lowerBound, source.lowerBound)..<max(block.upperBound, source.upperBound)
        // Rows that were right already and are wiped by the move have to be painted again.
        for other in region
        where !block.contains(other) && back[other] == front[other] && back[other] != blank {
          saving -= 1
        }
        if saving > bestSaving {
          bestSaving = saving
          best = RowMove(region: region, distance: distance)
        }
      }
    }
    return best
  }

  /// A hash of a row's cells. Two different rows may share one: a move is then of less use, but the cells are
  /// compared afterwards in any case.
  static func hash(_ row: UnsafePointer<Cell>, count: Int) -> UInt64 {
    UnsafeRawPointer(row).withMemoryRebound(to: UInt64.self, capacity: 2 * count) { words in
      // Four sums side by side: a multiplication need not wait for the one before it.
      let factor: UInt64 = 0x9FB2_1C65_1E98_DF25
      var (first, second, third, fourth) = (factor, factor &* 3, factor &* 5, factor &* 7)
      var index = 0
      while index + 4 <= 2 * count {
        first = first &* factor &+ words[index]
        second = second &* factor &+ words[index + 1]
        third = third &* factor &+ words[index + 2]
        fourth = fourth &* factor &+ words[index + 3]
        index += 4
      }
      if index < 2 * count {
        first = first &* factor &+ words[index]
        second = second &* factor &+ words[index + 1]
      }
      var hash =
        first ^ (second << 17 | second >> 47) ^ (third << 31 | third >> 33) ^ (fourth << 47 | fourth >> 17)
      hash = (hash ^ hash >> 32) &* factor
      return hash ^ hash >> 29
    }
  }
}
