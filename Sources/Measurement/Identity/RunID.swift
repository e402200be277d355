import FoundationEssentials

/// A run's UUID, version 7 (RFC 9562): sorts by when the run began.
public struct RunID: Sendable, Hashable, Comparable, CustomStringConvertible {
  public let uuid: UUID

  public init(uuid: UUID) { self.uuid = uuid }

  /// Reads the canonical text form, in either case.
  public init?(_ text: String) {
    guard let uuid = UUID(uuidString: text) else { return nil }
    self.uuid = uuid
  }

  /// Makes a version 7 UUID from the wall clock and 74 random bits.
  public init(at time: WallTime, using generator: inout some RandomNumberGenerator) {
    let milliseconds = UInt64(max(0, time.microseconds / 1000))
    let high = (milliseconds << 16) | 0x7000 | (generator.next() & 0x0FFF)
    let low = (generator.next() & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
    uuid = UUID(high: high, low: low)
  }

  /// Lower-case canonical text.
  public var description: String { uuid.uuidString.lowercased() }

  /// 60 of the UUID's bits, most of them random: what ``NotificationID`` carries of the run.
  public var fingerprint: UInt64 { uuid.words.low & 0x0FFF_FFFF_FFFF_FFFF }

  public static func < (a: Self, b: Self) -> Bool { a.uuid.words < b.uuid.words }
}

extension UUID {
  /// Both halves of the 128 bits, big-endian.
  public var words: (high: UInt64, low: UInt64) {
    let b = uuid
    func join(_ bytes: UInt8...) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return (
      join(b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7), join(b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15)
    )
  }

  public init(high: UInt64, low: UInt64) {
    func byte(_ word: UInt64, _ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - 8 * place)) }
    self.init(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
        byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
        byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
        byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }
}
