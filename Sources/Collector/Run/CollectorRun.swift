import Configuration
import FoundationEssentials
import HTTPServer
import Logging
import Measurement
import NIOPosix
import Providers
import Store
import Synchronization
import Threads

/// One run of the collector, from its first row in the store to its end.
///
/// It connects three threads: the timing thread plans, sends and stamps; the recorder applies and commits; the receipt
/// listener takes devices' receipts. What each may wait for is in docs/architecture.md.
final class CollectorRun: Sendable {
  /// How much longer than the last receipt deadline the run stays open, so that the receipt can be stored.
  private static let closingMargin = Duration.milliseconds(500)
  /// How long a failing last commit is retried, at least.
  private static let lastCommitRetry = Duration.seconds(5)

  private let configuration: PushscopeConfiguration
  private let options: CollectorOptions
  private let clock: any HostClock
  private let logger: Logger
  private let manager: ServiceManager?
  private let observer: (any CollectionObserver)?
  private let stopping = Mutex(Stopping())

  private struct Stopping {
    /// When ``stop()`` was called.
    var requestedAt: MonotonicTime?
    var isRequested: Bool { requestedAt != nil }
    /// The recorder has given up.
    var hasRecordingFailed = false
    var mayNotBegin: Bool { isRequested || hasRecordingFailed }
    var thread: TimingThread?
    var services: TargetServices?
    /// Of the run that is being recorded.
    var inbox: RecorderInbox?
    /// Sending has ended; receipts may still arrive.
    var isClosing = false
    /// The longest timeout and receipt deadline of the targets so far.
    var longest = Longest()
    /// `nil` until it sends.
    var recording: Recording?
  }

  /// What a reload changes of a run that is sending.
  private struct Recording {
    let id: RunID
    let bootID: String
    let store: CollectorStore
    let inbox: RecorderInbox
    let listener: ReceiptListener?
    var targets: ActiveTargets
    let services: ServiceList
    /// The secret of the MACs in notifications; `nil` where there are none.
    var secret: [UInt8]?
    var names: [TargetID: String]
  }

  /// How long what is under way may take.
  private struct Longest {
    var timeout = Duration.zero
    var receipt = Duration.zero

    init() {}

    init(_ targets: [TargetBuilder]) { add(targets) }

    mutating func add(_ targets: [TargetBuilder]) {
      timeout = max(timeout, targets.map(\.configuration.timeout).max() ?? .zero)
      receipt = max(receipt, targets.compactMap(\.configuration.receiptDeadline).max() ?? .zero)
    }
  }

  init(
    configuration: PushscopeConfiguration, options: CollectorOptions, logger: Logger,
    clock: any HostClock = SystemClock(), manager: ServiceManager? = nil,
    observer: (any CollectionObserver)? = nil
  ) {
    self.manager = manager
    self.observer = observer
    self.configuration = configuration
    self.options = options
    self.logger = logger
    self.clock = clock
  }

  /// Asks the run to end: nothing more is planned, what is under way is awaited, the run is closed. May be called from any
  /// thread, at any time, more than once.
  func stop() {
    let now = clock.monotonicNow()
    let state: Stopping? = stopping.withLock { state in
      guard state.requestedAt == nil else { return nil }
      state.requestedAt = now
      return state
    }
    guard let state else { return }
    if state.isClosing {
      announceStop(state)
      state.inbox?.close(by: now + options.drain, lastTry: now + max(options.drain, Self.lastCommitRetry))
    } else if let thread = state.thread {
      stop(thread, state)
    } else {
      // The run still waits for a credential or a subscription.
      state.services?.stop()
    }
  }

  /// Ends the plan. Requests under way may still be answered, each within its timeout.
  private func stop(_ thread: TimingThread, _ state: Stopping) {
    thread.stop(draining: min(state.longest.timeout, options.drain))
    announceStop(state)
  }

