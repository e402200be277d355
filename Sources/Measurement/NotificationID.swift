import FoundationEssentials

/// The UUID that travels in a payload and comes back in receipts (version 8, RFC 9562).
///
/// It identifies the notification: the run's fingerprint in the upper 60 free bits, the ``SampleID`` in the lower 62. A
/// receipt is thus found by the store's key without an index of UUIDs. The receipts' MAC prevents forgery.
public struct NotificationID: Sendable, Hashable, CustomStringConvertible {
  public let uuid: UUID

  public init(run: RunID, sample: SampleID) { self.init(runFingerprint: run.fingerprint, sample: sample) }

  /// - Parameter fingerprint: ``RunID/fingerprint`` of its run.
  public init(runFingerprint fingerprint: UInt64, sample: SampleID) {
    let high = (fingerprint >> 12) << 16 | 0x8000 | (fingerprint & 0x0FFF)
    let low = 0x8000_0000_0000_0000 | UInt64(bitPattern: sample.rawValue)
    uuid = UUID(high: high, low: low)
  }

  /// Parses the canonical text; `nil` if it is not a UUID that pushscope makes.
  public init?(_ text: String) {
    guard let uuid = UUID(uuidString: text) else { return nil }
    let words = uuid.words
    guard words.high & 0xF000 == 0x8000, words.low >> 62 == 0b10 else { return nil }
    self.uuid = uuid
  }

  /// The ``RunID/fingerprint`` of the run it belongs to.
  public var runFingerprint: UInt64 {
    let high = uuid.words.high
    return (high >> 16) << 12 | (high & 0x0FFF)
  }

  public var sample: SampleID {
    SampleID(rawValue: Int64(bitPattern: uuid.words.low & 0x3FFF_FFFF_FFFF_FFFF))
  }

  /// Lower-case canonical text, as APNs requires for `apns-id`.
  public var description: String { uuid.uuidString.lowercased() }
}

/// A target of one run, numbered by the store; a later run of the same target gets another number. 22 bits.
public struct TargetID: RawRepresentable, Sendable, Hashable, Comparable, Codable {
  public var rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// How many targets, over all runs, one store can number.
  public static let maximum = TargetID(rawValue: (1 << 22) - 1)

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A planned notification: the target of a run and the sequence number, from 1, packed into the 62 bits that are the
/// row's key in the store and part of the notification's UUID.
public struct SampleID: RawRepresentable, Sendable, Hashable, Comparable {
  public var rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  public init(target: TargetID, sequence: Int64) {
    rawValue = target.rawValue << Self.sequenceBits | (sequence & Self.sequenceMask)
  }

  public static let sequenceBits: Int64 = 40
  public static let sequenceMask: Int64 = (1 << 40) - 1

  public var target: TargetID { TargetID(rawValue: rawValue >> Self.sequenceBits) }

  public var sequence: Int64 { rawValue & Self.sequenceMask }

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A run's UUID, version 7 (RFC 9562): sorts by when the run began.
public struct RunID: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
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

  /// 60 of the UUID's bits, most of them random, which a ``NotificationID`` contains.
  public var fingerprint: UInt64 { uuid.words.low & 0x0FFF_FFFF_FFFF_FFFF }

  public static func < (a: Self, b: Self) -> Bool { a.uuid.words < b.uuid.words }
}

/// Why a run ended: the `end_reason` of the `runs` table.
public enum RunEndReason: String, Sendable, Hashable, CaseIterable {
  /// The requested count or duration was reached.
  case completed
  /// A signal or a command ended the run.
  case stopped
  /// The collector ended with an error.
  case failed
  /// The collector crashed; set by recovery at the next start.
  case interrupted
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
