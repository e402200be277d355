import Measurement
import Providers
import Synchronization
import Threads
import Transport

/// Makes and renews the credentials of the targets that a configuration of a run begins, on the run's thread for that: tokens are
/// signed or fetched before the first notification and renewed before they expire, so that no notification waits for one.
final class CredentialRenewer: Sendable {
  private struct State {
    /// Feedback in the order of the answers, not yet passed to the registry.
    var feedback: [CredentialFeedback] = []
    /// Targets that do not use these credentials any more.
    var dropped: Set<TargetID> = []
    var isStopping = false
    var replace: (@Sendable (CredentialedProviders, TargetID) -> Void)?
    var tryAgain: (@Sendable (TargetID) -> Void)?
    /// The newest providers of each target.
    var providers: [TargetID: CredentialedProviders] = [:]
  }

  private let state = Mutex(State())
  private let thread: CredentialThread
  /// The targets that have no credential after the first round.
  private let firstRound = FirstResult<[MissingCredential], CollectorError>()

  /// Starts to make the first credentials.
  /// - Parameters:
  ///   - thread: of the run.
  ///   - timeout: how long the first round may take.
  ///   - post: takes events and log lines, on the renewer's thread.
  init(
    _ items: [CredentialRegistry.Item], on thread: CredentialThread, clock: any HostClock, seed: UInt64,
    firstSerial: Int = 0, timeout: Duration, post: @escaping @Sendable ([Observation]) -> Void
  ) throws(ThreadError) {
    self.thread = thread
    guard !items.isEmpty else {
      firstRound.finish(.success([]))
      return
    }
    try thread.add { [self] in
      let registry = CredentialRegistry(
        items, clock: clock, seed: seed, firstSerial: firstSerial, replace: { [self] in replace($0, of: $1) },
        tryAgain: { [self] target in state.withLock { $0.tryAgain }?(target) }, post: post)
      return Renewal(of: self, registry, clock: clock, deadline: clock.monotonicNow() + timeout)
    }
  }

  /// Renews on the thread, until the renewer is stopped or no target uses its credentials any more.
  private final class Renewal: CredentialThread.Work {
    private let renewer: CredentialRenewer
    private let registry: CredentialRegistry
    private let clock: any HostClock
    /// The deadline of the first round.
    private let deadline: MonotonicTime

    init(
      of renewer: CredentialRenewer, _ registry: CredentialRegistry, clock: any HostClock,
      deadline: MonotonicTime
    ) {
      (self.renewer, self.registry, self.clock, self.deadline) = (renewer, registry, clock, deadline)
    }

    func step() -> Duration? {
      let news = renewer.nextWork()
      if news.isStopping { return nil }
      if !news.dropped.isEmpty { registry.drop(news.dropped) }
      for entry in news.feedback { registry.record(entry) }
      let rest = registry.isEmpty ? nil : registry.step()
      renewer.finishFirstRound(registry, isLate: clock.monotonicNow() > deadline)
      return rest
    }
  }

  private func nextWork() -> (isStopping: Bool, feedback: [CredentialFeedback], dropped: Set<TargetID>) {
    state.withLock { state in
      defer { state.feedback = [] }
      return (state.isStopping, state.feedback, state.dropped)
    }
  }

  /// Waits for the first credential of every target, at most for the timeout.
  /// - Throws: ``CollectorError`` when an issuer will never give one.
  func first() async throws(CollectorError) -> InitialCredentials {
    let missing = try await firstRound.value()
    return InitialCredentials(
      providers: state.withLock { $0.providers.mapValues(\.providers) }, missing: missing)
  }

  /// Passes on the credentials that are in use, and every later one.
  /// - Parameters:
  ///   - replace: called on the renewer's thread; must not call back.
  ///   - tryAgain: called when a target is to try its refused credential once more; the same holds.
  func onRenewal(
    _ replace: @escaping @Sendable (CredentialedProviders, TargetID) -> Void,
    tryAgain: @escaping @Sendable (TargetID) -> Void = { _ in }
  ) {
    // Under the lock, so that no renewal overtakes those since the first round.
    state.withLock { state in
      state.replace = replace
      state.tryAgain = tryAgain
      for (target, providers) in state.providers { replace(providers, target) }
    }
  }

  /// Nothing is renewed for these targets any more.
  func drop(_ targets: Set<TargetID>) {
    state.withLock { state in
      state.dropped.formUnion(targets)
      for target in targets { state.providers[target] = nil }
    }
    thread.wakeUp()
  }

  /// Queues what an answer says of a credential. Called on the timing thread; does not block.
  func record(_ feedback: CredentialFeedback) {
    state.withLock { $0.feedback.append(feedback) }
    thread.wakeUp()
  }

  /// Ends the renewal, and ``first()`` with an error.
  func stop() {
    // The closures may own whoever calls this: they are released outside the lock.
    _ = state.withLock { state in
      defer { (state.replace, state.tryAgain) = (nil, nil) }
      state.isStopping = true
      return (state.replace, state.tryAgain)
    }
    thread.wakeUp()
    firstRound.finish(
      .failure(CollectorError(.credentials, "stopped before the first credentials were made")))
  }

  private func replace(_ providers: CredentialedProviders, of target: TargetID) {
    state.withLock { state in
      guard !state.dropped.contains(target) else { return }
      state.providers[target] = providers
      state.replace?(providers, target)
    }
  }

  private func finishFirstRound(_ registry: CredentialRegistry, isLate: Bool) {
    if registry.isComplete {
      firstRound.finish(.success([]))
    } else if let failure = registry.finalFailure {
      firstRound.finish(.failure(CollectorError(.credentials, failure)))
    } else if isLate {
      firstRound.finish(.success(registry.missing))
    }
  }
}

/// What targets with credentials begin with.
struct InitialCredentials: Sendable {
  /// The providers of the targets that have a credential.
  var providers: [TargetID: [any Provider]] = [:]
  /// The targets whose issuer did not answer in time. It is asked again until it does.
  var missing: [MissingCredential] = []
}
