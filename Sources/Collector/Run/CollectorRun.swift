import Configuration
import FoundationEssentials
import Logging
import Measurement
import NIOPosix
import Providers
import Store
import Synchronization

/// One run of the collector, from its first row to the closing of its book.
///
/// It ties three threads together: the timing thread plans, sends and stamps; the recorder books and commits; the receipt
/// listener hears devices. What each may wait for is in docs/architecture.md.
public final class CollectorRun: Sendable {
  /// So much longer than the last receipt may take is waited for it: it has to be stored as well.
  private static let closingMargin = Duration.milliseconds(500)
  /// How long a last commit that fails is tried again, at least.
  private static let lastTries = Duration.seconds(5)

  private let configuration: PushscopeConfiguration
  private let options: CollectorOptions
  private let clock: any HostClock
  private let logger: Logger
  private let stopping = Mutex(Stopping())

  private struct Stopping {
    /// When somebody asked for the end.
    var requestedAt: MonotonicTime?
    var isRequested: Bool { requestedAt != nil }
    /// Nothing can be recorded any more.
    var hasRecordingFailed = false
    var mayNotBegin: Bool { isRequested || hasRecordingFailed }
    var thread: TimingThread?
    var services: TargetServices?
    /// Of the run that is being recorded.
    var inbox: RecorderInbox?
    /// Nothing more is sent; receipts may still come.
    var isClosing = false
    /// The longest timeout and receipt deadline of the selected targets.
    var longest = Longest()
  }

  /// How long what is under way may take.
  private struct Longest {
    var timeout = Duration.zero
    var receipt = Duration.zero

    init() {}

    init(_ targets: [TargetBuilder]) {
      timeout = targets.map(\.configuration.timeout).max() ?? .zero
      receipt = targets.compactMap(\.configuration.receiptDeadline).max() ?? .zero
    }
  }

  public init(
    configuration: PushscopeConfiguration, options: CollectorOptions, logger: Logger,
    clock: any HostClock = SystemClock()
  ) {
    self.configuration = configuration
    self.options = options
    self.logger = logger
    self.clock = clock
  }

  /// Asks the run to end in order: nothing more is planned, what is under way is awaited, the book is closed. May be
  /// called from any thread, at any time, more than once.
  public func stop() {
    let now = clock.monotonicNow()
    let state: Stopping? = stopping.withLock { state in
      guard state.requestedAt == nil else { return nil }
      state.requestedAt = now
      return state
    }
    guard let state else { return }
    if state.isClosing {
      announceStop(state)
      state.inbox?.close(by: now + options.drain, lastTry: now + max(options.drain, Self.lastTries))
    } else if let thread = state.thread {
      stop(thread, state)
    } else {
      // It still waits for a credential or a subscription.
      state.services?.stop()
    }
  }

  /// Ends the plan, and waits for answers to what was sent: nothing takes longer than its timeout.
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

  /// Finds what is wrong with the configuration before anything is touched.
  /// - Throws: ``CollectorError``, `FileReadError`.
  func prepare() throws -> Preparation {
    Preparation(
      targets: try selectedTargets(),
      secret: try configuration.collector.receipts.map { try $0.secretFile.read() })
  }

