import Measurement

/// Reads a delivery latency out of a receipt.
///
/// - On one clock (the receipt names this host's boot) it is the difference of two monotonic stamps, without error; but
///   what waited for a device that did not listen might have been there as much earlier.
/// - A device whose clock is known by exchanges has its stamp read on ours: the error is the bound of that
///   reading. The device cannot have received what had not been sent, nor after its receipt was here; a reading
///   is cut to that, and one that contradicts it is not believed.
/// - Otherwise what is certain is that the device received it no later than its receipt arrived here: that upper
///   bound is taken, with itself as the error.
struct ReceiptLatency: Sendable, Equatable {
  /// µs from planned; `nil` when no clock spans both ends, as after a reboot.
  var latency: Int64?
  /// The true latency is no farther than this from ``latency``, µs.
  var error: Int64?
  /// The true latency is no longer than this, µs; `nil` where it is exactly ``latency``.
  var high: Int64?
  var isSameClock = false
  /// The instant that orders deliveries.
  var receivedAt: MonotonicTime
  /// What the device's clock said, where it was believed.
  var reading: ClockReading?

  /// - Parameters:
  ///   - planned: the notification's planned instant, monotonic µs of its boot.
  ///   - sent: when it was sent, as far as that is known: no earlier than planned.
  ///   - plannedOnThisBoot: whether that boot is this one.
  ///   - reading: when the device received it by our clock, where exchanges tell.
  init(
    of receipt: ArrivedReceipt, planned: Int64, sent: Int64, plannedOnThisBoot: Bool, bootID: String,
    reading: ClockReading? = nil
  ) {
    let arrived = receipt.arrivedAt
    receivedAt = arrived
    guard plannedOnThisBoot else { return }
    if receipt.bootID == bootID, let received = receipt.receivedMonotonic, received <= arrived,
      received.microseconds >= planned
    {
      isSameClock = true
      receivedAt = received
      latency = received.microseconds - planned
      error = receipt.gap?.wait(planned: planned, received: received.microseconds) ?? 0
      if error != 0 { high = latency }
    } else if let believed = reading?.between(MonotonicTime(microseconds: sent), and: arrived) {
      self.reading = reading
      receivedAt = believed.instant
      let middle = believed.instant.microseconds
      latency = middle - planned
      // Stamps are cut to whole µs, which may cut up to one off on either side.
      let error = max(believed.latest.microseconds - middle, middle - believed.earliest.microseconds) + 1
      self.error = error
      high = min(middle - planned + error, arrived.microseconds - planned)
    } else {
      latency = max(0, arrived.microseconds - planned)
      error = latency
      high = latency
    }
  }
}
