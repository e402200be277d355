import CLinux
import Glibc
import Measurement
import Providers
import Synchronization

/// Listens to a topic on a connection and a thread of its own, and hands on each of our notifications that comes back
/// as a receipt on this host's clock: true delivery latency with no device and no error of clocks.
///
/// It opens before the first notification is sent, tells a dead connection by the keepalives that do not come, comes back,
/// and asks for what the server kept meanwhile.
final class NtfySubscriber: Sendable {
  struct Subject: Sendable {
    var target: TargetID
    /// The target's name, which stands in receipts as the device's.
    var name: String
    var subscription: NtfySubscription
    var authenticator: ReceiptAuthenticator
    var caFile: String?
    /// This host's boot, to which the stamps belong.
    var bootID: String
    /// No event for so long, keepalives included: the connection is dead, whatever else comes on it.
    var silence = NtfyDialect.keepaliveInterval * 2
    var seed: UInt64
  }

  private struct State {
    var isStopping = false
    var first: FirstOpen = .waiting(nil)
    var isOpen = false
    var tell: (@Sendable (_ isOpen: Bool) -> Void)?
    /// Between two connections, and ready to be hurried.
    var isResting = false
    var isHurried = false
    /// Receipts that were handed on and are not stored yet.
    var unstored = 0
  }

  private enum FirstOpen {
    case waiting(CheckedContinuation<Void, any Error>?)
    case done(Result<Void, any Error>)
  }

  let subject: Subject
  let clock: any HostClock
  /// How long an `open` may take.
  let patience: Duration
  let sink: any ReceiptSink
  let post: @Sendable ([Observation]) -> Void
  private let state = Mutex(State())
  /// Readable when there is something new in the state.
  let wake: Int32

  /// Begins to listen.
  /// - Parameters:
  ///   - patience: how long an `open` may take, and the first one is waited for.
  ///   - sink: takes receipts, on the subscriber's thread.
  ///   - post: takes events and log lines, on the same.
  init(
    _ subject: Subject, clock: any HostClock, patience: Duration, sink: any ReceiptSink,
    post: @escaping @Sendable ([Observation]) -> Void
  ) throws(TransportError) {
    wake = clinux_eventfd()
    guard wake >= 0, TimingThread.isLibraryReady else {
      throw TransportError(.system, target: subject.target, "no descriptor or library for a subscription")
    }
    self.subject = subject
    self.clock = clock
    self.patience = patience
    self.sink = sink
    self.post = post
    DedicatedThread.start(name: "subscriber") { [self] in
      NtfyConnectionLoop(self).run()
    }
  }

  deinit { close(wake) }

  /// Waits for the server's `open`.
  /// - Throws: ``CollectorError`` when it does not come in time, or the server refuses.
  func opened() async throws {
    try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
      let done: Result<Void, any Error>? = state.withLock { state in
        if case .done(let result) = state.first { return result }
        state.first = .waiting(waiter)
        return nil
      }
      if let done { waiter.resume(with: done) }
    }
  }

  /// Ends it; what was heard is handed on, and whoever waits for the first `open` waits no longer.
  func stop() {
    // Who is told may hold whoever stops it: let go, but not under the lock.
    _ = state.withLock { state in
      defer { state.tell = nil }
      state.isStopping = true
      return state.tell
    }
    rouse()
    finishFirst(
      .failure(
        CollectorError(
          .unreachable, "stopped before the subscription of target \(subject.name) was established")))
  }

  /// Told at once how it stands, and from then on whenever the stream opens or ends.
  /// - Parameter tell: called on the subscriber's thread too; must not call back.
  func onChange(_ tell: @escaping @Sendable (_ isOpen: Bool) -> Void) {
    state.withLock { state in
      state.tell = tell
      tell(state.isOpen)
    }
  }

  func note(isOpen: Bool) {
    state.withLock { state in
      guard state.isOpen != isOpen else { return }
      state.isOpen = isOpen
      state.tell?(isOpen)
    }
  }

  /// The service can be reached again, as somebody else has found: a subscription that waits before it tries again waits
  /// no longer than the service asked for. It can be hurried once, and again after a stream that held.
  func hurry() {
    state.withLock { state in
      guard state.isResting, !state.isHurried else { return }
      state.isHurried = true
      rouse()
    }
  }

  func beginRest() { state.withLock { $0.isResting = true } }

  /// - Returns: whether somebody has asked for haste since the last look.
  func takeHurry() -> Bool {
    state.withLock { state in
      guard state.isHurried else { return false }
      state.isHurried = false
      var count: UInt64 = 0
      _ = read(wake, &count, 8)
      return true
    }
  }

  func endRest() {
    state.withLock { $0.isResting = false }
    _ = takeHurry()
  }

  private func rouse() {
    var one: UInt64 = 1
    _ = write(wake, &one, 8)
  }

  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Whether the store is so far behind that nothing more is to be read: a topic may be flooded with copies of a message
  /// of ours, whose MAC is right.
  var isFull: Bool { state.withLock { $0.unstored > Self.mostUnstored } }

  private static let mostUnstored = 4096

  func handOn(_ receipts: [ArrivedReceipt]) {
    state.withLock { $0.unstored += receipts.count }
    sink.receive(receipts) { [weak self] _ in
      self?.state.withLock { $0.unstored -= receipts.count }
    }
  }

  func finishFirst(_ result: Result<Void, any Error>) {
    let waiter: CheckedContinuation<Void, any Error>? = state.withLock { state in
      guard case .waiting(let waiter) = state.first else { return nil }
      state.first = .done(result)
      return waiter
    }
    waiter?.resume(with: result)
  }
}
