import Terminal

/// The characters that the dashboard draws with, by the repertoire of the terminal's font.
///
/// In ASCII, possibly without colors, each character has one meaning: characters of frames are not used for data, and no two
/// kinds of data share a character.
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
  /// Horizontal grid line behind the dots; 0 where a grid would distract from the data.
  let grid: UInt32
  /// Empty, one eighth, … a full cell, from below.
  let bars: [UInt32]
  /// The previous window behind the bars, where shades do not distinguish it.
  let ghost: UInt32
  /// The selected part of a bar, where colors do not distinguish it.
  let selectedBar: UInt32
  /// The mark before lines of a list that happened in the stretch of the chosen finding.
  let stretch: UInt32
  let bullet: String
  let pause: String
  let play: String
  let pointer: UInt32
  let above: UInt32
  let below: UInt32
  /// Also between a lower and an upper bound.
  let dash: String
  let ellipsis: String
  /// Shown until what belongs there has been read.
  var reading: String { "reading\(ellipsis)" }
  let minus: String
  let leftRight: String
  let thumb: UInt32
  /// Marks of one cell for increasing numbers of notifications, where there are no dots.
  let density: [UInt32]
  /// Shades for the share of a cell, where there are no colors to shade with; from little to much.
  let shades: [UInt32]
  /// Lines of the 90th and the 99th percentile where there are no dots.
  let p90: UInt32
  let p99: UInt32
  let median: UInt32
  let mean: UInt32
  let threshold: UInt32
  /// The interval of a percentile on the axis: the part below the percentile and the part above.
  let intervalBelow: UInt32
  let intervalAbove: UInt32
  /// Lines of the crosshair and of the box of a drag.
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
    stretch = pick("▌", "{")
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
    shades = Array((repertoire == .ascii ? ".:oO8" : "░▒▓█").unicodeScalars.map(\.value))
    p90 = pick("▔", "*")
    p99 = pick("▔", "&")
    median = pick("─", "=")
    let hasDashes = repertoire >= .blocks
    mean = pick(hasDashes ? "╌" : "-", "\"")
    intervalBelow = pick(hasDashes ? "━" : "═", "(")
    intervalAbove = pick(hasDashes ? "━" : "═", ")")
    threshold = pick(hasDashes ? "╍" : "─", "_")
    crosshairColumn = pick(hasDashes ? "┆" : "│", ";")
    crosshairRow = pick(hasDashes ? "┄" : "─", "'")
  }

  /// What marks the targets that share a color with another, by their index. In ASCII no other mark is one of these.
  static let targetGlyphs = Array(
    "1234567BCDEFGHJKLMNPQRTUWXYZabcdefghjklmnpqrstuvwyz".unicodeScalars.map(\.value))

  /// The smallest number of eighths of a cell that is visible as a bar.
  var smallestBar: Int { bars.firstIndex { $0 != 0x20 } ?? 8 }

  /// The symbol of a class as text.
  func sign(of markClass: MarkClass) -> String {
    Unicode.Scalar(symbol(of: markClass)).map { String(Character($0)) } ?? " "
  }

  /// One character per class, in the loss band, in legends, and wherever there are no colors.
  func symbol(of markClass: MarkClass) -> UInt32 {
    switch markClass {
    case .pending: UInt32(repertoire == .ascii ? 0x2C : 0xB7)
    case .good: repertoire == .ascii ? 0x6F : 0x25CF
    case .late: 0x7E
    case .unseen: repertoire == .ascii ? 0x24 : 0xF8
    case .missed: repertoire == .ascii ? 0x2F : 0x2013
    case .interrupted: 0x3F
    case .rejected: 0x23
    case .failed: 0x21
    case .lost: repertoire == .ascii ? 0x78 : 0xD7
    }
  }
}
