import Foundation
import Measurement
import NIOCore

/// A simulated device on another machine, with its own clock and network delays.
public struct RemoteDevice: Sendable, Hashable {
  /// Offset of its clock from this host's at start; positive: ahead.
  public var skew: Duration
  /// Drift of its clock in parts per million; positive: fast.
  public var drift: Double
  /// Network delay to the device, for notifications and the collector's responses.
  public var delay: Duration
  /// Network delay from the device, for clock requests and receipts.
  public var delayBack: Duration
  /// Maximum additional share of each delay, drawn for each transmission.
  public var jitter: Double

  /// Interval of clock exchanges while there are receipts to post.
  public static let exchangeInterval = Duration.seconds(5)
  /// Exchanges in each interval; the collector uses the fastest.
  public static let exchangesAtOnce = 3

  public init(
    skew: Duration = .zero, drift: Double = 0, delay: Duration = .zero, delayBack: Duration? = nil,
    jitter: Double = 0.25
  ) {
    self.skew = skew
    self.drift = drift
    self.delay = delay
    self.delayBack = delayBack ?? delay
    self.jitter = jitter
  }
}

/// Network and clock of a remote device: delays its messages and stamps receipts with its clock. Used on the poster's
/// event loop.
final class RemoteLink {
  private let device: RemoteDevice
  private let clock: any HostClock
  private let skewed: SkewedClock
  private let eventLoop: any EventLoop
  private var generator: SeededGenerator
  /// Exchanges that have not been posted, as JSON.
  private(set) var exchanges: [String] = []
  private var lastExchange: MonotonicTime?
  private let name: String

  init(
    _ device: RemoteDevice, name: String, clock: any HostClock, eventLoop: any EventLoop, seed: UInt64
  ) {
    self.device = device
    self.name = JSONText.escaped(name)
    self.clock = clock
    self.eventLoop = eventLoop
    skewed = SkewedClock(device, startedAt: ClockAnchor(reading: clock))
    generator = SeededGenerator(seed: seed, stream: .max - 1)
  }

  // MARK: Notifications

  /// Delivers a notification after the delay, stamped with the device's clock.
  func carry(_ receipt: DeviceReceipt, then action: @escaping (DeviceReceipt, MonotonicTime) -> Void) {
    after(device.delay) { link in
      let now = link.clock.monotonicNow()
      var stamped = receipt
      stamped.receivedAt = WallTime(microseconds: link.skewed.nanoseconds(at: now) / 1000)
      action(stamped, now)
    }
  }

  // MARK: Questions

  /// Whether a clock exchange is due.
  var wantsExchange: Bool {
    lastExchange.map { clock.monotonicNow() - $0 >= RemoteDevice.exchangeInterval } ?? true
  }

  /// Discards exchanges, since a new connection may lead to another collector with another clock.
  func startOver() {
    lastExchange = nil
    exchanges = []
  }

  /// Performs several clock exchanges in sequence.
  /// - Parameter completion: receives whether the collector responded.
  func exchangeClocks(over connection: ReceiptConnection, completion: @escaping (Bool) -> Void) {
    lastExchange = clock.monotonicNow()
    exchange(RemoteDevice.exchangesAtOnce, over: connection, completion: completion)
  }

  private func exchange(
    _ count: Int, over connection: ReceiptConnection, completion: @escaping (Bool) -> Void
  ) {
    guard count > 0 else { return completion(true) }
    let t1 = skewed.nanoseconds(at: clock.monotonicNow())
    after(device.delayBack) { link in
      connection.ask("/v1/clock", ByteBuffer(string: "{\"t1\":\(t1)}")) { answer in
        guard let answer else {
          link.lastExchange = nil
          return completion(false)
        }
        // A collector without clock exchange still accepts receipts.
        let data = answer.withUnsafeReadableBytes { Data($0) }
        guard let stamps = try? JSONDecoder().decode(Stamps.self, from: data) else { return completion(true) }
        link.after(link.device.delay) { link in
          link.record(stamps)
          link.exchange(count - 1, over: connection, completion: completion)
        }
      }
    }
  }

  private struct Stamps: Decodable {
    var t1: Int64
    var t2: Int64
    var t3: Int64
  }

  private func record(_ stamps: Stamps) {
    let t4 = skewed.nanoseconds(at: clock.monotonicNow())
    exchanges.append(
      "{\"t1\":\(stamps.t1),\"t2\":\(stamps.t2),\"t3\":\(stamps.t3),\"t4\":\(t4),\"device\":\"\(name)\"}")
    // Drops the oldest exchange.
    if exchanges.count > 100 { exchanges.removeFirst() }
  }

  /// Returns and clears the exchanges for the next batch.
  func drainExchanges() -> [String] {
    defer { exchanges = [] }
    return exchanges
  }

  /// Restores the exchanges of a failed batch.
  func giveBack(_ more: [String]) {
    exchanges = Array((more + exchanges).suffix(100))
  }

  /// Runs `action` after the delay to the collector.
  func afterWayBack(_ action: @escaping () -> Void) {
    after(device.delayBack) { _ in action() }
  }

  private func after(_ delay: Duration, _ action: @escaping (RemoteLink) -> Void) {
    guard delay > .zero else { return action(self) }
    let nanoseconds =
      Double(delay.nanoseconds) * (1 + device.jitter * Double.random(in: 0..<1, using: &generator))
    let held = NIOLoopBound((self, action), eventLoop: eventLoop)
    eventLoop.scheduleTask(in: .nanoseconds(Int64(nanoseconds))) { held.value.1(held.value.0) }
  }
}

/// A clock with an offset and a drift relative to this host's. It is never adjusted.
struct SkewedClock: Sendable {
  private let origin: ClockAnchor
  private let skew: Int64
  private let drift: Double

  init(_ device: RemoteDevice, startedAt origin: ClockAnchor) {
    self.origin = origin
    skew = device.skew.nanoseconds
    drift = device.drift * 1e-6
  }

  /// The device clock's reading at a time of this host, in nanoseconds since 1970.
  func nanoseconds(at instant: MonotonicTime) -> Int64 {
    let passed = (instant - origin.monotonic).nanoseconds
    return origin.wall.microseconds * 1000 + skew + passed + Int64((Double(passed) * drift).rounded())
  }
}