  private func announceStop(_ state: Stopping) {
    let longest = max(state.longest.timeout, state.longest.receipt)
    state.inbox?.announce(
      RecorderInbox.Ending(reason: "told to stop", atMost: min(longest, options.drain)))
  }

  private var timing: TimingThread? { stopping.withLock { $0.thread } }

  /// What a run needs before it can begin.
  struct Preparation {
    var targets: [TargetBuilder]
    var secret: [UInt8]?
  }

  /// Checks the configuration before anything is opened or changed.
  /// - Throws: ``CollectorError``, `FileReadError`.
  func prepare() throws -> Preparation { try Self.prepare(configuration, options, clock) }

  /// The same for another configuration, before a reload.
  static func prepare(
    _ configuration: PushscopeConfiguration, _ options: CollectorOptions, _ clock: any HostClock
  ) throws -> Preparation {
    Preparation(
      targets: try selectedTargets(of: configuration, options, clock),
      secret: try configuration.collector.receipts.map { try $0.secretFile.read() })
  }

  /// Runs until every target has completed its schedule, or ``stop()``.
  /// - Parameter onStart: called once sending begins.
  /// - Returns: the run's outcome, for the last line of the log.
  /// - Throws: ``CollectorError``, `StoreError`, `FileReadError` or `HTTPServerError` before anything is sent;
  ///   `StoreError` later only when the last changes could not be committed.
  func run(
    in store: CollectorStore, bootID: String, onStart: @escaping @Sendable (RunStart) -> Void = { _ in }
  ) async throws -> RunEnd {
    let preparation = try prepare()
    return try await record(
      preparation.targets, in: store, bootID: bootID, secret: preparation.secret, onStart: onStart)
  }

  private func record(
    _ targets: [TargetBuilder], in store: CollectorStore, bootID: String, secret: [UInt8]?,
    onStart: @escaping @Sendable (RunStart) -> Void
  ) async throws -> RunEnd {
    let inbox = try RecorderInbox()
    stopping.withLock { state in
      state.inbox = inbox
      state.longest = Longest(targets)
    }
    var parts = StartupSequence()
    do {
      let listener = try await parts.start {
        try await listen(secret: secret, store: store, bootID: bootID, inbox: inbox)
      } end: { listener, _ in
        await listener?.shutdown()
      }
      let run = try await parts.start {
        try register(targets, in: store, bootID: bootID, inbox: inbox, receiptsPort: listener?.port)
      } end: { [self] run, reason in
        // A run that is not ended here, because of the store, is ended when the store is opened again.
        observer?.sending(isPossible: false)
        defer { observer?.ended() }
        let rows = try store.endRun(
          run.id, at: clock.wallNow(), reason: reason, sendingEnded: timing?.sendingEnded)
        observer?.interrupted(rows)
      }
      let signing = secret ?? (targets.contains(where: \.hearsItself) ? Self.temporarySecret() : nil)
      let authenticator = signing.map { ReceiptAuthenticator(secret: $0, collectorID: store.collectorID) }
      let running = ServiceList()
      let services = try await parts.start {
        try makeServices(of: run, authenticator: authenticator, bootID: bootID, inbox: inbox)
      } end: { services, _ in
        services.stop()
        running.stop()
      }
      let recorder = try await parts.start {
        try makeRecorder(of: run, bootID: bootID, store: store, inbox: inbox)
      } end: { [self] recorder, reason in
        // After a failure the rows and log lines so far are still committed.
        if reason == .failed { inbox.close(by: clock.monotonicNow()) }
        defer { manager?.noteRecorder(isRunning: false) }
        _ = try await recorder.finished()
      }
      manager?.noteRecorder(isRunning: true)
      manager?.note(status: "waiting for credentials and subscriptions of \(targets.count) targets")
      manager?.noteReady()
      if let readiness = try await ready(services) {
        try begin(readiness, run.targets.map(\.id), inbox: inbox)
        let recording = Recording(
          id: run.id, bootID: bootID, store: store, inbox: inbox, listener: listener,
          targets: ActiveTargets(
            run.targets.map { .init(id: $0.id, variants: $0.variants, target: $0.target) }),
          services: running, secret: signing,
          names: Dictionary(uniqueKeysWithValues: run.targets.map { ($0.id, $0.target.configuration.name) }))
        let sent = FirstResult<Void, Never>()
        let timing = try makeTimingThread(
          of: run, authenticator: authenticator, readiness: readiness, services: running, inbox: inbox)
        running.add(services)
        services.attach(timing)
        stopping.withLock { $0.recording = recording }
        try start(timing) { sent.finish() }
        manager?.note(status: "recording run \(run.id), targets: \(targets.count)")
        observer?.sending(isPossible: true)
        onStart(RunStart(run: run.id, receiptsPort: listener?.port))
        await sent.value()
      }
      let reason = close(inbox)
      observer?.sending(isPossible: false)
      try await parts.end(reason)
      return RunEnd(
        run: run.id, wasStopped: reason == .stopped, timing: timing?.statistics ?? TimingStatistics(),
        recorder: try await recorder.finished())
    } catch {
      try? await parts.end(.failed)
      throw error
    }
  }

