import HTTPServer
import HTTPTestKit
import Measurement
import NIOCore
import NIOPosix
import TestKit
import TestTraits
import Testing

@testable import Configuration
@testable import LoopbackService

@Suite(.ownThread) struct ReceiptPosterTests {
  private static let scenario = Scenario(deliveries: DeliveryBehavior(delay: .constant(.milliseconds(1))))

  @Test func keepsReceiptsWhileTheCollectorIsAway() async throws {
    let listener = TestReceiptListener(isAway: true)
    try await withReceiptListener(listener) { destination in
      try await withLoopback(Self.scenario, receipts: destination) { fixture in
        _ = try await fixture.pushAll(250)
        try await eventually { await fixture.server.statistics().receipts.retries > 2 }
        let before = await fixture.server.statistics()
        #expect(before.deliveries == 250)
        #expect(before.receipts.posted == 0)
        listener.comeBack()
        await fixture.server.settle(within: .seconds(20))
        #expect(listener.receipts.map(\.id).sorted() == (0..<250).map(LoopbackFixture.id))
        #expect(await fixture.server.statistics().receipts.dropped == 0)
      }
    }
  }

  @Test func keepsTryingWhereNobodyListens() async throws {
    let directory = try TemporaryDirectory()
    let destination = ReceiptDestination(
      endpoint: Endpoint(scheme: .https, host: "127.0.0.1", port: 1), authorityFile: directory.file("ca.pem"))
    try await withLoopback(Self.scenario, receipts: destination) { fixture in
      _ = try await fixture.pushAll(3)
      try await eventually { await fixture.server.statistics().receipts.retries > 1 }
      let statistics = await fixture.server.statistics().receipts
      #expect(statistics.queued == 3)
      #expect(statistics.dropped == 0)
    }
  }

  @Test func waitsAsLongAsItIsAskedTo() async throws {
    let listener = TestReceiptListener(refusals: [TestReceiptListener.wait(seconds: 1)])
    try await withReceiptListener(listener) { destination in
      try await withLoopback(Self.scenario, receipts: destination) { fixture in
        _ = try await fixture.pushAll(5)
        await fixture.server.settle(within: .seconds(20))
        #expect(Set(listener.receipts.map(\.id)).count == 5)
        let instants = listener.instants
        let first = try #require(instants.first)
        // Batches that were under way when the first was refused come in the meantime; it comes again after a second.
        #expect(instants.last.map { $0 - first >= .milliseconds(990) } ?? false)
      }
    }
  }

  /// What is at the device is reported before the service ends; what is still on its way is not waited for.
  @Test func reportsBeforeTheEnd() async throws {
    let listener = TestReceiptListener()
    try await withReceiptListener(listener) { destination in
      var scenario = Self.scenario
      scenario.freezes = [ScenarioWindow(from: .milliseconds(300), length: .seconds(3600))]
      let fixture = try await LoopbackFixture(scenario, receipts: destination)
      _ = try await fixture.h2.run(
        "[{\"until\": {\"max_streams\": 1}}, \(LoopbackFixture.push(0)), {\"until\": {\"max_streams\": 1000}},"
          + " {\"until\": {\"idle_ms\": 400}}, \(LoopbackFixture.push(1)), {\"until\": {\"idle_ms\": 50}}]")
      await fixture.server.shutdown(within: .seconds(5))
      #expect(listener.receipts.map(\.id) == [LoopbackFixture.id(0)])
    }
  }

  @Test func comesBackAfterServerErrors() async throws {
    let listener = TestReceiptListener(refusals: [HTTPResponse(status: 503), HTTPResponse(status: 500)])
    try await withReceiptListener(listener) { destination in
      try await withLoopback(Self.scenario, receipts: destination) { fixture in
        _ = try await fixture.pushAll(3)
        await fixture.server.settle(within: .seconds(20))
        #expect(Set(listener.receipts.map(\.id)).count == 3)
        #expect(await fixture.server.statistics().receipts.retries >= 2)
      }
    }
  }

  @Test func doesNotRepeatWhatIsTurnedAway() async throws {
    let listener = TestReceiptListener(refusals: [
      HTTPResponse(status: 401, json: "{\"error\":\"wrong mac\"}")
    ])
    try await withReceiptListener(listener) { destination in
      try await withLoopback(Self.scenario, receipts: destination) { fixture in
        _ = try await fixture.pushAll(1, waitingFor: 1)
        await fixture.server.settle(within: .seconds(20))
        let statistics = await fixture.server.statistics().receipts
        #expect(statistics.rejected == 1)
        #expect(statistics.posted == 0)
        #expect(listener.receipts.isEmpty)
      }
    }
  }

  @Test func trustsNobodyElsesCertificate() async throws {
    let listener = TestReceiptListener()
    let elsewhere = try TemporaryDirectory()
    let other = try LocalAuthority.credentials(in: elsewhere.path, now: SystemClock().wallNow())
    try await withReceiptListener(listener) { destination in
      let wrong = ReceiptDestination(endpoint: destination.endpoint, authorityFile: other.authorityFile)
      try await withLoopback(Self.scenario, receipts: wrong) { fixture in
        _ = try await fixture.pushAll(3)
        try await eventually { await fixture.server.statistics().receipts.retries > 1 }
        #expect(await fixture.server.statistics().receipts.posted == 0)
        #expect(listener.receipts.isEmpty)
      }
    }
  }

  @Test func forgetsTheOldestWhenThereIsNoEnd() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let eventLoop = group.next()
    let statistics = try await eventLoop.submit {
      let poster = ReceiptPoster(
        destination: ReceiptDestination(
          endpoint: Endpoint(scheme: .https, host: "127.0.0.1", port: 1), authorityFile: nil),
        device: "d", bootID: nil, seed: 1, eventLoop: eventLoop, capacity: 1000)
      for number in 0..<1500 {
        poster.add(
          DeviceReceipt(
            id: "\(number)", mac: "m", receivedAt: WallTime(microseconds: 0), receivedMonotonic: .zero))
      }
      defer { poster.close() }
      return poster.statistics
    }.get()
    #expect(statistics.queued == 1500)
    #expect(statistics.dropped == 500)
    try await group.shutdownGracefully()
  }

  @Test func escapesWhatItDidNotMake() {
    let encoder = ReceiptEncoder(device: "a\"b\\c\u{1}é", bootID: "boot")
    let body = encoder.body([
      DeviceReceipt(
        id: "i", mac: "m", receivedAt: WallTime(microseconds: 1_234_567),
        receivedMonotonic: MonotonicTime(nanoseconds: 9))
    ])
    #expect(
      body
        == #"{"receipts":[{"id":"i","mac":"m","received_at_ms":1234,"device":"a\"b\\c\u0001é","boot_id":"boot","monotonic_ns":9}]}"#
    )
  }
}
