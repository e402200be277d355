import Measurement

/// The clocks of reporting devices, one per device and boot. Memory is bounded: beyond ``maximum`` those that were silent
/// longest are forgotten.
struct DeviceClockTable: Sendable {
  static let maximum = 1024
  /// The shortest time between two events about a device's offset.
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
  /// When the end of this host's last suspend was noticed.
  private var wokeAt: MonotonicTime?

  /// Devices remembered.
  var count: Int { entries.count }

  /// A device's offset, for an event.
  struct Announcement: Sendable, Equatable {
    /// The end of the exchange, by the device's clock, and what that is by this host's.
    var stamp: Int64
    var reading: ClockReading
    var drift: Double?
    var exchanges: Int

    /// `120 µs ahead, within 80 µs, drift 12 ppm (5 exchanges)`.
    func words(anchor: ClockAnchor) -> String {
      let offset = stamp / 1000 - anchor.wall(at: reading.instant).microseconds
      let drift = drift.map { ", drift \(Int($0.rounded())) ppm" } ?? ""
      return
        "\(LatencyText.text(abs(offset))) \(offset < 0 ? "behind" : "ahead"), within \(LatencyText.text(reading.error.microseconds))\(drift)"
        + " (\(CountText.text(exchanges, "exchange")))"
    }
  }

  /// This host was suspended: its monotonic clock stopped while the devices' went on, so estimates from before do not hold
  /// afterwards, nor the other way round.
  mutating func hostSlept(until now: MonotonicTime) {
    wokeAt = now
    for (key, entry) in entries {
      entries[key]?.clock = DeviceClock(coarseness: entry.clock.coarseness)
    }
  }

  /// - Parameter now: when it arrived.
  mutating func add(_ arrived: DeviceExchange, at now: MonotonicTime) -> DeviceClock.Outcome {
    if let wokeAt, arrived.exchange.t2 < wokeAt { return .outdated }
    let key = Key(arrived)
    if entries[key] == nil, entries.count >= Self.maximum { forgetSilent() }
    var entry = entries[key] ?? Entry(lastHeard: now)
    entry.lastHeard = max(entry.lastHeard, now)
    let outcome = entry.clock.add(arrived.exchange)
    if case .stepped = outcome { entry.announcedAt = nil }
    entries[key] = entry
    return outcome
  }

  /// The announcement after an exchange that was taken; `nil` when there was one a short time ago.
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

  /// The error that a stamp of a device may have, nanoseconds.
  func coarseness(of arrived: DeviceExchange) -> Int64 { entries[Key(arrived)]?.clock.coarseness ?? 0 }

  /// How far a device's clock is ahead of this host's after an exchange that was taken, µs; `nil` without an estimate.
  func offset(after arrived: DeviceExchange, anchor: ClockAnchor) -> Int64? {
    entries[Key(arrived)]?.clock.reading(of: arrived.exchange.t4).map {
      arrived.exchange.t4 / 1000 - anchor.wall(at: $0.instant).microseconds
    }
  }

  /// When a device received a notification, by this host's clock; `nil` without an exchange of its boot.
  func reading(of receipt: ArrivedReceipt) -> ClockReading? {
    guard let clock = entries[Key(receipt)]?.clock else { return nil }
    let (stamp, isTooLarge) = receipt.receivedAt.microseconds.multipliedReportingOverflow(by: 1000)
    guard !isTooLarge,
      let reading = clock.reading(of: stamp, resolution: ArrivedReceipt.resolution)
    else {
      return nil
    }
    // A stamp from before the suspend reads too early by its length.
    if let wokeAt, reading.earliest < wokeAt { return nil }
    return reading
  }

  /// Forgets an eighth at once, so that a flood of new names does not sort all of them each time.
  private mutating func forgetSilent() {
    let silent = entries.sorted { $0.value.lastHeard < $1.value.lastHeard }.prefix(max(1, Self.maximum / 8))
    for (key, _) in silent { entries[key] = nil }
  }
}

extension DeviceClock.Outcome {
  /// The event that tells of it; `nil` for what is no news.
  /// - Parameter coarseness: of the clock since then, nanoseconds.
  func event(of device: String, coarseness: Int64) -> (kind: EventKind, detail: String)? {
    switch self {
    case .taken, .repeated, .outdated: nil
    case .stepped(let nanoseconds):
      (.clockStep, "the clock of \(device) was set, by about \(LatencyText.text(nanoseconds / 1000))")
    case .coarse(let nanoseconds):
      (
        .clockOffset,
        "the clock of \(device) contradicts itself by \(LatencyText.text(nanoseconds / 1000)), as a coarse one does: it is taken to be off "
          + "by up to \(LatencyText.text(coarseness / 1000)) at each reading from now on"
      )
    }
  }
}

/// Computes a delivery latency from a receipt.
///
/// - On one clock (the receipt names this host's boot) it is the difference of two monotonic stamps, without error, unless the
///   notification waited for a subscription that was not open: it could have arrived earlier by that wait.
/// - If clock exchanges of the device are known, its stamp is converted to this host's clock; the error is the bound of that
///   reading. The device received the notification after it was sent and before the receipt arrived: the reading is
///   limited to that, and one that contradicts it is not used.
/// - Otherwise the only bound is the arrival of the receipt: that upper bound is the latency, and also the error.
struct ReceiptLatency: Sendable, Equatable {
  /// µs from planned; `nil` when no clock covers both ends, as after a reboot.
  var latency: Int64?
  /// The largest difference of the true latency from ``latency``, µs.
  var error: Int64?
  /// The upper bound of the true latency, µs; `nil` where ``latency`` is exact.
  var high: Int64?
  var isSameClock = false
  /// The instant that orders deliveries.
  var receivedAt: MonotonicTime
  /// The reading of the device's clock, where it was used.
  var reading: ClockReading?

  /// - Parameters:
  ///   - planned: the notification's planned instant, monotonic µs of its boot.
  ///   - sent: when it was sent, if known, otherwise when it was planned.
  ///   - plannedOnThisBoot: whether that boot is the current one.
  ///   - reading: when the device received it, by this host's clock, if exchanges tell.
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
      // Stamps are truncated to µs, by up to 1 µs on either side.
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

extension Receipt {
  /// A receipt's row.
  /// - Parameter anchor: maps this host's monotonic clock to the wall clock.
  init(
    of receipt: ArrivedReceipt, for id: SampleID, _ timing: ReceiptLatency, isDuplicate: Bool,
    anchor: ClockAnchor
  ) {
    let half = ArrivedReceipt.resolution / 2 / 1000
    let offset = timing.reading.map { reading in
      receipt.receivedAt.microseconds + half - anchor.wall(at: reading.instant).microseconds
    }
    self.init(
      sample: id, device: receipt.device, receivedAt: receipt.receivedAt,
      arrivedAt: anchor.wall(at: receipt.arrivedAt), isSameClock: timing.isSameClock,
      monotonic: receipt.receivedMonotonic?.nanoseconds, offset: offset,
      offsetError: timing.reading?.error.microseconds, isDuplicate: isDuplicate)
  }
}