  // MARK: Parts of a run

  /// A run in the store, and its targets there.
  private struct RegisteredRun: Sendable {
    var id: RunID
    var targets: [(id: TargetID, variants: [VariantID], target: TargetBuilder)]
  }

  private func register(
    _ targets: [TargetBuilder], in store: CollectorStore, bootID: String, inbox: RecorderInbox,
    receiptsPort: Int?
  ) throws -> RegisteredRun {
    var generator = SystemRandomNumberGenerator()
    let started = ClockAnchor(reading: clock)
    let run = RunID(at: started.wall, using: &generator)
    let registration = try store.beginRun(
      RunDescription(
        id: run, name: options.runName, startedAt: started.wall, startedMonotonic: started.monotonic,
        bootID: bootID,
        labels: Dictionary(
          configuration.labels.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
        targets: targets.map(\.description))
    ).byName
    inbox.post([
      .event(Event(at: started.wall, kind: .runStarted, detail: options.runName ?? "")),
      .log(line(opening(targets, receiptsPort: receiptsPort))),
    ])
    observer?.began(
      ObservedRun(
        id: run,
        targets: targets.compactMap { target in
          registration[target.configuration.name].map { target.observed(as: $0) }
        }))
    return RegisteredRun(
      id: run,
      targets: targets.compactMap { target in
        registration[target.configuration.name].map { (id: $0.id, variants: $0.variants, target: target) }
      })
  }

  private func makeServices(
    of run: RegisteredRun, authenticator: ReceiptAuthenticator?, bootID: String, inbox: RecorderInbox
  ) throws -> TargetServices {
    try TargetServices(
      credentials: run.targets.compactMap { $0.target.credential(id: $0.id, clock: clock) },
      subscriptions: run.targets.compactMap {
        $0.target.subscription(
          id: $0.id, seed: run.id.fingerprint, authenticator: authenticator, bootID: bootID)
      }, clock: clock, seed: run.id.fingerprint, timeout: options.startTimeout, sink: inbox,
      post: { inbox.post($0) })
  }

  private func makeTimingThread(
    of run: RegisteredRun, authenticator: ReceiptAuthenticator?, readiness: Readiness, services: ServiceList,
    inbox: RecorderInbox
  ) throws -> TimingThread {
    try TimingThread(
      run: run.id,
      targets: try run.targets.map {
        try $0.target.transportTarget(
          id: $0.id, seed: run.id.fingerprint, authenticator: authenticator, readiness: readiness,
          variants: $0.variants)
      },
      clock: clock,
      onCredential: { services.note($0) },
      sink: {
        services.note($0)
        inbox.post($0)
      })
  }

  private func makeRecorder(
    of run: RegisteredRun, bootID: String, store: CollectorStore, inbox: RecorderInbox
  ) throws -> RecorderThread {
    let targets = run.targets.map { $0.target.ledgerTarget(id: $0.id) }
    let names = Dictionary(uniqueKeysWithValues: run.targets.map { ($0.id, $0.target.configuration.name) })
    let name = { @Sendable [self] (id: TargetID) in stopping.withLock { $0.recording?.names[id] } ?? names[id]
    }
    let known = try store.clockExchanges(ofBoot: bootID, within: DeviceClock.reach)
    return try RecorderThread(
      inbox: inbox, clock: clock,
      make: { [self] in
        Recorder(
          run: run.id, bootID: bootID, targets: targets, store: store, inbox: inbox, clock: clock,
          host: HostName.current(), known: known,
          loopLag: { [self] in timing?.statistics.loopLag ?? TimingStatistics.LoopLag() },
          onCommitted: { [self] in
            timing?.committed($0.target, through: $0.lastSequence, generation: $0.generation)
          },
          onLog: { [logger] line in logger.log(line, target: line.target.flatMap(name)) },
          observer: observer)
      },
      onRound: { [manager, clock] in manager?.noteAlive(.recorder, at: clock.monotonicNow()) },
      onTrouble: { [self] error in
        noteCommits(areFailing: error != nil)
        if let error {
          logger.error("\(error); sending waits for the store; the commit is retried each second")
        } else {
          logger.notice("commits to the store succeed again")
        }
      },
      onFailure: { [self] error in
        logger.error("\(error); recording has ended, so nothing more is sent")
        let state = stopping.withLock { state in
          state.hasRecordingFailed = true
          return state
        }
        if let thread = state.thread { thread.stop(draining: .zero) } else { state.services?.stop() }
      })
  }

  /// While commits fail nothing more is sent than the store knows of.
  private func noteCommits(areFailing: Bool) {
    guard let observer else { return }
    let isSending = stopping.withLock { $0.thread != nil && !$0.isClosing && !$0.mayNotBegin }
    observer.sending(isPossible: isSending && !areFailing)
  }

  /// Waits for the credentials and subscriptions that sending needs.
  /// - Returns: `nil` when the run was told to stop meanwhile.
  private func ready(_ services: TargetServices) async throws -> Readiness? {
    let isStopRequested = stopping.withLock { state in
      state.services = services
      return state.mayNotBegin
    }
    if isStopRequested { return nil }
    do {
      let readiness = try await services.ready()
      return stopping.withLock { $0.mayNotBegin } ? nil : readiness
    } catch {
      if stopping.withLock({ $0.mayNotBegin }) { return nil }
      throw error
    }
  }

  /// Logs the targets that are not ready; the others begin without them.
  /// - Throws: ``CollectorError`` when no target can begin.
  private func begin(_ readiness: Readiness, _ targets: [TargetID], inbox: RecorderInbox)
    throws(CollectorError)
  {
    let unreached = targets.compactMap { id in readiness.unreached[id].map { (id: id, reason: $0) } }
    if let first = unreached.first, unreached.count == targets.count {
      throw CollectorError(.unreachable, first.reason)
    }
    inbox.post(
      unreached.map {
        .log(
          LogLine(
            at: clock.wallNow(), level: .error, target: $0.id, label: "collector",
            message: "sending begins without it: \($0.reason); it is retried until it succeeds"))
      })
  }

  /// Starts to send, or ends at once if the run was told to stop meanwhile.
  private func start(_ timing: TimingThread, onEnd: @escaping @Sendable () -> Void) throws {
    let state = stopping.withLock { state in
      state.thread = timing
      return state
    }
    try timing.start(onEnd: onEnd)
    if state.hasRecordingFailed {
      timing.stop(draining: .zero)
    } else if state.isRequested {
      stop(timing, state)
    }
  }

  /// Asks the recorder to close the run after the longest receipt deadline; after ``stop()``, within ``CollectorOptions/drain``.
  private func close(_ inbox: RecorderInbox) -> RunEndReason {
    let now = clock.monotonicNow()
    let state = stopping.withLock { state in
      state.isClosing = true
      return state
    }
    let wasStopped = state.isRequested
    inbox.post([
      .event(Event(at: clock.wallNow(), kind: .runStopped, detail: wasStopped ? "stopped" : "completed"))
    ])
    if !wasStopped {
      inbox.announce(RecorderInbox.Ending(reason: "everything is sent", atMost: state.longest.receipt))
    }
    let receipts = now + state.longest.receipt + Self.closingMargin
    let drained = (state.requestedAt ?? now) + options.drain
    let deadline = wasStopped ? min(receipts, drained) : receipts
    inbox.close(by: deadline, lastTry: max(deadline + Self.lastCommitRetry, drained))
    return wasStopped ? .stopped : .completed
  }

  private func line(_ message: String) -> LogLine {
    LogLine(at: clock.wallNow(), level: .info, label: "collector", message: message)
  }

  private func opening(_ targets: [TargetBuilder], receiptsPort: Int?) -> String {
    let list = targets.map { "\($0.configuration.name) (\($0.arrivals.rate.words))" }.joined(
      separator: ", ")
    return "sending to \(list)" + (receiptsPort.map { "; listening for receipts on port \($0)" } ?? "")
  }

  private static func selectedTargets(
    of configuration: PushscopeConfiguration, _ options: CollectorOptions, _ clock: any HostClock
  ) throws -> [TargetBuilder] {
    let known = configuration.targets
    for name in options.targetNames where !known.contains(where: { $0.name == name }) {
      let names = known.map(\.name).joined(separator: ", ")
      throw CollectorError(
        .unknownTarget, "\(configuration.file) has no target named \"\(name)\"; it has: \(names)")
    }
    let selected =
      options.targetNames.isEmpty ? known : known.filter { options.targetNames.contains($0.name) }
    let now = clock.wallNow()
    var builders: [TargetBuilder] = []
    var problems: [any Error] = []
    for target in selected {
      do {
        let builder = try TargetBuilder(target, options: options)
        try builder.check(at: now)
        builders.append(builder)
      } catch {
        problems.append(error)
      }
    }
    // All problems at once, so that one start shows them.
    guard let first = problems.first else { return builders }
    guard problems.count > 1 else { throw first }
    throw CollectorError(
      (first as? CollectorError)?.code ?? .credentials, problems.map { "\($0)" }.joined(separator: "\n"))
  }

  // MARK: Reload

  /// Goes on with another configuration: what it changed drains and goes on as what it is now, in this run. What can be wrong
  /// with it was found by ``prepare(_:_:_:)``, but for what only a token endpoint or a subscription can say.
  ///
  /// - Returns: what changed, for people; `nil` when the run is not sending.
  /// - Throws: `StoreError`, `ThreadError`, ``CollectorError``, ``TransportError``, `HTTPServerError`: the run goes on as it
  ///   was, and its record says nothing else.
  func reload(_ configuration: PushscopeConfiguration, _ preparation: Preparation) async throws -> [String]? {
    let open = stopping.withLock { $0.isRequested || $0.isClosing ? nil : $0.recording }
    guard let recording = open, let timing else { return nil }
    let secret =
      preparation.secret
      ?? (preparation.targets.contains(where: \.hearsItself)
        ? recording.secret ?? Self.temporarySecret() : nil)
    let isSecretNew = secret != recording.secret
    let authenticator = secret.map {
      ReceiptAuthenticator(secret: $0, collectorID: recording.store.collectorID)
    }
    let identity = try configuration.collector.receipts.map {
      try ServerIdentity(certificateFile: $0.certificateFile, keyFile: $0.keyFile.path)
    }
    let changes = recording.targets.changes(to: preparation.targets, isSecretNew: isSecretNew)
    var words = changes.words
    if isSecretNew { words.append("the receipts' secret") }
    if !changes.isEmpty {
      try await change(recording, changes, authenticator, isSecretNew: isSecretNew, timing)
      stopping.withLock { $0.recording?.secret = secret }
    }
    if let identity { try recording.listener?.replaceIdentity(identity) }
    return words
  }

  /// All that can fail comes before the first thing that changes.
  private func change(
    _ recording: Recording, _ changes: TargetChanges, _ authenticator: ReceiptAuthenticator?,
    isSecretNew: Bool, _ timing: TimingThread
  ) async throws {
    let descriptions = (changed: changes.changed.map(\.description), added: changes.added.map(\.description))
    let planned = try recording.store.plannedTargets(
      of: recording.id, changed: descriptions.changed, added: descriptions.added)
    var targets = recording.targets
    let begun = targets.apply(changes, planned)
    let generation = targets.generation
    let seed = recording.id.fingerprint &+ UInt64(generation) << 48
    let inbox = recording.inbox
    let services = try TargetServices(
      credentials: begun.compactMap { $0.target.credential(id: $0.id, clock: clock) },
      subscriptions: begun.compactMap {
        $0.target.subscription(id: $0.id, seed: seed, authenticator: authenticator, bootID: recording.bootID)
      }, clock: clock, seed: seed, generation: generation, timeout: options.startTimeout, sink: inbox,
      post: { inbox.post($0) })
    do {
      // The former configuration sends on until the next one can.
      let readiness = try await services.ready()
      let transports = try begun.map {
        try $0.target.transportTarget(
          id: $0.id, seed: recording.id.fingerprint, authenticator: authenticator, readiness: readiness,
          variants: $0.variants, generation: generation)
      }
      for transport in transports { try transport.check(run: recording.id) }
      _ = try recording.store.changeTargets(
        of: recording.id, changed: descriptions.changed, added: descriptions.added, at: clock.wallNow())
      if isSecretNew, let authenticator { recording.listener?.add(authenticator) }
      inbox.post(begun.map { $0.target.ledgerTarget(id: $0.id) })
      observer?.began(
        ObservedRun(
          id: recording.id,
          targets: targets.entries.map {
            $0.target.observed(
              as: RegisteredTarget(id: $0.id, name: $0.target.configuration.name, variants: $0.variants))
          }))
      let ids = planned.byName
      let ending =
        changes.removed.map(\.id) + changes.changed.compactMap { ids[$0.configuration.name]?.id }
      try timing.change(ending: ending, beginning: transports)
      stopping.withLock { state in
        state.recording?.targets = targets
        for entry in begun { state.recording?.names[entry.id] = entry.target.configuration.name }
        state.longest.add(begun.map(\.target))
      }
      recording.services.drop(Set(ending))
      recording.services.add(services)
      services.attach(timing)
    } catch {
      services.stop()
      throw error
    }
  }

  /// Valid for this run only.
  private static func temporarySecret() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<32).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }

  private func listen(
    secret: [UInt8]?, store: CollectorStore, bootID: String, inbox: RecorderInbox
  ) async throws -> ReceiptListener? {
    guard let receipts = configuration.collector.receipts, let secret else { return nil }
    var listenerOptions = ReceiptListenerOptions(
      host: receipts.listen.host, port: receipts.listen.port, certificateFile: receipts.certificateFile,
      keyFile: receipts.keyFile.path)
    listenerOptions.showsTimesAfter = try store.latestTimeShown(bootID: bootID)
    return try await ReceiptListener.start(
      listenerOptions, authenticator: ReceiptAuthenticator(secret: secret, collectorID: store.collectorID),
      clock: clock,
      sink: inbox)
  }
}

/// A run that has begun to send.
public struct RunStart: Sendable {
  public internal(set) var run: RunID
  /// The receipt listener's port; `nil` without a listener.
  public internal(set) var receiptsPort: Int?
}

/// A run that has ended.
public struct RunEnd: Sendable {
  public internal(set) var run: RunID
  public internal(set) var wasStopped: Bool
  public internal(set) var timing: TimingStatistics
  public internal(set) var recorder: RecorderStatistics
}
