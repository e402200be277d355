import Measurement

/// A receipt whose MAC was right, as it reached the listener. Whether it is the first one, late, or for a
/// notification nobody knows is the ledger's to say.
public struct ArrivedReceipt: Sendable, Equatable {
  public var id: NotificationID
  /// The device's own name for itself, at most 128 bytes of UTF-8.
  public var device: String
  /// When it reached the collector.
  public var arrivedAt: MonotonicTime
  /// The device's wall clock when the notification reached it.
  public var receivedAt: WallTime
  /// The boot the device's monotonic time belongs to, and that time: exact when the boot is the collector's own.
  public var bootID: String?
  public var receivedMonotonic: MonotonicTime?
  /// When the device listened last before this, and when it began to listen again, where that is known.
  var gap: ListeningGap?

  /// `received_at_ms` is cut to whole milliseconds: the device's clock showed up to so many nanoseconds more.
  static let resolution: Int64 = 1_000_000

  public init(
    id: NotificationID, device: String, arrivedAt: MonotonicTime, receivedAt: WallTime,
    bootID: String? = nil, receivedMonotonic: MonotonicTime? = nil
  ) {
    self.id = id
    self.device = device
    self.arrivedAt = arrivedAt
    self.receivedAt = receivedAt
    self.bootID = bootID
    self.receivedMonotonic = receivedMonotonic
  }

  /// What tells it from other receipts for the same notification.
  var stamp: ReceiptStamp {
    ReceiptStamp(device: device, receivedAt: receivedAt, monotonic: receivedMonotonic?.nanoseconds)
  }
}

/// A stretch in which a device did not listen, by the collector's clock. What it was sent meanwhile waited for it.
struct ListeningGap: Sendable, Equatable {
  var from: MonotonicTime
  var to: MonotonicTime

  /// How much earlier the device might have received something, had it listened.
  /// - Parameters:
  ///   - planned: when that was planned, monotonic µs.
  ///   - received: when the device heard of it, monotonic µs.
  /// - Returns: µs; 0 for what was planned after the gap, or received before it.
  func wait(planned: Int64, received: Int64) -> Int64 {
    guard planned < to.microseconds, received >= from.microseconds else { return 0 }
    return max(0, received - max(planned, from.microseconds))
  }
}

/// What became of a batch of receipts: the answer's body (`POST /v1/receipts`).
public struct ReceiptOutcome: Sendable, Equatable {
  public var accepted: Int
  public var duplicate: Int
  public var unknown: Int
  public var refused: Int
  /// Of the accepted ones, those that were stored before and said the same: the answer to them had been lost.
  public var repeated: Int
  /// Could not be stored, because the store cannot be read or written there.
  public var failed: Int

  public init(
    accepted: Int = 0, duplicate: Int = 0, unknown: Int = 0, refused: Int = 0, repeated: Int = 0,
    failed: Int = 0
  ) {
    self.accepted = accepted
    self.duplicate = duplicate
    self.unknown = unknown
    self.refused = refused
    self.repeated = repeated
    self.failed = failed
  }
}
