import Configuration
import Foundation
import Measurement
import Synchronization
import TestKit
import TestTraits
import Testing

@testable import Fleet

/// What `fleet status` reads from the engine.
@Suite(.ownThread, .enabled(if: TestEngine.isUsable)) struct StatusTests {
  /// A clock on which everything that is asked for takes two minutes.
  private final class SlowClock: HostClock {
    private let isAfter = Mutex(false)

    func wallNow() -> WallTime {
      let isLater = isAfter.withLock { isAfter in
        defer { isAfter = true }
        return isAfter
      }
      return SystemClock().wallNow().advanced(byMicroseconds: isLater ? 60_000_000 : -60_000_000)
    }

    func monotonicNow() -> MonotonicTime { SystemClock().monotonicNow() }
    func suspendedTotal() -> Duration { .zero }
  }

  @Test func theTimeThatAQueryTakesIsNoDifferenceOfClocks() throws {
    let engine = try TestEngine()
    try engine.setUp()
    let status = try FleetStatus.fetch(engine.configuration, clock: SlowClock())
    #expect(status.clockDifference.magnitude < .seconds(50))
    #expect(abs(status.now.microseconds - SystemClock().wallNow().microseconds) < 100_000_000)
  }

  @Test(
    arguments: [
      (2_900, "its clock 2.90 ms ahead of this host's"), (-109_000, "its clock 109 ms behind this host's"),
      (-400, "its clock 400 µs behind this host's"),
    ] as [(Int64, String)])
  func whichClockIsAhead(difference: Int64, text: String) {
    let status = FleetStatus(
      id: "", engine: "", now: WallTime(microseconds: 0), clockDifference: .microseconds(difference),
      collectors: [])
    #expect(status.clockText == text)
  }

  /// The identity is as asked for, and nothing else.
  @Test func anAnswerThatIsNotAsAskedIsRefused() throws {
    let server = try FixedAnswer("\(FleetSchema.version)\tfleet\t24.8.1.1\n")
    let error = #expect(throws: FleetError.self) { try FleetStatus.fetch(server.fleet) }
    #expect(error?.code == .refused && error?.remedy.contains("fleet.url") == true, "\(error as Any)")
  }

  /// The writer may not read what reports need.
  @Test func nothingIsReadAsTheWriter() throws {
    let fleet = FleetConfiguration(
      urls: [Endpoint(scheme: .http, host: "127.0.0.1", port: try FreePort.take())],
      writer: .init(name: "w"))
    for read in [
      { _ = try FleetStatus.fetch(fleet) }, { _ = try FleetReader(fleet, FleetSelection()) },
    ] as [() throws -> Void] {
      let error = #expect(throws: FleetError.self) { try read() }
      #expect(error?.code == .denied)
      #expect(error?.detail.contains("fleet.reader is not configured") == true, "\(error as Any)")
      #expect(error?.remedy.hasPrefix("add fleet.reader") == true, "\(error as Any)")
    }
  }
}
