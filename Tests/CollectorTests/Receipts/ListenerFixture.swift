import Configuration
import Foundation
import HTTPServer
import HTTPTestKit
import Measurement
import Providers
import Synchronization
import TestKit

@testable import Collector

/// A sink that keeps what it gets, and replies at once or when the test says so.
final class TestSink: ReceiptSink {
  struct State: Sendable {
    var received: [ArrivedReceipt] = []
    var exchanges: [DeviceExchange] = []
    var refusals: [ReceiptRefusal] = []
    var handshakes: [HandshakeFailure] = []
    var waiting: [@Sendable (ReceiptOutcome) -> Void] = []
  }

  private let state = Mutex(State())
  private let repliesAtOnce: Bool

  init(repliesAtOnce: Bool) {
    self.repliesAtOnce = repliesAtOnce
  }

  func receive(
    _ receipts: [ArrivedReceipt], exchanges: [DeviceExchange],
    reply: @escaping @Sendable (ReceiptOutcome) -> Void
  ) {
    state.withLock { state in
      state.received += receipts
      state.exchanges += exchanges
      if !repliesAtOnce { state.waiting.append(reply) }
    }
    if repliesAtOnce { reply(ReceiptOutcome(accepted: receipts.count)) }
  }

  func refused(_ refusal: ReceiptRefusal) { state.withLock { $0.refusals.append(refusal) } }

  func handshakeFailed(_ failure: HandshakeFailure, from source: String) {
    state.withLock { $0.handshakes.append(failure) }
  }

  var received: [ArrivedReceipt] { state.withLock { $0.received } }

  var exchanges: [DeviceExchange] { state.withLock { $0.exchanges } }

  var refusals: [ReceiptRefusal] { state.withLock { $0.refusals } }

  /// Replies to the batch that has waited longest.
  func reply(_ outcome: ReceiptOutcome) {
    let reply = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    reply?(outcome)
  }

  /// Waits until something holds.
  func until(_ condition: (State) -> Bool) async throws {
    try await eventually(within: .seconds(120)) { condition(state.withLock { $0 }) }
  }
}

/// A clock that stands still until it is stepped.
final class FrozenClock: HostClock {
  private let now = Mutex(MonotonicTime(microseconds: 1_000_000))

  func monotonicNow() -> MonotonicTime { now.withLock { $0 } }

  func wallNow() -> WallTime { WallTime(microseconds: 1_700_000_000_000_000) }

  func suspendedTotal() -> Duration { .zero }

  func step(_ duration: Duration) { now.withLock { $0 = $0 + duration } }
}

/// A listener of a test's own, and receipts that it will believe.
final class ListenerFixture: Sendable {
  static let authenticator = ReceiptAuthenticator(
    secret: Array("0123456789abcdef0123456789abcdef".utf8),
    collectorID: UUID(uuidString: "6ba7b810-9dad-41d1-80b4-00c04fd430c8") ?? UUID())

  let sink: TestSink
  private let listener: ReceiptListener
  private let credentials: LocalCredentials
  private let directory: TemporaryDirectory

  init(
    repliesAtOnce: Bool = true, clock: any HostClock = SystemClock(), devices: DeviceRegistry? = nil,
    configure: (inout ReceiptListenerOptions) -> Void = { _ in }
  ) async throws {
    directory = try TemporaryDirectory()
    credentials = try LocalAuthority.credentials(in: directory.path, now: SystemClock().wallNow())
    sink = TestSink(repliesAtOnce: repliesAtOnce)
    var options = ReceiptListenerOptions(
      .init(
        address: ListenAddress(host: "127.0.0.1", port: 0), certificateFile: credentials.certificateFile,
        keyFile: credentials.keyFile))
    configure(&options)
    listener = try await ReceiptListener.start(
      options, authenticator: Self.authenticator, clock: clock, devices: devices)
    listener.pass(to: sink)
  }

  var port: Int { listener.port ?? 0 }
  var plainPort: Int { listener.plainPort ?? 0 }
  /// Ends the passing of receipts, as between runs.
  func endRun() { listener.pass(to: nil) }
  var authorityFile: String { credentials.authorityFile }

  var curl: Curl { Curl(port: port, authorityFile: credentials.authorityFile) }

  func id(_ sequence: Int) -> NotificationID {
    let run = RunID(uuid: UUID(high: 0x0193_B1A0_0000_7000, low: 0x8000_0000_0000_1234))
    return NotificationID(
      run: run, sample: SampleID(target: TargetID(rawValue: 1), sequence: Int64(sequence)))
  }

  func mac(_ id: NotificationID) -> String { Self.authenticator.mac(for: id) }

  /// A receipt as JSON.
  func receipt(
    _ id: NotificationID, _ rest: String = #""device":"d","received_at_ms":1"#, mac: String? = nil
  ) -> String {
    "{\"id\":\"\(id)\",\"mac\":\"\(mac ?? self.mac(id))\",\(rest)}"
  }

  func post(_ receipts: [String], _ version: Curl.Version = .http2) async throws -> Curl.Answer {
    try await curl.ask("/v1/receipts", version, body: "{\"receipts\":[\(receipts.joined(separator: ","))]}")
  }

  func shutdown() async { await listener.shutdown(within: .milliseconds(100)) }
}

/// Runs a test against a listener of its own and takes it down after.
func withListener(
  repliesAtOnce: Bool = true, clock: any HostClock = SystemClock(),
  configure: (inout ReceiptListenerOptions) -> Void = { _ in }, _ body: (ListenerFixture) async throws -> Void
) async throws {
  let fixture = try await ListenerFixture(repliesAtOnce: repliesAtOnce, clock: clock, configure: configure)
  do {
    try await body(fixture)
  } catch {
    await fixture.shutdown()
    throw error
  }
  await fixture.shutdown()
}
