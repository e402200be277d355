import Measurement

/// Reads a delivery latency out of a receipt.
///
/// On one clock (the receipt names this host's boot) it is the difference of two monotonic stamps, without error.
/// Otherwise what is certain is that the device received it no later than its receipt arrived here: that upper
/// bound is taken, with itself as the error.
struct ReceiptLatency: Sendable, Equatable {
  /// µs from planned; `nil` when no clock spans both ends, as after a reboot.
  var latency: Int64?
  var error: Int64?
  var isSameClock: Bool
  /// The instant that orders deliveries.
  var receivedAt: MonotonicTime

  /// - Parameters:
  ///   - planned: the notification's planned instant, monotonic µs of its boot.
  ///   - plannedOnThisBoot: whether that boot is this one.
  init(of receipt: ArrivedReceipt, planned: Int64, plannedOnThisBoot: Bool, bootID: String) {
    let arrived = receipt.arrivedAt
    receivedAt = arrived
    guard plannedOnThisBoot else {
      isSameClock = false
      return
    }
    let bound = max(0, arrived.microseconds - planned)
    if receipt.bootID == bootID, let received = receipt.receivedMonotonic, received <= arrived,
      received.microseconds >= planned
    {
      isSameClock = true
      receivedAt = received
      latency = received.microseconds - planned
      error = 0
    } else {
      isSameClock = false
      latency = bound
      error = bound
    }
  }
}
