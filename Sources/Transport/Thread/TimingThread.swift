import CLinux
import HTTPClient
import Measurement
import Providers
import Synchronization
import Threads

/// Sends a run's notifications on time, on a thread of its own, and tells what it saw.
///
/// One thread for all targets: it plans each target's schedule ahead, waits for the plan's blocks to be committed, sends
/// at the planned instants through libcurl and stamps what leaves and what comes back. It ends by itself when every
/// target's count or duration is reached, or after ``stop(draining:)``.
public final class TimingThread: Sendable {
  private let run: RunID
  private let targets: [TransportTarget]
  private let clock: any HostClock
  private let onCredential: @Sendable (CredentialFeedback) -> Void
  private let sink: @Sendable ([Observation]) -> Void
  private let mailbox: TimingMailbox
  private let staysOpen: Bool
  private let hasStarted = Mutex(false)

  /// Checks what can be checked before anything is sent.
  /// - Parameters:
  ///   - staysOpen: whether it waits for further targets when it has none, or all have ended, until ``stop(draining:)``.
  ///   - clock: must be the kernel's CLOCK_MONOTONIC; the thread waits on the same one.
  ///   - onCredential: told what answers say of credentials that are renewed (``CredentialOwnership/kept``); called on the
  ///     timing thread, so it must not block.
  ///   - sink: takes what was seen, in order; called on the timing thread, so it must not block.
  public init(
    run: RunID, targets: [TransportTarget], staysOpen: Bool = false, clock: any HostClock = SystemClock(),
    onCredential: @escaping @Sendable (CredentialFeedback) -> Void = { _ in },
    sink: @escaping @Sendable ([Observation]) -> Void
  ) throws(TransportError) {
    guard CurlLibrary.isReady else { throw TransportError(.system, "libcurl could not be set up") }
    for target in targets { try target.check(run: run) }
    self.run = run
    self.targets = targets
    self.staysOpen = staysOpen
    self.clock = clock
    self.onCredential = onCredential
    self.sink = sink
    mailbox = try TimingMailbox()
  }

  /// Begins. The first notifications are planned 0.3 s later, so that their block can be committed in time.
  /// - Parameter onEnd: called on the timing thread as the last thing it does.
  public func start(onEnd: @escaping @Sendable () -> Void = {}) throws(TransportError) {
    let isFirst = hasStarted.withLock { started in
      defer { started = true }
      return !started
    }
    guard isFirst else { return }
    // Made here so that a lack of descriptors is told to the caller.
    let loop = try TimingLoop(
      run: run, targets: targets, staysOpen: staysOpen, clock: clock, mailbox: mailbox,
      onCredential: onCredential, sink: sink)
    do throws(ThreadError) {
      try DedicatedThread.start(name: "timing") {
        _ = clinux_set_timer_slack(1)
        loop.run()
        onEnd()
      }
    } catch {
      throw TransportError(.system, error.message)
    }
  }

  /// A target's plan is in the store up to and including this sequence number; what of it is due may be sent.
  /// - Parameter generation: of the block (``PlannedBlock/generation``).
  public func committed(_ target: TargetID, through sequence: Int64, generation: Int = 0) {
    let key = TimingMailbox.Commands.Key(target: target, generation: generation)
    mailbox.leave { $0.committed[key] = max(sequence, $0.committed[key] ?? 0) }
  }

  /// Ends targets and begins others, or the same ones as something else: their sequence goes on, what is due of the former is
  /// sent and answered, and what it had planned for later is withdrawn. Others do not notice.
  ///
  /// - Throws: ``TransportError`` for a target that cannot be sent to; then nothing changes.
  public func change(ending: [TargetID], beginning: [TransportTarget]) throws(TransportError) {
    for target in beginning { try target.check(run: run) }
    mailbox.leave {
      $0.changes.append(TimingMailbox.Commands.TargetChange(ending: ending, beginning: beginning))
    }
  }

  /// Replaces the providers that a target sends by: they contain credentials, which grow old.
  ///
  /// - Parameter providers: as many as the target began with, in the order of its variants; others are ignored. Their
  ///   URLs and headers must be as usable as those that were checked at the start.
  /// - Parameter serial: which of the target's credentials they hold; given back with what answers tell of it. `nil` when
  ///   it is still the same one, so that a refusal of it stands.
  /// - Parameter generation: of the target's configuration (``TransportTarget/generation``).
  public func replaceProviders(
    _ providers: [any Provider], of target: TargetID, serial: Int? = nil, generation: Int = 0
  ) {
    mailbox.leave {
      let key = TimingMailbox.Commands.Key(target: target, generation: generation)
      $0.providers[key] = CredentialedProviders(providers: providers, serial: serial)
      if serial != nil { $0.trials.remove(key) }
    }
  }

  /// The credential that a target's provider refused is worth another try: one notification goes out, and more when it is
  /// taken.
  /// - Parameter generation: of the target's configuration (``TransportTarget/generation``).
  public func tryCredentialAgain(of target: TargetID, generation: Int = 0) {
    mailbox.leave {
      _ = $0.trials.insert(TimingMailbox.Commands.Key(target: target, generation: generation))
    }
  }

  /// A target's providers know something else of its receiver: requests that were made ahead are made anew.
  /// - Parameter isAnother: it is another receiver. A pause because the former one was unknown ends, and a credential that was
  ///   refused there is tried.
  /// - Parameter generation: of the target's configuration (``TransportTarget/generation``).
  public func updateReceiver(of target: TargetID, isAnother: Bool, generation: Int = 0) {
    mailbox.leave {
      let key = TimingMailbox.Commands.Key(target: target, generation: generation)
      $0.receivers[key] = isAnother || $0.receivers[key] == true
    }
  }

  /// The instant up to which planned notifications may have been sent, once no more will be: of a stop, or of the end of
  /// every target's plan. What was planned for later was never due.
  public var sendingEnded: MonotonicTime? { mailbox.sendingEnded }

  /// Ends the plan. What is due and unsent is missed (`stopping`), what is under way may be answered for so long; after
  /// that nothing more is told of it. Whatever is still planned when the thread ends was never due.
  public func stop(draining: Duration) {
    mailbox.leave { $0.stop = min(draining, $0.stop ?? draining) }
  }

  /// The latest statistics, not older than a quarter of a second while the thread runs.
  public var statistics: TimingStatistics { mailbox.latestStatistics }
}
