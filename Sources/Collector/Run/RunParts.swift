import Logging
import Measurement
import Providers
import Store
import Threads
import Transport

/// Makes the parts of one run. In which order they start and end is for ``CollectorRun`` to say.
struct RunParts: Sendable {
  let run: RunID
  /// The boot id of this host.
  let bootID: String
  let store: CollectorStore
  let inbox: RecorderInbox
  let environment: CollectorEnvironment
  /// Makes and renews credentials.
  let credentials: CredentialThread

  private var clock: any HostClock { environment.clock }

  /// Checks the receipts of this run's notifications.
  func authenticator(secret: [UInt8]) -> ReceiptAuthenticator {
    ReceiptAuthenticator(secret: secret, collectorID: store.collectorID)
  }

  /// The credentials and subscriptions of targets, which are begun.
  /// - Parameters:
  ///   - generation: which of the run's configurations they are of, from 0.
  ///   - buffer: Buffers events and log lines until the configuration is accepted; `nil` for the run's first.
  /// - Throws: ``ThreadError``, `TransportError`.
  func services(
    of targets: [ActiveTargets.Entry], authenticator: ReceiptAuthenticator?, generation: Int = 0,
    buffer: ObservationBuffer? = nil
  ) throws -> TargetServices {
    let seed = run.fingerprint &+ UInt64(generation) << 48
    return try TargetServices(
      credentials: targets.compactMap { $0.target.credential(id: $0.id, clock: clock) },
      subscriptions: targets.compactMap {
        $0.target.subscription(id: $0.id, seed: seed, authenticator: authenticator, bootID: bootID)
      }, on: credentials, clock: clock, seed: seed, generation: generation,
      timeout: environment.options.startTimeout,
      sink: inbox, post: { [inbox] in if let buffer { buffer.add($0) } else { inbox.post($0) } })
  }

  /// What the timing thread needs of each target.
  func transportTargets(
    of targets: [ActiveTargets.Entry], authenticator: ReceiptAuthenticator?, readiness: Readiness
  ) throws -> [TransportTarget] {
    try targets.map {
      try $0.target.transportTarget(
        id: $0.id, seed: run.fingerprint, authenticator: authenticator, readiness: readiness,
        variants: $0.variants, generation: $0.generation)
    }
  }

  /// The thread that plans, sends and stamps.
  /// - Parameters:
  ///   - services: told what answers say of credentials, and of connections.
  ///   - deviceKeyHash: the hash of the key of a target's device; `nil` for other targets.
  /// - Throws: ``ThreadError``, `TransportError`.
  func timingThread(
    for targets: [TransportTarget], services: ServiceList,
    deviceKeyHash: @escaping @Sendable (TargetID) -> String?
  ) throws -> TimingThread {
    try TimingThread(
      run: run, targets: targets, staysOpen: environment.mayBeJoined, clock: clock,
      onCredential: { services.record($0) },
      sink: { [inbox, devices = environment.devices] observations in
        services.observe(observations)
        if let devices {
          for case .answered(let answer) in observations {
            if let hash = deviceKeyHash(answer.id.target) {
              devices.handleAnswer(status: answer.status, keyHash: hash)
            }
          }
        }
        inbox.post(observations)
      })
  }

  /// What the ledger knows of targets.
  func ledgerTargets(_ entries: [ActiveTargets.Entry]) throws -> [LedgerTarget] {
    try entries.map {
      $0.target.ledgerTarget(id: $0.id, reportsDisplay: try store.reportsDisplay($0.target.description))
    }
  }

  /// The thread that applies what was observed, and commits it.
  /// - Parameters:
  ///   - run: has the targets, whose names are in log lines.
  ///   - control: told when recording has failed.
  /// - Throws: ``ThreadError``, `StoreError`.
  func recorder(of run: ActiveRun, ending control: RunCoordinator) throws -> RecorderThread {
    let targets = try ledgerTargets(run.entries)
    let contexts = try store.deviceContexts()
    let known = try store.clockExchanges(ofBoot: bootID, within: DeviceClock.reach)
    let logger = environment.logger
    return try RecorderThread(
      inbox: inbox, clock: clock,
      make: { [self] in
        Recorder(
          run: run.id, bootID: bootID, targets: targets, store: store, inbox: inbox, clock: clock,
          host: HostName.current(), known: known, contexts: contexts,
          loopLag: { control.timing?.statistics.loopLag ?? TimingStatistics.LoopLag() },
          onCommitted: {
            control.timing?.committed($0.target, through: $0.lastSequence, generation: $0.generation)
          },
          onLog: { line in logger.log(line, target: line.target.flatMap(run.name)) },
          observer: environment.observer.flatMap { $0.watchesCommits ? $0 : nil })
      },
      onRound: { [manager = environment.manager, clock] in
        manager?.notifyAlive(.recorder, at: clock.monotonicNow())
      },
      onTrouble: { [observer = environment.observer] error in
        // While commits fail nothing more is sent than the store knows of.
        observer?.sending(isPossible: control.isSending && error == nil)
        if let error {
          logger.error("\(error); sending waits for the store; the commit is retried each second")
        } else {
          logger.notice("commits to the store succeed again")
        }
      },
      onFailure: { error, loss in
        logger.error("\(error); recording has ended, so nothing more is sent; \(loss.words)")
        control.failRecording()
      })
  }
}
