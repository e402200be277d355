import Measurement

/// Writes RFC 3339 times and remembers the date of the last one: rows of an export follow each other by milliseconds,
/// and the calendar is most of the work.
struct DayText: ~Copyable {
  private static let dayLength: Int64 = 86_400_000_000
  private static let dateBytes = 11

  /// The remembered day's first microsecond; a value that no time is near until one has been written.
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
