import Measurement

/// The clocks of the devices that report, each device and boot by itself. Memory is bounded: of more than
/// ``maximum`` the ones that were silent longest are forgotten.
struct DeviceClockTable: Sendable {
  static let maximum = 1024
  /// How often a device's offset is told as an event.
  static let announcement = Duration.seconds(60)

  private struct Key: Hashable {
    var device: String
    var bootID: String?

    init(_ exchange: DeviceExchange) {
      device = exchange.device
      bootID = exchange.bootID
    }

    init(_ receipt: ArrivedReceipt) {
      device = receipt.device
      bootID = receipt.bootID
    }
  }

  private struct Entry {
    var clock = DeviceClock()
    var lastHeard: MonotonicTime
    var announcedAt: MonotonicTime?
  }

  private var entries: [Key: Entry] = [:]
  /// When this host last woke from sleep, or a little later.
  private var wokeAt: MonotonicTime?

  /// Devices remembered.
  var count: Int { entries.count }

  struct Announcement: Sendable, Equatable {
    /// When the exchange ended, on the device's clock and as that reads on ours.
    var stamp: Int64
    var reading: ClockReading
    var drift: Double?
    var exchanges: Int
  }

  /// This host slept. Its monotonic clock stood still meanwhile and the devices' did not, so nothing that was known
  /// from before holds for what comes after, nor the other way round.
  mutating func hostSlept(until now: MonotonicTime) {
    wokeAt = now
    for key in entries.keys { entries[key]?.clock = DeviceClock() }
  }

  /// - Parameter now: when it reached us.
  mutating func take(_ arrived: DeviceExchange, at now: MonotonicTime) -> DeviceClock.Outcome {
    if let wokeAt, arrived.exchange.t2 < wokeAt { return .outdated }
    let key = Key(arrived)
    if entries[key] == nil, entries.count >= Self.maximum { forgetSilent() }
    var entry = entries[key] ?? Entry(lastHeard: now)
    entry.lastHeard = max(entry.lastHeard, now)
    let outcome = entry.clock.take(arrived.exchange)
    if case .stepped = outcome { entry.announcedAt = nil }
    entries[key] = entry
    return outcome
  }

  /// What is to be said of a device's clock after an exchange that was taken; `nil` when it was said a short while ago.
  mutating func announcement(after arrived: DeviceExchange, at now: MonotonicTime) -> Announcement? {
    let key = Key(arrived)
    guard let entry = entries[key],
      entry.announcedAt.map({ now - $0 >= Self.announcement }) ?? true,
      let reading = entry.clock.reading(of: arrived.exchange.t4)
    else { return nil }
    entries[key]?.announcedAt = now
    return Announcement(
      stamp: arrived.exchange.t4, reading: reading, drift: entry.clock.driftPartsPerMillion,
      exchanges: entry.clock.exchanges.count)
  }

  /// When a device received a notification, by our clock; `nil` when no exchange of its boot tells.
  func reading(of receipt: ArrivedReceipt) -> ClockReading? {
    guard let clock = entries[Key(receipt)]?.clock else { return nil }
    let (stamp, isTooLarge) = receipt.receivedAt.microseconds.multipliedReportingOverflow(by: 1000)
    guard !isTooLarge, let reading = clock.reading(of: stamp, resolution: ArrivedReceipt.resolution) else {
      return nil
    }
    // A stamp from before the sleep reads too early by its length.
    if let wokeAt, reading.earliest < wokeAt { return nil }
    return reading
  }

  /// An eighth at a time, so that a flood of new names does not sort them all each time.
  private mutating func forgetSilent() {
    let silent = entries.sorted { $0.value.lastHeard < $1.value.lastHeard }.prefix(max(1, Self.maximum / 8))
    for (key, _) in silent { entries[key] = nil }
  }
}

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
