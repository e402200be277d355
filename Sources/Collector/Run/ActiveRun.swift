import Configuration
import Measurement
import Providers
import Store
import Synchronization
import Threads
import Transport

/// A run that is in the store: what it sends to at present, which a reload changes.
final class ActiveRun: Sendable {
  private struct State {
    var targets: ActiveTargets
    /// Names of every target so far, also of those that have ended: the log may still speak of them.
    var names: [TargetID: String]
    /// The secret of the MACs in notifications; `nil` where there are none.
    var secret: [UInt8]?
  }

  let parts: RunParts
  /// The services of the targets' present and former configurations.
  let services = ServiceList()
  private let state: Mutex<State>

  /// - Parameters:
  ///   - targets: as the store has registered them.
  ///   - secret: of the MACs in notifications; `nil` where there are none.
  init(_ parts: RunParts, targets: [ActiveTargets.Entry], secret: [UInt8]?) {
    self.parts = parts
    state = Mutex(
      State(
        targets: ActiveTargets(targets),
        names: Dictionary(uniqueKeysWithValues: targets.map { ($0.id, $0.target.configuration.name) }),
        secret: secret))
  }

  var id: RunID { parts.run }
  var entries: [ActiveTargets.Entry] { state.withLock { $0.targets.entries } }
  func name(of target: TargetID) -> String? { state.withLock { $0.names[target] } }

  /// The secret of the MACs in notifications; `nil` where there are none.
  var secret: [UInt8]? { state.withLock { $0.secret } }
  /// The hash of the key of a target's device; `nil` for a target of no device that joined.
  func deviceKeyHash(of target: TargetID) -> String? {
    state.withLock { $0.targets.entries.first { $0.id == target }?.target.configuration.joined?.keyHash }
  }

  /// Checks the receipts of this run's notifications; `nil` where they have no MAC.
  var authenticator: ReceiptAuthenticator? {
    state.withLock { $0.secret }.map(parts.authenticator(secret:))
  }

  // MARK: Reload

  /// Goes on with another configuration: what it changed drains and goes on as what it is now, in this run. What can be wrong
  /// with it was found by ``RunPreparation``, but for what only a token endpoint or a subscription can say.
  ///
  /// - Parameters:
  ///   - thread: sends for this run.
  ///   - control: takes the time limits of the targets that begin.
  /// - Returns: what changed, for people.
  /// - Throws: `StoreError`, `ThreadError`, ``CollectorError``, `TransportError`: the run goes on as it was, and its record says
  ///   nothing else.
  func reload(
    _ preparation: RunPreparation, _ thread: TimingThread, _ control: RunCoordinator
  ) async throws -> [String] {
    let (targets, former) = state.withLock { ($0.targets, $0.secret) }
    let secret = preparation.signingSecret(
      after: former, store: parts.environment.options.storePath)
    let isSecretNew = secret != former
    let changes = targets.changes(to: preparation.targets, isSecretNew: isSecretNew)
    var words = changes.words
    if isSecretNew { words.append("the receipts' secret") }
    if !changes.isEmpty {
      try await change(targets, changes, secret.map(parts.authenticator(secret:)), thread, control)
      state.withLock { $0.secret = secret }
    }
    return words
  }

  /// All that can fail comes before the first thing that changes.
  private func change(
    _ former: ActiveTargets, _ changes: TargetChanges, _ authenticator: ReceiptAuthenticator?,
    _ thread: TimingThread, _ control: RunCoordinator
  ) async throws {
    let (store, environment) = (parts.store, parts.environment)
    let descriptions = (changed: changes.changed.map(\.description), added: changes.added.map(\.description))
    let planned = try store.plannedTargets(
      of: id, changed: descriptions.changed, added: descriptions.added)
    var targets = former
    let begun = targets.apply(changes, planned)
    let buffer = ObservationBuffer { [inbox = parts.inbox] in inbox.post($0) }
    let new = try parts.services(
      of: begun, authenticator: authenticator, generation: targets.generation, buffer: buffer)
    do {
      // The former configuration sends on until the next one can.
      let readiness = try await new.ready()
      let transports = try parts.transportTargets(
        of: begun, authenticator: authenticator, readiness: readiness)
      for transport in transports { try transport.check(run: id) }
      let known = try parts.ledgerTargets(begun)
      _ = try store.changeTargets(
        of: id, changed: descriptions.changed, added: descriptions.added, at: environment.clock.wallNow())
      parts.inbox.post(known)
      environment.observer?.began(
        ObservedRun(
          id: id,
          targets: targets.entries.map {
            $0.target.observed(
              as: RegisteredTarget(id: $0.id, name: $0.target.configuration.name, variants: $0.variants))
          }))
      let ids = planned.byName
      let ending =
        changes.removed.map(\.id) + changes.changed.compactMap { ids[$0.configuration.name]?.id }
      try thread.change(ending: ending, beginning: transports)
      state.withLock { [targets] state in
        state.targets = targets
        for entry in begun { state.names[entry.id] = entry.target.configuration.name }
      }
      control.add(begun.map(\.target))
      services.drop(Set(ending))
      services.add(new)
      new.attach(thread)
      buffer.release()
    } catch {
      buffer.discard()
      new.stop()
      throw error
    }
  }
}
