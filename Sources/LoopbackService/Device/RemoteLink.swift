import Foundation
import Measurement
import NIOCore

/// What makes a poster's device a remote one: everything it does takes its way, and its stamps are its own
/// clock's. Lives on the poster's event loop.
final class RemoteLink {
  private let device: RemoteDevice
  private let clock: any HostClock
  private let skewed: SkewedClock
  private let eventLoop: any EventLoop
  private var generator: SeededGenerator
  /// Exchanges that are not posted yet, as JSON.
  private(set) var exchanges: [String] = []
  private var lastExchange: MonotonicTime?
  private let name: String

  init(
    _ device: RemoteDevice, name: String, clock: any HostClock, eventLoop: any EventLoop, seed: UInt64
  ) {
    self.device = device
    self.name = name.jsonEscaped
    self.clock = clock
    self.eventLoop = eventLoop
    skewed = SkewedClock(device, startedAt: ClockAnchor(reading: clock))
    generator = SeededGenerator(seed: seed, stream: .max - 1)
  }

  // MARK: Notifications

  /// Carries a notification to the device, which stamps it with its own clock when it is there.
  func carry(_ receipt: DeviceReceipt, then action: @escaping (DeviceReceipt, MonotonicTime) -> Void) {
    after(device.delay) { link in
      let now = link.clock.monotonicNow()
      var stamped = receipt
      stamped.receivedAt = WallTime(microseconds: link.skewed.nanoseconds(at: now) / 1000)
      action(stamped, now)
    }
  }

  // MARK: Questions

  /// Whether clocks should be exchanged before anything is posted.
  var wantsExchange: Bool {
    lastExchange.map { clock.monotonicNow() - $0 >= RemoteDevice.exchangeInterval } ?? true
  }

  /// A new connection may lead to another collector, whose clock is not the old one's.
  func startOver() {
    lastExchange = nil
    exchanges = []
  }

  /// Exchanges clocks some times, one after the other.
  /// - Parameter completion: told whether the collector answered.
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
        // A collector that does not tell the time still takes receipts.
        let data = answer.withUnsafeReadableBytes { Data($0) }
        guard let stamps = try? JSONDecoder().decode(Stamps.self, from: data) else { return completion(true) }
        link.after(link.device.delay) { link in
          link.note(stamps)
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

  private func note(_ stamps: Stamps) {
    let t4 = skewed.nanoseconds(at: clock.monotonicNow())
    exchanges.append(
      "{\"t1\":\(stamps.t1),\"t2\":\(stamps.t2),\"t3\":\(stamps.t3),\"t4\":\(t4),\"device\":\"\(name)\"}")
    // What nobody took for so long is of no use any more.
    if exchanges.count > 100 { exchanges.removeFirst() }
  }

  /// The exchanges for the next batch.
  func takeExchanges() -> [String] {
    defer { exchanges = [] }
    return exchanges
  }

  /// A batch was not taken: its exchanges go with the next one.
  func giveBack(_ more: [String]) {
    exchanges = Array((more + exchanges).suffix(100))
  }

  /// Does something when a batch has come to the collector.
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
