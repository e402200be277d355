import FoundationEssentials

/// The UUID that travels in a payload and comes back in receipts (version 8, RFC 9562).
///
/// It is not random but says which notification it is: the run's fingerprint in the upper 60 free bits, the
/// ``SampleID`` in the lower 62. A receipt is so found by the store's own key, in memory or years later, without
/// an index of UUIDs; that nobody can invent one is the MAC's business.
public struct NotificationID: Sendable, Hashable, CustomStringConvertible {
  public let uuid: UUID

  public init(run: RunID, sample: SampleID) {
    let fingerprint = run.fingerprint
    let high = (fingerprint >> 12) << 16 | 0x8000 | (fingerprint & 0x0FFF)
    let low = 0x8000_0000_0000_0000 | UInt64(bitPattern: sample.rawValue)
    uuid = UUID(high: high, low: low)
  }

  /// Reads the canonical text; `nil` when it is no UUID or not one that pushscope makes.
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

  /// Lower-case canonical text, as APNs asks of `apns-id`.
  public var description: String { uuid.uuidString.lowercased() }
}
