import Measurement
import Providers
import Synchronization

/// Keeps the credentials of a run's targets fresh, on a thread of its own: tokens are signed or fetched before the first
/// notification and renewed ahead of their end, so no notification ever waits for one.
final class CredentialRenewer: Sendable {
  private struct State {
    /// In the order of the answers; the registry has not seen them.
    var feedback: [CredentialFeedback] = []
    var isStopping = false
    var replace: (@Sendable (CredentialedProviders, TargetID) -> Void)?
    var tryAgain: (@Sendable (TargetID) -> Void)?
    /// The newest providers of each target.
    var providers: [TargetID: CredentialedProviders] = [:]
    var first: FirstRound = .waiting(nil)
  }

  private enum FirstRound {
    case waiting(CheckedContinuation<[MissingCredential], any Error>?)
    case done(Result<[MissingCredential], any Error>)
  }

  private let state = Mutex(State())
  private let wake = WakeSignal()

  /// Begins to make the first ones.
  /// - Parameters:
  ///   - patience: how long the first ones are waited for.
  ///   - post: takes events and log lines, on the keeper's thread.
  init(
    _ items: [CredentialRegistry.Item], clock: any HostClock, seed: UInt64, patience: Duration,
    post: @escaping @Sendable ([Observation]) -> Void
  ) {
    guard !items.isEmpty else {
      state.withLock { $0.first = .done(.success([])) }
      return
    }
    DedicatedThread.start(name: "credentials") { [self] in
      let book = CredentialRegistry(
        items, clock: clock, seed: seed, replace: { [self] in take($0, of: $1) },
        tryAgain: { [self] target in state.withLock { $0.tryAgain }?(target) }, post: post)
      run(book, clock: clock, patience: patience)
    }
  }

  /// Waits for the first credential of every target, but no longer than its patience lasts.
  /// - Throws: ``CollectorError`` when one will never come.
  func first() async throws -> InitialCredentials {
    typealias Waiter = CheckedContinuation<[MissingCredential], any Error>
    let missing = try await withCheckedThrowingContinuation { (waiter: Waiter) in
      let done: Result<[MissingCredential], any Error>? = state.withLock { state in
        if case .done(let result) = state.first { return result }
        state.first = .waiting(waiter)
        return nil
      }
      if let done { waiter.resume(with: done) }
    }
    return InitialCredentials(
      providers: state.withLock { $0.providers.mapValues(\.providers) }, missing: missing)
  }

  /// Tells of the credentials that are in use, and of every later one.
  /// - Parameters:
  ///   - replace: called on the keeper's thread; must not call back.
  ///   - tryAgain: told that a target is to try the credential that was refused once more; the same holds.
  func onRenewal(
    _ replace: @escaping @Sendable (CredentialedProviders, TargetID) -> Void,
    tryAgain: @escaping @Sendable (TargetID) -> Void = { _ in }
  ) {
    // What was renewed between the first round and now is told at once; under the lock, so that none overtakes another.
    state.withLock { state in
      state.replace = replace
      state.tryAgain = tryAgain
      for (target, providers) in state.providers { replace(providers, target) }
    }
  }

  /// Takes what answers say of credentials. Called on the timing thread; does not block.
  func note(_ feedback: CredentialFeedback) {
    state.withLock { $0.feedback.append(feedback) }
    wake.raise()
  }

  /// Ends it; whoever waits for the first ones waits no longer.
  func stop() {
    // Who is told may hold whoever stops it: let go, but not under the lock.
    _ = state.withLock { state in
      defer { (state.replace, state.tryAgain) = (nil, nil) }
      state.isStopping = true
      return (state.replace, state.tryAgain)
    }
    wake.raise()
    finish(.failure(CollectorError(.credentials, "stopped before the first credentials came")))
  }

  private func take(_ providers: CredentialedProviders, of target: TargetID) {
    state.withLock { state in
      state.providers[target] = providers
      state.replace?(providers, target)
    }
  }

  private func run(_ book: CredentialRegistry, clock: any HostClock, patience: Duration) {
    let deadline = clock.monotonicNow() + patience
    while true {
      let rest = book.step()
      finishFirst(book, isLate: clock.monotonicNow() > deadline)
      wake.wait(atMost: rest)
      let (isStopping, feedback) = state.withLock { state in
        defer { state.feedback = [] }
        return (state.isStopping, state.feedback)
      }
      if isStopping { break }
      for entry in feedback { book.note(entry) }
    }
  }

  private func finishFirst(_ book: CredentialRegistry, isLate: Bool) {
    if book.isComplete {
      finish(.success([]))
    } else if let failure = book.finalFailure {
      finish(.failure(CollectorError(.credentials, failure)))
    } else if isLate {
      finish(.success(book.missing))
    }
  }

  private func finish(_ result: Result<[MissingCredential], any Error>) {
    let waiter: CheckedContinuation<[MissingCredential], any Error>? = state.withLock { state in
      guard case .waiting(let waiter) = state.first else { return nil }
      state.first = .done(result)
      return waiter
    }
    waiter?.resume(with: result)
  }
}
