import Measurement

/// The clocks of the devices that report, each device and boot by itself. Memory is bounded: of more than
/// ``maximum`` the ones that were silent longest are forgotten.
struct DeviceClocks: Sendable {
  static let maximum = 1024
  /// How often a device's offset is told as an event.
  static let announcement = Duration.seconds(60)

  struct Key: Hashable, Sendable {
    var device: String
    var bootID: String?
  }

  private struct Entry {
    var clock = DeviceClock()
    var lastHeard: MonotonicTime
    var announcedAt: MonotonicTime?
  }

  private var entries: [Key: Entry] = [:]

  /// Devices remembered.
  var count: Int { entries.count }

  /// What an exchange changed.
  struct News: Sendable, Equatable {
    var outcome: DeviceClock.Outcome
    /// What is to be said of the device's clock now; `nil` when it was said a short while ago.
    var announcement: Announcement?
  }

  struct Announcement: Sendable, Equatable {
    /// When the exchange ended, on the device's clock and as that reads on ours.
    var stamp: Int64
    var reading: ClockReading
    var drift: Double?
    var exchanges: Int
  }

  mutating func take(_ arrived: ArrivedExchange) -> News {
    let key = Key(device: arrived.device, bootID: arrived.bootID)
    if entries[key] == nil, entries.count >= Self.maximum { forgetSilent() }
    var entry = entries[key] ?? Entry(lastHeard: arrived.arrivedAt)
    entry.lastHeard = max(entry.lastHeard, arrived.arrivedAt)
    var news = News(outcome: entry.clock.take(arrived.exchange))
    let isDue = entry.announcedAt.map { arrived.arrivedAt - $0 >= Self.announcement } ?? true
    switch news.outcome {
    case .repeated, .outdated: break
    case .taken where !isDue: break
    case .taken, .stepped:
      if let reading = entry.clock.reading(of: arrived.exchange.t4) {
        entry.announcedAt = arrived.arrivedAt
        news.announcement = Announcement(
          stamp: arrived.exchange.t4, reading: reading, drift: entry.clock.driftPartsPerMillion,
          exchanges: entry.clock.exchanges.count)
      }
    }
    entries[key] = entry
    return news
  }

  /// When a device received a notification, by our clock; `nil` when no exchange of its boot tells.
  func reading(of receipt: ArrivedReceipt) -> ClockReading? {
    guard let clock = entries[Key(device: receipt.device, bootID: receipt.bootID)]?.clock else { return nil }
    let (stamp, isTooLarge) = receipt.receivedAt.microseconds.multipliedReportingOverflow(by: 1000)
    return isTooLarge ? nil : clock.reading(of: stamp, resolution: ArrivedReceipt.resolution)
  }

  /// An eighth at a time, so that a flood of new names does not sort them all each time.
  private mutating func forgetSilent() {
    let silent = entries.sorted { $0.value.lastHeard < $1.value.lastHeard }.prefix(max(1, Self.maximum / 8))
    for (key, _) in silent { entries[key] = nil }
  }
}
