import Measurement

extension ByteBuffer {
  /// Appends a text field of a CSV row (RFC 4180). Harmful characters are escaped (`EscapedText`), and a leading `'` keeps
  /// spreadsheets from running the text as a formula.
  public mutating func append(csvText text: UnsafeRawBufferPointer) {
    guard let first = text.first else { return }
    if Self.startsFormula(first) || !text.allSatisfy(Self.isPlainInCSV) {
      appendUnusual(csvText: text, first: first)
    } else {
      append(text)
    }
  }

  /// Appends a CSV field (RFC 4180); what a spreadsheet would take for a formula is made harmless.
  public mutating func append(csvText text: String) {
    var text = text
    text.withUTF8 { append(csvText: UnsafeRawBufferPointer($0)) }
  }

  private mutating func appendUnusual(csvText text: UnsafeRawBufferPointer, first: UInt8) {
    let isQuoted = text.contains { $0 == 0x22 || $0 == 0x2C }
    if isQuoted { append(0x22) }
    if Self.startsFormula(first) { append(0x27) }
    forEachScalar(of: text) { scalar in
      if EscapedText.isHarmful(scalar) {
        append(EscapedText.picture(of: scalar))
      } else {
        if scalar == "\"" { append(0x22) }
        append(scalar)
      }
    }
    if isQuoted { append(0x22) }
  }

  /// `=` `+` `-` `@`, tab and carriage return (OWASP, CSV injection).
  private static func startsFormula(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D: true
    default: false
    }
  }

  /// Printable ASCII that needs no quotes.
  @inline(__always)
  private static func isPlainInCSV(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x2C
  }
}

extension ByteBuffer {
  /// Appends a JSON string (`JSONText`).
  public mutating func append(jsonString text: UnsafeRawBufferPointer) {
    append(0x22)
    if text.allSatisfy(Self.isPlainInJSON) {
      append(text)
    } else {
      forEachScalar(of: text) { scalar in
        if let escape = JSONText.escape(of: scalar) { append(escape) } else { append(scalar) }
      }
    }
    append(0x22)
  }

  /// Appends a JSON string (RFC 8259, section 7) with its quotation marks.
  public mutating func append(jsonString text: String) {
    var text = text
    text.withUTF8 { append(jsonString: UnsafeRawBufferPointer($0)) }
  }

  @inline(__always)
  private static func isPlainInJSON(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C
  }
}

/// Writes RFC 3339 times. It caches the date of the last one, because the rows of an export are milliseconds apart and the
/// calendar takes most of the time.
struct DayText: ~Copyable {
  private static let dayLength: Int64 = 86_400_000_000
  private static let dateBytes = 11

  /// First microsecond of the cached day, or a value far from any time while none is cached.
  private var start = Int64.min
  private let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: WallTime.rfc3339Length)

  deinit { text.deallocate() }

  mutating func append(_ time: WallTime, to bytes: inout ByteBuffer) {
    let (sinceStart, isFar) = time.microseconds.subtractingReportingOverflow(start)
    guard !isFar, (0..<Self.dayLength).contains(sinceStart) else { return appendNewDay(time, to: &bytes) }
    bytes.append(UnsafeRawBufferPointer(start: text.baseAddress, count: Self.dateBytes))
    let seconds = Int(sinceStart / 1_000_000)
    bytes.append(twoDigits: seconds / 3600)
    bytes.append(0x3A)
    bytes.append(twoDigits: seconds / 60 % 60)
    bytes.append(0x3A)
    bytes.append(twoDigits: seconds % 60)
    bytes.append(0x2E)
    bytes.append(sixDigits: Int(sinceStart % 1_000_000))
    bytes.append(0x5A)
  }

  private mutating func appendNewDay(_ time: WallTime, to bytes: inout ByteBuffer) {
    time.writeRFC3339(into: text)
    bytes.append(UnsafeRawBufferPointer(text))
    let intoDay = time.microseconds % Self.dayLength
    start = time.microseconds - (intoDay < 0 ? intoDay + Self.dayLength : intoDay)
  }
}

/// Calls `body` with each scalar of UTF-8 bytes; bytes that are not UTF-8 come as U+FFFD.
private func forEachScalar(of bytes: UnsafeRawBufferPointer, _ body: (Unicode.Scalar) -> Void) {
  var iterator = bytes.makeIterator()
  var decoder = UTF8()
  while true {
    switch decoder.decode(&iterator) {
    case .scalarValue(let scalar): body(scalar)
    case .error: body("\u{FFFD}")
    case .emptyInput: return
    }
  }
}
