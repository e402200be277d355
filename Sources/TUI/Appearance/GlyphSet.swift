import Terminal

/// The characters that the dashboard draws with, for what the terminal's font has.
///
/// In ASCII, where there may be no colors either, each character means one thing: what frames are made of is not used
/// for data, and no two kinds of data share a character.
struct GlyphSet: Sendable {
  let repertoire: GlyphRepertoire
  let dots: DotEncoding
  let horizontal: UInt32
  let vertical: UInt32
  let upperLeft: UInt32
  let upperRight: UInt32
  let lowerLeft: UInt32
  let lowerRight: UInt32
  /// A line to the left or to the right of a vertical one.
  let teeLeft: UInt32
  let teeRight: UInt32
  /// A line downwards from a horizontal one.
  let teeDown: UInt32
  /// Horizontal, behind the dots; 0 where a grid would be louder than the data.
  let grid: UInt32
  /// Nothing, one eighth, … all of a cell, from below.
  let bars: [UInt32]
  /// The window before, behind the bars, where shades cannot tell it from them.
  let ghost: UInt32
  /// The selected part of a bar, where colors cannot tell it from the rest.
  let selectedBar: UInt32
  let bullet: String
  let pause: String
  let play: String
  let pointer: UInt32
  let above: UInt32
  let below: UInt32
  /// Between a lower and an upper bound, among other things.
  let dash: String
  let ellipsis: String
  let minus: String
  let leftRight: String
  let thumb: UInt32
  /// Marks of one cell for growing numbers of notifications, where dots cannot tell.
  let density: [UInt32]
  let median: UInt32
  let mean: UInt32
  let threshold: UInt32
  /// How far a percentile's interval reaches, on the axis: below the percentile and above it.
  let intervalBelow: UInt32
  let intervalAbove: UInt32
  /// Of the crosshair, and of the frame of a box that is being drawn.
  let crosshairColumn: UInt32
  let crosshairRow: UInt32

  init(_ repertoire: GlyphRepertoire) {
    self.repertoire = repertoire
    dots = DotEncoding(repertoire)
    func pick(_ unicode: Unicode.Scalar, _ ascii: Unicode.Scalar) -> UInt32 {
      repertoire == .ascii ? ascii.value : unicode.value
    }
    let isRound = repertoire >= .blocks
    horizontal = pick("─", "-")
    vertical = pick("│", "|")
    upperLeft = pick(isRound ? "╭" : "┌", "+")
    upperRight = pick(isRound ? "╮" : "┐", "+")
    lowerLeft = pick(isRound ? "╰" : "└", "+")
    lowerRight = pick(isRound ? "╯" : "┘", "+")
    teeLeft = pick("┤", "+")
    teeRight = pick("├", "+")
    teeDown = pick("┬", "+")
    grid = repertoire >= .blocks ? Unicode.Scalar("┈").value : 0
    switch repertoire {
    case .ascii: bars = Array("   iiiiII".unicodeScalars.map(\.value))
    case .halfBlocks: bars = Array("   ▄▄▄▄██".unicodeScalars.map(\.value))
    case .blocks, .braille, .octants: bars = Array(" ▁▂▃▄▅▆▇█".unicodeScalars.map(\.value))
    }
    ghost = pick("░", "\\")
    selectedBar = pick("▒", "S")
    bullet = repertoire == .ascii ? "@" : "●"
    pause = repertoire == .ascii ? "[]" : "■"
    play = repertoire == .ascii ? ">>" : repertoire >= .blocks ? "▸" : "►"
    pointer = pick(repertoire >= .blocks ? "▴" : "▲", "^")
    above = pick(repertoire >= .blocks ? "▴" : "▲", "A")
    below = pick(repertoire >= .blocks ? "▾" : "▼", "V")
    dash = repertoire == .ascii ? "-" : "–"
    ellipsis = repertoire == .ascii ? "..." : "…"
    minus = "-"
    leftRight = repertoire == .ascii ? "<>" : "←→"
    thumb = pick(repertoire >= .blocks ? "▐" : "█", "%")
    density = repertoire == .ascii ? Array(".:oO8".unicodeScalars.map(\.value)) : []
    median = pick("─", "=")
    let hasDashes = repertoire >= .blocks
    mean = pick(hasDashes ? "╌" : "-", "\"")
    intervalBelow = pick(hasDashes ? "━" : "═", "(")
    intervalAbove = pick(hasDashes ? "━" : "═", ")")
    threshold = pick(hasDashes ? "╍" : "─", "_")
    crosshairColumn = pick(hasDashes ? "┆" : "│", ";")
    crosshairRow = pick(hasDashes ? "┄" : "─", "'")
  }

  /// The smallest number of eighths of a cell that shows as a bar.
  var smallestBar: Int { bars.firstIndex { $0 != 0x20 } ?? 8 }

  /// The symbol of a class as text.
  func sign(of markClass: MarkClass) -> String {
    Unicode.Scalar(symbol(of: markClass)).map { String(Character($0)) } ?? " "
  }

  /// One character for a class, in the band, in legends, and wherever colors are missing.
  func symbol(of markClass: MarkClass) -> UInt32 {
    switch markClass {
    case .pending: UInt32(repertoire == .ascii ? 0x2C : 0xB7)
    case .good: repertoire == .ascii ? 0x6F : 0x25CF
    case .late: 0x7E
    case .missed: repertoire == .ascii ? 0x2F : 0x2013
    case .interrupted: 0x3F
    case .rejected: 0x23
    case .failed: 0x21
    case .lost: repertoire == .ascii ? 0x78 : 0xD7
    }
  }
}
