/// How many columns a character takes, by our own table.
///
/// The C library's `wcwidth` depends on its age and on the locale: glibc 2.36 gives octants none at all, and under
/// `LC_ALL=C` nothing has a width. The writer must agree with the terminal, not with the C library.
public enum CharacterWidth {
  /// 0 for combining marks and for characters that have no shape, 2 for East Asian wide characters and emoji,
  /// else 1. Control characters count 0; `VisibleText` never lets them through.
  public static func columns(of scalar: Unicode.Scalar) -> Int { columns(of: scalar.value) }

  static func columns(of value: UInt32) -> Int {
    if value < 0x300 { return value < 0x20 || (value >= 0x7F && value < 0xA0) ? 0 : 1 }
    // Punctuation to box drawing, blocks and braille: what plots are made of.
    if value >= 0x2500 && value < 0x25FD || value >= 0x2800 && value < 0x2900 { return 1 }
    if contains(value, in: wideRanges) { return 2 }
    return contains(value, in: zeroRanges) ? 0 : 1
  }

  /// Whether terminals agree on the width. After any other glyph the writer says again where it is, so that a
  /// terminal with another opinion cannot push the rest of the row aside.
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

  private static func contains(_ value: UInt32, in ranges: [UInt32]) -> Bool {
    ranges.withUnsafeBufferPointer { ranges in
      var low = 0
      var high = ranges.count / 2
      while low < high {
        let middle = (low + high) / 2
        if value > ranges[2 * middle + 1] {
          low = middle + 1
        } else if value < ranges[2 * middle] {
          high = middle
        } else {
          return true
        }
      }
      return false
    }
  }
}
