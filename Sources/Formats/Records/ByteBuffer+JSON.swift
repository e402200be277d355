extension ByteBuffer {
  /// Appends a JSON string (RFC 8259) that reads back as exactly the same text; what acts on a terminal is written as
  /// an escape.
  public mutating func append(jsonString text: UnsafeRawBufferPointer) {
    append(0x22)
    if text.allSatisfy(Self.isPlainInJSON) {
      append(text)
    } else {
      VisibleText.scalars(of: text) { append(jsonScalar: $0) }
    }
    append(0x22)
  }

  public mutating func append(jsonString text: String) {
    var text = text
    text.withUTF8 { append(jsonString: UnsafeRawBufferPointer($0)) }
  }

  private mutating func append(jsonScalar scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": append("\\\"")
    case "\\": append("\\\\")
    case "\n": append("\\n")
    case "\r": append("\\r")
    case "\t": append("\\t")
    default:
      if VisibleText.isHarmful(scalar) {
        for unit in String(scalar).utf16 { append(jsonEscape: unit) }
      } else {
        append(scalar)
      }
    }
  }

  private mutating func append(jsonEscape unit: UInt16) {
    append("\\u")
    for shift in stride(from: 12, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: unit >> UInt16(shift)) & 0xF
      append(digit < 10 ? 48 + digit : 87 + digit)
    }
  }

  @inline(__always)
  private static func isPlainInJSON(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C
  }
}
