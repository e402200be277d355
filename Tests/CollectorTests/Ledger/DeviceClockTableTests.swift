import Measurement
import Testing

@testable import Collector

@Suite struct DeviceClockTableTests {
  private func time(_ second: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: second * 1_000_000_000) }

  private func arrived(
    _ device: String, boot: String? = nil, at second: Int64, ahead: Int64 = 5
  ) throws -> DeviceExchange {
    let now = MonotonicTime(nanoseconds: second * 1_000_000_000)
    let stamp = (1_700_000_000 + second + ahead) * 1_000_000_000
    let exchange = try #require(ClockExchange(t1: stamp, t2: now, t3: now, t4: stamp + 2_000_000))
    return DeviceExchange(device: device, bootID: boot, exchange: exchange)
  }

  private func receipt(_ device: String, boot: String? = nil, at second: Int64) -> ArrivedReceipt {
    var generator = SeededGenerator(seed: 1)
    let run = RunID(at: WallTime(microseconds: 0), using: &generator)
    return ArrivedReceipt(
      id: NotificationID(run: run, sample: SampleID(rawValue: 1)), device: device, arrivedAt: .zero,
      receivedAt: WallTime(microseconds: (1_700_000_000 + second) * 1_000_000), bootID: boot)
  }

  @Test func keepsDevicesAndBootsApart() throws {
    var clocks = DeviceClockTable()
    _ = clocks.add(try arrived("a", at: 100, ahead: 5), at: time(100))
    _ = clocks.add(try arrived("a", boot: "b1", at: 100, ahead: 50), at: time(100))
    _ = clocks.add(try arrived("b", at: 100, ahead: -7), at: time(100))
    func seconds(_ receipt: ArrivedReceipt) -> Int64? {
      clocks.reading(of: receipt).map { ($0.instant.nanoseconds + 500_000_000) / 1_000_000_000 }
    }
    #expect(seconds(receipt("a", at: 110)) == 105)
    #expect(seconds(receipt("a", boot: "b1", at: 110)) == 60)
    #expect(seconds(receipt("b", at: 110)) == 117)
    #expect(seconds(receipt("a", boot: "b2", at: 110)) == nil)
    #expect(seconds(receipt("c", at: 110)) == nil)
  }

  @Test func tellsOfADeviceOnceAMinute() throws {
    var clocks = DeviceClockTable()
    var told: [Int64] = []
    for second in stride(from: Int64(100), to: 300, by: 10) {
      let exchange = try arrived("a", at: second)
      let outcome = clocks.add(exchange, at: time(second))
      #expect(outcome == .taken)
      if clocks.announcement(after: exchange, at: time(second)) != nil { told.append(second) }
    }
    #expect(told == [100, 160, 220, 280])
    let set = try arrived("a", at: 295, ahead: 500)
    guard case .stepped(let by) = clocks.add(set, at: time(295)) else {
      Issue.record("no step")
      return
    }
    #expect(abs(by - 495_000_000_000) < 10_000_000)
    let announcement = clocks.announcement(after: set, at: time(295))
    #expect(announcement != nil, "a clock that was set is told of at once")
  }

  @Test func forgetsWhoWasSilentLongest() throws {
    var clocks = DeviceClockTable()
    for number in 0..<Int64(DeviceClockTable.maximum) {
      _ = clocks.add(try arrived("d\(number)", at: 100 + number), at: time(100 + number))
    }
    _ = clocks.add(try arrived("d0", at: 5000), at: time(5000))
    #expect(clocks.count == DeviceClockTable.maximum)
    _ = clocks.add(try arrived("another", at: 5001), at: time(5001))
    #expect(clocks.count == DeviceClockTable.maximum * 7 / 8 + 1)
    #expect(clocks.reading(of: receipt("d0", at: 5005)) != nil)
    #expect(clocks.reading(of: receipt("d1", at: 5005)) == nil)
    #expect(clocks.reading(of: receipt("another", at: 5005)) != nil)
  }

  @Test func stampsBeyondEveryClockAreNotRead() throws {
    var clocks = DeviceClockTable()
    _ = clocks.add(try arrived("a", at: 100), at: time(100))
    var far = receipt("a", at: 100)
    far.receivedAt = WallTime(microseconds: 253_402_300_799_999_000)
    #expect(clocks.reading(of: far) == nil)
  }
}
