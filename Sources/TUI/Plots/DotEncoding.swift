import Terminal

/// The division of a cell into dots, and the glyph of each pattern.
///
/// Bit `row * columns + column` of a pattern is the dot at that position, counted from the upper left.
struct DotEncoding: Sendable, Hashable {
  let columns: Int
  let rows: Int
  private let glyphs: [UInt32]

  private init(columns: Int, rows: Int, glyph: (_ pattern: Int) -> UInt32) {
    self.columns = columns
    self.rows = rows
    glyphs = (0..<(1 << (columns * rows))).map { $0 == 0 ? 0x20 : glyph($0) }
  }

  func glyph(for pattern: UInt8) -> UInt32 { glyphs[Int(pattern)] }

  /// The cells in one column of cells that a line goes through, with its dots in each.
  /// - Parameters:
  ///   - left: row of dots, from the bottom; `nil` for none. The same as `right` where a cell has one column.
  ///   - dotRows: of the plot.
  func cells(left: Int?, right: Int?, of dotRows: Int) -> [(row: Int, pattern: UInt8)] {
    func cell(_ row: Int, _ side: Int) -> (row: Int, pattern: UInt8) {
      let fromTop = dotRows - 1 - row
      return (fromTop / rows, 1 << UInt8(fromTop % rows * columns + side))
    }
    let cells = [left.map { cell($0, 0) }, columns > 1 ? right.map { cell($0, 1) } : nil].compactMap { $0 }
    guard cells.count == 2, cells[0].row == cells[1].row else { return cells }
    return [(cells[0].row, cells[0].pattern | cells[1].pattern)]
  }

  /// 2×4 dots: U+2800 + bits in the order of the Braille patterns: down the left, down the right, then the fourth row.
  static let braille = DotEncoding(columns: 2, rows: 4) { pattern in
    let order: [UInt32] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]
    var bits: UInt32 = 0
    for (place, bit) in order.enumerated() where pattern >> place & 1 == 1 { bits |= bit }
    return 0x2800 + bits
  }

  /// 2×4 solid blocks. Unicode 16 numbers octants in the same order, across and then down, and encodes from U+1CD00 on the
  /// patterns that had no character before (Symbols for Legacy Computing Supplement).
  static let octants: DotEncoding = {
    var older: [Int: UInt32] = [
      0x01: 0x1CEA8, 0x02: 0x1CEAB, 0x40: 0x1CEA3, 0x80: 0x1CEA0, 0x03: 0x1FB82, 0xC0: 0x2582, 0x3F: 0x1FB85,
      0xFC: 0x2586, 0x14: 0x1FBE6, 0x28: 0x1FBE7,
    ]
    let quarters = [0x05, 0x0A, 0x50, 0xA0]
    for blocks in 0..<16 {
      let pattern = quarters.indices.reduce(0) { blocks >> $1 & 1 == 1 ? $0 | quarters[$1] : $0 }
      older[pattern] = quadrants.glyph(for: UInt8(blocks))
    }
    var next: UInt32 = 0x1CD00
    let glyphs = (0..<256).map { pattern -> UInt32 in
      if let glyph = older[pattern] { return glyph }
      defer { next += 1 }
      return next
    }
    return DotEncoding(columns: 2, rows: 4) { glyphs[$0] }
  }()

  /// 2×2 blocks.
  static let quadrants = DotEncoding(columns: 2, rows: 2) { pattern in
    let blocks: [UInt32] = [
      0x20, 0x2598, 0x259D, 0x2580, 0x2596, 0x258C, 0x259E, 0x259B, 0x2597, 0x259A, 0x2590, 0x259C, 0x2584,
      0x2599, 0x259F, 0x2588,
    ]
    return blocks[pattern]
  }

  /// An upper and a lower half.
  static let halves = DotEncoding(columns: 1, rows: 2) { [0x20, 0x2580, 0x2584, 0x2588][$0] }

  /// One mark per cell; the glyph shows the number of notifications (see `GlyphSet.density`).
  static let single = DotEncoding(columns: 1, rows: 1) { _ in 0x2E }

  init(_ repertoire: GlyphRepertoire) {
    switch repertoire {
    case .ascii: self = .single
    case .halfBlocks: self = .halves
    case .blocks: self = .quadrants
    case .braille: self = .braille
    case .octants: self = .octants
    }
  }
}
