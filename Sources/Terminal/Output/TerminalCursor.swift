import Measurement

/// Where the terminal's cursor is, and the shortest way to move it.
struct TerminalCursor {
  /// -1 where unknown: after the last column, and after a glyph whose width terminals disagree on.
  var x = -1
  /// -1 where unknown.
  private(set) var y = -1

  /// Records a sequence that puts the cursor into the first cell.
  mutating func home() { (x, y) = (0, 0) }

  /// Moves to a cell by the shortest sequences: absolute, or relative by row and column.
  mutating func move(x newX: Int, y newY: Int, _ bytes: inout OutputBytes) {
    if x == newX && y == newY { return }
    defer { (x, y) = (newX, newY) }
    let absolute = 3 + Self.digits(newY + 1) + (newX == 0 ? 0 : 1 + Self.digits(newX + 1))
    if y >= 0 {
      let vertical = y == newY ? 0 : Self.cost(count: abs(newY - y))
      let ahead = x < 0 ? 0 : newX - x
      let fromStart = 1 + (newX == 0 ? 0 : Self.cost(count: newX))
      // Backspaces are a byte each; CUB and CUF say a count.
      let isUnknown = x < 0
      let relative =
        isUnknown
        ? Int.max : ahead == 0 ? 0 : ahead < 0 && ahead >= -3 ? -ahead : Self.cost(count: abs(ahead))
      let column = 3 + Self.digits(newX + 1)
      let horizontal = min(relative, fromStart, column)
      if vertical + horizontal < absolute {
        if y != newY { bytes.append(controlSequence: abs(newY - y), final: newY > y ? 0x42 : 0x41) }
        if horizontal == relative {
          if ahead < 0 && ahead >= -3 {
            for _ in 0 ..< -ahead { bytes.append(0x08) }
          } else if ahead != 0 {
            bytes.append(controlSequence: abs(ahead), final: ahead > 0 ? 0x43 : 0x44)
          }
        } else if horizontal == fromStart {
          bytes.append(0x0D)
          if newX > 0 { bytes.append(controlSequence: newX, final: 0x43) }
        } else {
          bytes.append(controlSequence: newX + 1, final: 0x47)
        }
        return
      }
    }
    bytes.append("\u{1B}[")
    bytes.append(decimal: newY + 1)
    if newX > 0 {
      bytes.append(0x3B)
      bytes.append(decimal: newX + 1)
    }
    bytes.append(0x48)
  }

  private static func digits(_ value: Int) -> Int { value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : 5 }

  /// CSI with a count that is left out when it is 1.
  private static func cost(count: Int) -> Int { count == 1 ? 3 : 3 + digits(count) }
}

extension OutputBytes {
  /// CSI with a count, which is left out when it is 1.
  mutating func append(controlSequence count: Int, final: UInt8) {
    append("\u{1B}[")
    if count != 1 { append(decimal: count) }
    append(final)
  }
}

extension CharacterWidth {
  /// Whether all terminals give the character the same width. After any other glyph the writer moves the cursor explicitly,
  /// so that a different width in the terminal does not shift the rest of the row.
  @inline(__always)
  static func isAgreed(_ value: UInt32) -> Bool {
    if value >= 0x20 && value < 0x7F || value >= 0x2500 && value < 0x25FD || value >= 0x2800 && value < 0x2900
    {
      return true
    }
    return isAgreedElsewhere(value)
  }

  private static func isAgreedElsewhere(_ value: UInt32) -> Bool {
    switch value {
    case 0xA0..<0x300, 0x370..<0x483, 0x48A..<0x530: true
    case 0x2010..<0x2028, 0x2030..<0x205F, 0x20A0..<0x20C1, 0x2190..<0x231A: true
    case 0x2400..<0x2427: true
    // Symbols for legacy computing: sextants, octants, eighths.
    case 0x1FB00..<0x1FBFB, 0x1CD00..<0x1CDE6, 0x1CEA0..<0x1CEB0: true
    // Kana, ideographs, Hangul syllables and fullwidth forms are two columns everywhere.
    case 0x3041..<0x3097, 0x30A1..<0x3100, 0x3400..<0x4DC0, 0x4E00..<0xA000, 0xAC00..<0xD7A4: true
    case 0xFF01..<0xFF61: true
    default: false
    }
  }
}
