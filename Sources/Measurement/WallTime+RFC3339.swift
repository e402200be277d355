/// RFC 3339 in UTC with microseconds, e.g. `2026-03-01T12:00:00.000250Z`. Does not use Foundation, which is too slow
/// for exports of millions of rows; the calendar arithmetic is the usual days-from-civil pair.
extension WallTime {
  /// Length of ``rfc3339`` for the years 0000 to 9999.
  public static let rfc3339Length = 27

  public var rfc3339: String {
    String(unsafeUninitializedCapacity: Self.rfc3339Length) { buffer in
      writeRFC3339(into: buffer)
      return Self.rfc3339Length
    }
  }

  /// The times that four digits of a year can say, µs.
  static let written: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999

  /// Writes the ``rfc3339Length`` bytes of the text to the start of `buffer`, which must hold as many. Times outside the years
  /// 0000 to 9999 are written as the first or last instant of these.
  public func writeRFC3339(into buffer: UnsafeMutableBufferPointer<UInt8>) {
    let microseconds = min(max(microseconds, Self.written.lowerBound), Self.written.upperBound)
    let seconds = microseconds.flooringDivision(by: 1_000_000)
    let fraction = microseconds - seconds * 1_000_000
    let days = seconds.flooringDivision(by: 86_400)
    let secondOfDay = seconds - days * 86_400
    let date = CivilDate(daysSinceEpoch: days)
    func digits(_ value: Int64, _ count: Int, at offset: Int) {
      var rest = value
      for place in stride(from: offset + count - 1, through: offset, by: -1) {
        buffer[place] = UInt8(truncatingIfNeeded: 48 + rest % 10)
        rest /= 10
      }
    }
    digits(date.year, 4, at: 0)
    buffer[4] = 0x2D
    digits(date.month, 2, at: 5)
    buffer[7] = 0x2D
    digits(date.day, 2, at: 8)
    buffer[10] = 0x54
    digits(secondOfDay / 3600, 2, at: 11)
    buffer[13] = 0x3A
    digits(secondOfDay / 60 % 60, 2, at: 14)
    buffer[16] = 0x3A
    digits(secondOfDay % 60, 2, at: 17)
    buffer[19] = 0x2E
    digits(fraction, 6, at: 20)
    buffer[26] = 0x5A
  }

  /// Reads an RFC 3339 time with `Z` or a numeric offset and up to nine digits of fraction (cut to microseconds);
  /// a space may stand for the `T`. `nil` when the text is anything else, or a date that does not exist.
  public init?(rfc3339 text: some StringProtocol) {
    var scanner = DigitScanner(text.utf8)
    guard let year = scanner.digits(4), scanner.skip("-"),
      let month = scanner.digits(2), (1...12).contains(month), scanner.skip("-"),
      let day = scanner.digits(2), scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
      let hour = scanner.digits(2), hour < 24, scanner.skip(":"),
      let minute = scanner.digits(2), minute < 60, scanner.skip(":"),
      let second = scanner.digits(2), second <= 60
    else { return nil }
    var fraction: Int64 = 0
    if scanner.skip(".") {
      guard let read = scanner.fraction(places: 6) else { return nil }
      fraction = read
    }
    var offset: Int64 = 0
    if !(scanner.skip("Z") || scanner.skip("z")) {
      let sign: Int64
      if scanner.skip("+") { sign = 1 } else if scanner.skip("-") { sign = -1 } else { return nil }
      guard let hours = scanner.digits(2), hours < 24, scanner.skip(":"),
        let minutes = scanner.digits(2), minutes < 60
      else { return nil }
      offset = sign * (hours * 3600 + minutes * 60)
    }
    let date = CivilDate(year: year, month: month, day: day)
    guard scanner.isAtEnd, CivilDate(daysSinceEpoch: date.daysSinceEpoch) == date else { return nil }
    let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second - offset
    self.init(microseconds: seconds * 1_000_000 + fraction)
  }
}

/// A date of the proleptic Gregorian calendar.
public struct CivilDate: Sendable, Hashable {
  public var year: Int64
  public var month: Int64
  public var day: Int64

  public init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Counts years from March, so that the leap day is the last of its year and months need no table.
  public init(daysSinceEpoch days: Int64) {
    let shifted = days + 719_468
    let era = shifted.flooringDivision(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days from 1970-01-01; a day past the month's end counts on into the next month.
  public var daysSinceEpoch: Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted.flooringDivision(by: 400)
    let yearOfEra = shifted - era * 400
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

extension Int64 {
  /// Division that rounds towards minus infinity.
  @inlinable
  public func flooringDivision(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

/// Reads fixed runs of decimal digits from a text, with no locale and no allocation.
private struct DigitScanner<Bytes: Collection> where Bytes.Element == UInt8 {
  private var rest: Bytes.SubSequence

  init(_ bytes: Bytes) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func digits(_ count: Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<count {
      guard let digit = nextDigit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// One to nine digits after the point as a count of 10^-places.
  mutating func fraction(places: Int) -> Int64? {
    var value: Int64 = 0
    var read = 0
    while let digit = nextDigit() {
      if read < places { value = value * 10 + digit }
      read += 1
    }
    guard (1...9).contains(read) else { return nil }
    for _ in 0..<max(0, places - read) { value *= 10 }
    return value
  }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard let next = rest.first, UInt32(next) == character.value else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func nextDigit() -> Int64? {
    guard let next = rest.first, (48...57).contains(next) else { return nil }
    rest = rest.dropFirst()
    return Int64(next - 48)
  }
}