  /// Runs until every target has sent what it was asked to, or ``stop()``.
  /// - Parameter onStart: told once sending begins.
  /// - Returns: what happened, for the last line of the log.
  /// - Throws: ``CollectorError``, `StoreError`, `FileReadError` or `HTTPServerError` before anything is sent;
  ///   `StoreError` later only when what was left could not be committed.
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
    let inbox = RecorderInbox()
    stopping.withLock { state in
      state.inbox = inbox
      state.longest = Longest(targets)
    }
    let listener = try await listen(secret: secret, store: store, bootID: bootID, inbox: inbox)
    var begun: RunID?
    do {
      var generator = SystemRandomNumberGenerator()
      let started = ClockAnchor(reading: clock)
      let run = RunID(at: started.wall, using: &generator)
      let registration = try store.beginRun(
        RunDescription(
          id: run, name: options.runName, startedAt: started.wall, startedMonotonic: started.monotonic,
          bootID: bootID, targets: targets.map(\.description)))
      begun = run
      inbox.post([
        .event(Event(at: started.wall, kind: .runStarted, detail: options.runName ?? "")),
        .log(line(opening(targets, receiptsPort: listener?.port))),
      ])

      // Messages that come back to the collector itself prove that they are its own even where no device is heard.
      let macSecret = secret ?? (targets.contains(where: \.hearsItself) ? Self.passingSecret() : nil)
      let authenticator = macSecret.map { ReceiptAuthenticator(secret: $0, collectorID: store.collectorID) }
      let assembled = targets.compactMap { target in
        registration[target.configuration.name].map { (id: $0.id, variants: $0.variants, target: target) }
      }
      let recorder = recorder(
        of: run, bootID: bootID, targets: assembled.map { $0.target.ledgerTarget(id: $0.id) },
        names: Dictionary(uniqueKeysWithValues: assembled.map { ($0.id, $0.target.configuration.name) }),
        known: try store.clockExchanges(ofBoot: bootID, within: DeviceClock.reach), store: store, inbox: inbox
      )
      let services = try TargetServices(
        credentials: assembled.compactMap { $0.target.credential(id: $0.id, clock: clock) },
        subscriptions: assembled.compactMap {
          $0.target.subscription(
            id: $0.id, seed: run.fingerprint, authenticator: authenticator, bootID: bootID)
        }, clock: clock, seed: run.fingerprint, patience: options.patience, sink: inbox,
        post: { inbox.post($0) })
      defer { services.stop() }
      do {
        if let readiness = try await ready(services) {
          try begin(readiness, assembled.map(\.id), inbox: inbox)
          let timing = try TimingThread(
            run: run,
            targets: try assembled.map {
              try $0.target.transportTarget(
                id: $0.id, seed: run.fingerprint, authenticator: authenticator,
                readiness: readiness, variants: $0.variants)
            },
            clock: clock, onCredential: { services.note($0) },
            sink: {
              services.note($0)
              inbox.post($0)
            })
          services.attach(timing)
          try await send(timing) { onStart(RunStart(run: run, receiptsPort: listener?.port)) }
        }
      } catch {
        // What is known so far stays in the book.
        inbox.close(by: clock.monotonicNow())
        _ = try? await recorder.finished()
        throw error
      }
      let wasStopped = close(inbox)
      let recorded = try await recorder.finished()
      try store.endRun(
        run, at: clock.wallNow(), reason: wasStopped ? .stopped : .completed,
        sendingEnded: timing?.sendingEnded)
      await listener?.shutdown()
      return RunEnd(
        run: run, wasStopped: wasStopped, timing: timing?.statistics ?? TimingStatistics(), recorder: recorded
      )
    } catch {
      await listener?.shutdown()
      // The collector may live on, and nobody else closes it; if the store is the trouble, the next start does.
      if let begun {
        try? store.endRun(
          begun, at: clock.wallNow(), reason: .failed, sendingEnded: timing?.sendingEnded)
      }
      throw error
    }
  }

  private func recorder(
    of run: RunID, bootID: String, targets: [LedgerTarget], names: [TargetID: String],
    known: [DeviceExchange], store: CollectorStore, inbox: RecorderInbox
  ) -> RecorderThread {
    RecorderThread(
      inbox: inbox, clock: clock,
      make: { [self] in
        Recorder(
          run: run, bootID: bootID, targets: targets, store: store, inbox: inbox, clock: clock,
          host: HostName.current(), known: known,
          loopLag: { [self] in timing?.statistics.loopLag ?? TimingStatistics.LoopLag() },
          onCommitted: { [self] in timing?.committed($0.target, through: $0.lastSequence) },
          onLog: { [logger] line in logger.log(line, target: line.target.flatMap { names[$0] }) })
      },
      onTrouble: { [logger] error in
        if let error {
          logger.error("\(error); sending waits for the store; the commit is retried each second")
        } else {
          logger.notice("commits to the store succeed again")
        }
      },
      onFailure: { [self] error in
        logger.error("\(error); nothing can be recorded any more, so nothing more is sent")
        let state = stopping.withLock { state in
          state.hasRecordingFailed = true
          return state
        }
        if let thread = state.thread { thread.stop(draining: .zero) } else { state.services?.stop() }
      })
  }

  /// Waits for what must be there before anything is sent.
  /// - Returns: what the targets begin with; `nil` when the run was told to stop meanwhile.
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

  /// One service that is down keeps nobody from measuring the others; where there are no others, somebody should know.
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

  /// Sends until the schedule ends or the run is told to stop.
  private func send(_ timing: TimingThread, onStart: () -> Void) async throws {
    let sending = AsyncStream<Never>.makeStream()
    let state = stopping.withLock { state in
      state.thread = timing
      return state
    }
    try timing.start { sending.continuation.finish() }
    if state.hasRecordingFailed {
      timing.stop(draining: .zero)
    } else if state.isRequested {
      stop(timing, state)
    }
    onStart()
    for await _ in sending.stream {}
  }

  /// Lets the recorder close the run: nothing more is sent, and receipts may come for as long as one may take, but after a
  /// request to stop no longer than ``CollectorOptions/drain``.
  /// - Returns: whether the run ends because somebody asked for it.
  private func close(_ inbox: RecorderInbox) -> Bool {
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
    inbox.close(by: deadline, lastTry: max(deadline + Self.lastTries, drained))
    return wasStopped
  }

  private func line(_ message: String) -> LogLine {
    LogLine(at: clock.wallNow(), level: .info, label: "collector", message: message)
  }

  private func opening(_ targets: [TargetBuilder], receiptsPort: Int?) -> String {
    let list = targets.map { "\($0.configuration.name) (\($0.arrivals.rate.words))" }.joined(
      separator: ", ")
    return "sending to \(list)" + (receiptsPort.map { "; listening for receipts on port \($0)" } ?? "")
  }

  private func selectedTargets() throws -> [TargetBuilder] {
    let known = configuration.targets
    for name in options.targetNames where !known.contains(where: { $0.name == name }) {
      let names = known.map(\.name).joined(separator: ", ")
      throw CollectorError(
        .unknownTarget, "\(configuration.file) has no target named \"\(name)\"; it has: \(names)")
    }
    let selected =
      options.targetNames.isEmpty ? known : known.filter { options.targetNames.contains($0.name) }
    let now = clock.wallNow()
    var assemblies: [TargetBuilder] = []
    var problems: [any Error] = []
    for target in selected {
      do {
        let assembly = try TargetBuilder(target, options: options)
        try assembly.check(at: now)
        assemblies.append(assembly)
      } catch {
        problems.append(error)
      }
    }
    // All at once: who mends the first should not have to start again to learn of the second.
    guard let first = problems.first else { return assemblies }
    guard problems.count > 1 else { throw first }
    throw CollectorError(
      (first as? CollectorError)?.code ?? .credentials, problems.map { "\($0)" }.joined(separator: "\n"))
  }

  /// For this run alone.
  private static func passingSecret() -> [UInt8] {
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
  public var run: RunID
  /// Where receipts are heard; `nil` when they are not.
  public var receiptsPort: Int?
}

/// What a run came to.
public struct RunEnd: Sendable {
  public var run: RunID
  public var wasStopped: Bool
  public var timing: TimingStatistics
  public var recorder: RecorderStatistics
}
