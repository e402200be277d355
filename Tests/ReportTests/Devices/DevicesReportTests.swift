import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import Report

/// The list of devices.
@Suite struct DevicesReportTests {
  @Test("what a stranger wrote cannot move the cursor; who has left is not listed") func escapes() throws {
    let fixture = try StoreFixture()
    let now = fixture.clock.wallNow()
    func device(_ name: String, _ platform: String, _ state: DeviceState) -> DeviceRecord {
      DeviceRecord(name: name, platform: platform, service: "fcm.googleapis.com", joinedAt: now, state: state)
    }
    try fixture.store.set(
      devices: [
        device("reception", "\u{1B}[2J\u{7}evil\r\n", .active), device("lobby", "Safari", .paused),
      ], at: now)
    let reader = try fixture.reader()
    defer { reader.close() }
    let lines = try DevicesReport.list(reader, at: now)
    #expect(lines.count == 3, "\(lines)")
    #expect(lines.joined().unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(lines)")
    #expect(lines[1].hasPrefix("lobby") && lines[1].contains("never"))
    try fixture.store.set(devices: [device("lobby", "Safari", .active)], at: now)
    let later = try DevicesReport.list(reader, at: now)
    #expect(later.count == 2 && later[1].hasPrefix("lobby"))
    try fixture.store.set(devices: [], at: now)
    #expect(
      try DevicesReport.list(reader, at: now) == ["no devices yet: pushscope invite NAME lets one join"])
  }
}
