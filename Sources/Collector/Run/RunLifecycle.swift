import Configuration
import Measurement
import Store
import Synchronization
import Threads

/// How far a run is, and what ends it: ``stop()``, a recorder that has given up, or the end of sending.
///
/// Each of them may come at any time and from any thread, also before there is anything to end. What they end is passed in as
/// soon as it exists.
final class RunLifecycle: Sendable {
  /// How much longer than the last receipt deadline the run stays open, so that the receipt can be stored.
  private static let closingMargin = Duration.milliseconds(500)
  /// How long a failing last commit is retried, at least.
  private static let lastCommitRetry = Duration.seconds(5)
  /// How long it is retried after a run that came to its end by itself, at most.
  private static let longestRetry = Duration.seconds(15)

  private struct State {
    /// When ``RunLifecycle/stop()`` was called.
    var stopRequestedAt: MonotonicTime?
    var isStopRequested: Bool { stopRequestedAt != nil }
    /// The recorder has given up.
    var hasRecordingFailed = false
    var mayNotBegin: Bool { isStopRequested || hasRecordingFailed }
    /// The inbox of the run that is being recorded.
    var inbox: RecorderInbox?
    /// Those that the run waits for before it sends.
    var services: TargetServices?
    /// `nil` until it sends.
    var sending: Sending?
    /// Sending has ended; receipts may still arrive.
    var isClosing = false
    /// The longest timeout and receipt deadline of the targets so far.
    var longest = Longest()
  }

  /// How long what is under way may take.
  private struct Longest {
    var timeout = Duration.zero
    var receipt = Duration.zero

    mutating func add(_ targets: [TargetBuilder]) {
      timeout = max(timeout, targets.map(\.configuration.timeout).max() ?? .zero)
      receipt = max(receipt, targets.compactMap(\.configuration.receiptDeadline).max() ?? .zero)
    }
  }

  /// A run that sends, and the thread that sends for it.
  struct Sending: Sendable {
    let run: ActiveRun
    let thread: TimingThread
  }

  private let clock: any HostClock
  /// How long a stop waits for what is under way.
  private let drain: Duration
  private let state = Mutex(State())

  init(clock: any HostClock, drain: Duration) {
    self.clock = clock
    self.drain = drain
  }

  // MARK: Beginning

  /// The run is being recorded from now on.
  func open(_ inbox: RecorderInbox) { state.withLock { $0.inbox = inbox } }

  /// Takes the time limits of targets, at the beginning and whenever a reload begins some.
  func add(_ targets: [TargetBuilder]) { state.withLock { $0.longest.add(targets) } }

  /// Waits for the credentials and subscriptions that sending needs.
  /// - Returns: `nil` when the run was told to end meanwhile.
  func ready(_ services: TargetServices) async throws -> Readiness? {
    let mayNotBegin = state.withLock { state in
      state.services = services
      return state.mayNotBegin
    }
    if mayNotBegin { return nil }
    do {
      let readiness = try await services.ready()
      return state.withLock { $0.mayNotBegin } ? nil : readiness
    } catch {
      if state.withLock({ $0.mayNotBegin }) { return nil }
      throw error
    }
  }

  /// Starts to send, or ends at once if the run was told to end meanwhile.
  /// - Parameter onEnd: called when everything is sent.
  /// - Throws: ``ThreadError``, ``TransportError``.
  func start(_ sending: Sending, onEnd: @escaping @Sendable () -> Void) throws {
    let state = state.withLock { state in
      state.sending = sending
      return state
    }
    try sending.thread.start(onEnd: onEnd)
    if state.hasRecordingFailed {
      sending.thread.stop(draining: .zero)
    } else if state.isStopRequested {
      stop(sending.thread, state)
    }
  }

  // MARK: State

  /// `nil` until the run sends; stays when it has sent.
  var timing: TimingThread? { state.withLock { $0.sending?.thread } }

  /// What a reload may change; `nil` when the run does not send, or is told to end.
  var reloadable: Sending? { state.withLock { $0.isStopRequested || $0.isClosing ? nil : $0.sending } }

  /// Whether it sends as long as it can be recorded.
  var isSending: Bool {
    state.withLock { $0.sending != nil && !$0.isClosing && !$0.mayNotBegin }
  }

  // MARK: Ending

  /// Asks the run to end: nothing more is planned, what is under way is awaited, the run is closed. May be called more than
  /// once.
  func stop() {
    let now = clock.monotonicNow()
    let state: State? = state.withLock { state in
      guard state.stopRequestedAt == nil else { return nil }
      state.stopRequestedAt = now
      return state
    }
    guard let state else { return }
    if state.isClosing {
      announceStop(state)
      state.inbox?.close(by: now + drain, lastTry: now + max(drain, Self.lastCommitRetry))
    } else if let sending = state.sending {
      stop(sending.thread, state)
    } else {
      // The run still waits for a credential or a subscription.
      state.services?.stop()
    }
  }

  /// Ends the plan. Requests under way may still be answered, each within its timeout.
  private func stop(_ thread: TimingThread, _ state: State) {
    thread.stop(draining: min(state.longest.timeout, drain))
    announceStop(state)
  }

  private func announceStop(_ state: State) {
    let longest = max(state.longest.timeout, state.longest.receipt)
    state.inbox?.announce(RecorderInbox.Ending(reason: "told to stop", atMost: min(longest, drain)))
  }

  /// The recorder has given up: nothing more is sent.
  func recordingFailed() {
    let state = state.withLock { state in
      state.hasRecordingFailed = true
      return state
    }
    if let sending = state.sending {
      sending.thread.stop(draining: .zero)
    } else {
      state.services?.stop()
    }
  }

  /// Asks the recorder to close the run after the longest receipt deadline; after ``stop()``, within ``CollectorOptions/drain``.
  func close(_ inbox: RecorderInbox) -> RunEndReason {
    let now = clock.monotonicNow()
    let state = state.withLock { state in
      state.isClosing = true
      return state
    }
    let wasStopped = state.isStopRequested
    inbox.post([
      .event(Event(at: clock.wallNow(), kind: .runStopped, detail: wasStopped ? "stopped" : "completed"))
    ])
    if !wasStopped {
      inbox.announce(RecorderInbox.Ending(reason: "everything is sent", atMost: state.longest.receipt))
    }
    let receipts = now + state.longest.receipt + Self.closingMargin
    // A stop may take as long as it was given. A run that is complete ends soon, also on a full disk.
    let drained = state.stopRequestedAt.map { $0 + drain } ?? now + min(drain, Self.longestRetry)
    let deadline = wasStopped ? min(receipts, drained) : receipts
    inbox.close(by: deadline, lastTry: max(deadline + Self.lastCommitRetry, drained))
    return wasStopped ? .stopped : .completed
  }
}
