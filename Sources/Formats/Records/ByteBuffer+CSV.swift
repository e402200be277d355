extension ByteBuffer {
  /// Appends a text field of a CSV row (RFC 4180), made harmless: see ``VisibleText``, and a leading `'` before what a
  /// spreadsheet would run as a formula.
  public mutating func append(csvText text: UnsafeRawBufferPointer) {
    guard let first = text.first else { return }
    if Self.startsFormula(first) || !text.allSatisfy(Self.isPlainInCSV) {
      appendUnusual(csvText: text, first: first)
    } else {
      append(text)
    }
  }

  public mutating func append(csvText text: String) {
    var text = text
    text.withUTF8 { append(csvText: UnsafeRawBufferPointer($0)) }
  }

  private mutating func appendUnusual(csvText text: UnsafeRawBufferPointer, first: UInt8) {
    let isQuoted = text.contains { $0 == 0x22 || $0 == 0x2C }
    if isQuoted { append(0x22) }
    if Self.startsFormula(first) { append(0x27) }
    VisibleText.scalars(of: text) { scalar in
      if VisibleText.isHarmful(scalar) {
        append(VisibleText.picture(of: scalar))
      } else {
        if scalar == "\"" { append(0x22) }
        append(scalar)
      }
    }
    if isQuoted { append(0x22) }
  }

  /// `=` `+` `-` `@`, tab and carriage return (OWASP's list).
  private static func startsFormula(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D: true
    default: false
    }
  }

  /// ASCII that shows and needs no quotes.
  @inline(__always)
  private static func isPlainInCSV(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x2C
  }
}
