import HTTPServer
import HTTPTestKit
import Measurement
import TestKit
import Testing

@testable import Configuration
@testable import LoopbackService

@Suite struct RemoteLinkTests {
  @Test func aSkewedClockIsAheadAndRunsFast() {
    let origin = ClockAnchor(
      monotonic: MonotonicTime(nanoseconds: 1_000_000_000),
      wall: WallTime(microseconds: 1_700_000_000_000_000))
    func shows(_ device: RemoteDevice, after passed: Duration) -> Int64 {
      SkewedClock(device, startedAt: origin).nanoseconds(at: origin.monotonic + passed)
        - 1_700_000_000_000_000_000
    }
    #expect(shows(RemoteDevice(), after: .seconds(10)) == 10_000_000_000)
    #expect(shows(RemoteDevice(skew: .seconds(-90)), after: .zero) == -90_000_000_000)
    #expect(
      shows(RemoteDevice(skew: .seconds(5), drift: 200), after: .seconds(10)) == 15_000_000_000 + 2_000_000)
    #expect(shows(RemoteDevice(drift: -40), after: .seconds(100)) == 100_000_000_000 - 4_000_000)
  }

  @Test func stampsWithItsOwnClockAndTellsNoBoot() async throws {
    let listener = TestReceiptListener()
    try await withReceiptListener(listener) { destination in
      let directory = try TemporaryDirectory()
      let server = try await LoopbackServer.start(
        LoopbackOptions(
          port: 0, credentialsDirectory: directory.path, scenario: Scenario(), receipts: destination,
          device: "far", remote: RemoteDevice(skew: .seconds(3600), delay: .milliseconds(30)),
          scriptCapacity: 100
        ))
      let client = H2Client(port: server.port, authorityFile: server.credentials.authorityFile)
      let before = SystemClock().wallNow().microseconds / 1000
      _ = try await client.run(
        "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(0)), {\"until\": {\"done\": 1}}]")
      await server.settle(within: .seconds(20))
      let receipt = try #require(listener.receipts.first)
      #expect(listener.receipts.count == 1)
      #expect(receipt.device == "far")
      #expect(receipt.boot_id == nil && receipt.monotonic_ns == nil)
      #expect(receipt.received_at_ms >= before + 3_600_030)
      // The listener does not tell the time, and gets the receipt all the same.
      #expect(listener.paths == ["/v1/clock", "/v1/receipts"])
      let receptions = await server.script().compactMap {
        if case .reception(let reception) = $0 { reception } else { nil }
      }
      #expect(receptions.map(\.id) == [LoopbackFixture.id(0)])
      #expect(receptions.first.map { $0.deviceTime.microseconds / 1000 } == receipt.received_at_ms)
      await server.shutdown(within: .milliseconds(100))
    }
  }
}
