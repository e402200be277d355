import ConstraintAnimation
import Synchronization

@testable import Terminal

/// What a cell must look like on a terminal with so many colors, worked out without the writer's code.
enum Expectation {
  /// The first cell that looks wrong, described; `nil` when all are right.
  static func difference(
    between buffer: CellBuffer, and model: ModelTerminal, colors: ColorProfile, utf8: Bool = true
  ) -> String? {
    if let mistake = model.mistakes.first { return "the terminal did not understand: \(mistake)" }
    // Neighbors are often alike, and then both are right or neither is.
    var last: (cell: Cell, shown: ModelCell)?
    for y in 0..<buffer.rows {
      let row = model.cells[y]
      for x in 0..<buffer.columns {
        let (cell, shown) = (buffer[x, y], row[x])
        if let last, last.cell == cell, last.shown == shown { continue }
        last = (cell, shown)
        if !matches(cell, shown, colors: colors, utf8: utf8) {
          return "at \(x),\(y) wanted \(cell.text) \(cell.style), the terminal shows \(shown)"
        }
      }
    }
    return nil
  }

  static func matches(_ cell: Cell, _ shown: ModelCell, colors: ColorProfile, utf8: Bool) -> Bool {
    // A wide character's second column looks like its first; nothing is drawn there.
    if cell.isContinuation { return shown.text.isEmpty || !utf8 }
    if utf8 ? cell.text != shown.text : shown.text.utf8.count != 1 { return false }
    guard isNearest(shown.style.background, to: cell.background.color, colors) else { return false }
    let attributes = cell.attributes
    guard shown.style.isUnderlined == attributes.contains(.underline),
      shown.style.isReversed == attributes.contains(.reverse)
    else { return false }
    // Nothing else shows on an empty cell.
    if cell.text == " " && attributes.isDisjoint(with: [.underline, .reverse]) { return true }
    return shown.style.isBold == attributes.contains(.bold) && shown.style.isDim == attributes.contains(.dim)
      && shown.style.isItalic == attributes.contains(.italic)
      && isNearest(shown.style.foreground, to: cell.foreground.color, colors)
  }

  /// Whether no other color of the profile is nearer. Several may be as near.
  static func isNearest(_ shown: ModelColor, to wanted: Color?, _ colors: ColorProfile) -> Bool {
    guard let wanted, colors != .monochrome else { return shown == .own }
    switch (shown, colors) {
    case (.rgb(let red, let green, let blue), .trueColor):
      return (red, green, blue) == (Int(wanted.red), Int(wanted.green), Int(wanted.blue))
    case (.indexed(let index), .trueColor):
      return index >= 22 && distance(rgb256(index), wanted) == 0
    case (.indexed(let index), .ansi256):
      guard index >= 16 else { return false }
      return distance(rgb256(index), wanted) == nearest256(wanted)
    case (.ansi(let index), .ansi16):
      let nearest = xterm16.map { distance($0, wanted) }.min()
      return distance(xterm16[index], wanted) == nearest
    default:
      return false
    }
  }

  private static let known = Mutex<[Color: Int]>([:])

  /// How far the nearest of the 240 is, tried one by one, once for each color.
  private static func nearest256(_ wanted: Color) -> Int {
    known.withLock { known in
      if let distance = known[wanted] { return distance }
      let nearest = (16..<256).map { distance(rgb256($0), wanted) }.min() ?? 0
      known[wanted] = nearest
      return nearest
    }
  }

  private static func distance(_ left: [Int], _ right: Color) -> Int {
    let weights = [2, 4, 3]
    let channels = [Int(right.red), Int(right.green), Int(right.blue)]
    var sum = 0
    for index in 0..<3 {
      let difference = left[index] - channels[index]
      sum += weights[index] * difference * difference
    }
    return sum
  }

  private static func rgb256(_ index: Int) -> [Int] {
    if index >= 232 { return Array(repeating: 8 + (index - 232) * 10, count: 3) }
    let levels = [0, 95, 135, 175, 215, 255]
    return [levels[(index - 16) / 36], levels[(index - 16) / 6 % 6], levels[(index - 16) % 6]]
  }

  private static let xterm16 = [
    [0, 0, 0], [205, 0, 0], [0, 205, 0], [205, 205, 0], [0, 0, 238], [205, 0, 205], [0, 205, 205],
    [229, 229, 229], [127, 127, 127], [255, 0, 0], [0, 255, 0], [255, 255, 0], [92, 92, 255], [255, 0, 255],
    [0, 255, 255], [255, 255, 255],
  ]
}
