import HTTPClient
import Measurement
import Providers
import Synchronization
import Threads
import Transport

/// Subscribes to a target's notifications on a connection and a thread of its own. Each one that comes back becomes a receipt
/// stamped by this host's clock: delivery latency without a device and without clock error.
///
/// The subscription is open before the first notification is sent.
final class Subscriber: Sendable {
  struct Subject: Sendable {
    var target: TargetID
    /// The target's name, which receipts give as the device.
    var name: String
    var service: any SubscribableService
    var authenticator: ReceiptAuthenticator
    var caFile: String?
    /// This host's boot, by whose clock receipts are stamped.
    var bootID: String
    var seed: UInt64
  }

  private struct State {
    var isStopping = false
    var isOpen = false
    var onChange: (@Sendable (_ isOpen: Bool) -> Void)?
    /// Whether it rests between two connections, and is ready for ``hurry()``.
    var isResting = false
    var isHurried = false
    /// Receipts that were passed to the sink and are not stored yet.
    var unstored = 0
  }

  let subject: Subject
  let clock: any HostClock
  /// How long the server may take to open the subscription.
  let timeout: Duration
  let sink: any ReceiptSink
  let post: @Sendable ([Observation]) -> Void
  private let state = Mutex(State())
  private let firstOpen = FirstResult<Void, CollectorError>()
  /// Raised when the state has changed.
  let wake: WakeSignal

  /// Starts to subscribe.
  /// - Parameters:
  ///   - timeout: how long the server may take to open the subscription, and how long ``opened()`` waits.
  ///   - sink: takes receipts, on the subscriber's thread.
  ///   - post: takes events and log lines, on the same thread.
  /// - Throws: ``ThreadError``; `TransportError` when libcurl cannot be set up.
  init(
    _ subject: Subject, clock: any HostClock, timeout: Duration, sink: any ReceiptSink,
    post: @escaping @Sendable ([Observation]) -> Void
  ) throws {
    guard CurlLibrary.isReady else {
      throw TransportError(.system, target: subject.target, "libcurl could not be set up")
    }
    wake = try WakeSignal()
    self.subject = subject
    self.clock = clock
    self.timeout = timeout
    self.sink = sink
    self.post = post
    try DedicatedThread.start(name: "subscriber") { [self] in
      SubscriptionLoop(self).run()
    }
  }

  /// Waits until the server has opened the subscription.
  /// - Throws: ``CollectorError`` when it has not in time, or refuses.
  func opened() async throws(CollectorError) { try await firstOpen.value() }

  /// Ends the subscription, and ``opened()`` with an error. What was received is passed on first.
  func stop() {
    // The closure may own whoever calls this: it is released outside the lock.
    _ = state.withLock { state in
      defer { state.onChange = nil }
      state.isStopping = true
      return state.onChange
    }
    wake.raise()
    finishFirstOpen(
      .failure(
        CollectorError(
          .unreachable, "stopped before the subscription of target \(subject.name) was established")))
  }

  /// Passes on whether the subscription is open, now and whenever that changes.
  /// - Parameter observe: called on the subscriber's thread too; must not call back.
  func onChange(_ observe: @escaping @Sendable (_ isOpen: Bool) -> Void) {
    state.withLock { state in
      state.onChange = observe
      observe(state.isOpen)
    }
  }

  func record(isOpen: Bool) {
    state.withLock { state in
      guard state.isOpen != isOpen else { return }
      state.isOpen = isOpen
      state.onChange?(isOpen)
    }
  }

  /// Ends the wait before the next connection, because the target's sender has just reached the service; a wait that the
  /// service asked for is not shortened. Works once between two connections that lasted.
  func hurry() {
    state.withLock { state in
      guard state.isResting, !state.isHurried else { return }
      state.isHurried = true
      wake.raise()
    }
  }

  func beginRest() { state.withLock { $0.isResting = true } }

  /// Whether ``hurry()`` was called since the last call of this.
  func consumeHurry() -> Bool {
    state.withLock { state in
      guard state.isHurried else { return false }
      state.isHurried = false
      wake.clear()
      return true
    }
  }

  func endRest() {
    state.withLock { $0.isResting = false }
    _ = consumeHurry()
  }

  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Whether so many receipts wait for the store that nothing more is to be read: who can publish can send copies of
  /// our messages without end, whose MAC is valid.
  var isFull: Bool { state.withLock { $0.unstored > Self.maximumUnstored } }

  private static let maximumUnstored = 4096

  func pass(_ receipts: [ArrivedReceipt], onStored: @escaping @Sendable (Bool) -> Void) {
    state.withLock { $0.unstored += receipts.count }
    sink.receive(receipts) { [weak self] outcome in
      self?.state.withLock { $0.unstored -= receipts.count }
      onStored(outcome.failed == 0)
    }
  }

  func finishFirstOpen(_ result: Result<Void, CollectorError>) { firstOpen.finish(result) }
}
