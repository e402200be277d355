import Configuration
import FoundationEssentials
import HTTPServer
import Logging
import Measurement
import Store
import Synchronization
import Threads

/// The collector for as long as it has the store: records one run after the other.
///
/// The first run begins with the service. With a count or a duration the service ends with that run. Otherwise it stays after
/// a run is stopped through the store, and begins the next one on request. It takes no receipts while it is idle.
///
/// ``reload()`` reads the configuration again and goes on with it, all or nothing. A credential's file that is replaced is taken
/// up by itself.
public final class CollectorService: Sendable {
  private let current: Mutex<PushscopeConfiguration>
  /// Reads the configuration again; `nil` where it is not from a file.
  private let load: (@Sendable () throws -> PushscopeConfiguration)?
  /// One reload after the other.
  private let reloads = ReloadQueue()
  private let options: CollectorOptions
  private let clock: any HostClock
  private let logger: Logger
  private let manager: ServiceManager?
  private let observer: (any CollectionObserver)?
  private let state = Mutex(State())
  private let starts: AsyncStream<Start>
  private let startRequests: AsyncStream<Start>.Continuation

  /// A requested run.
  private struct Start: Sendable {
    var name: String?
    /// The row of the command to answer; `nil` for the first run.
    var row: Int64?
  }

  private enum Phase { case starting, recording, closing, idle }

  private struct State {
    var phase = Phase.starting
    /// ``CollectorService/stop()`` was called.
    var isEnding = false
    var run: CollectorRun?
    var id: RunID?
    /// Whether it has begun to send.
    var hasBegun = false
    /// The rows of commands to answer when the run is closed.
    var stopRows: [Int64] = []
    /// Why the service ends, when the store was lost.
    var failure: StoreError?
    /// Once it is open.
    var store: CollectorStore?
    var wasReloadTaken = true
    var onConfiguration: [@Sendable (PushscopeConfiguration) -> Void] = []
    /// As they were read last.
    var listeners = ListenerContents()
  }

  /// - Parameters:
  ///   - observer: told what is recorded, for as long as the collector has the store.
  ///   - load: reads the configuration again, for ``reload()``.
  public init(
    configuration: PushscopeConfiguration, options: CollectorOptions, logger: Logger,
    clock: any HostClock = SystemClock(), manager: ServiceManager? = nil,
    observer: (any CollectionObserver)? = nil,
    load: (@Sendable () throws -> PushscopeConfiguration)? = nil
  ) {
    self.manager = manager
    self.observer = observer
    self.load = load
    current = Mutex(configuration)
    self.options = options
    self.logger = logger
    self.clock = clock
    (starts, startRequests) = AsyncStream<Start>.makeStream(bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.listeners = ListenerContents(of: configuration) }
  }

  /// What the collector works by at present.
  public var configuration: PushscopeConfiguration { current.withLock { $0 } }

  /// Whether the last reload was taken, or there was none yet.
  public var wasLastReloadTaken: Bool { state.withLock { $0.wasReloadTaken } }

  /// Adds what is told each configuration that a reload takes; called on the thread of the reload.
  public func onConfiguration(_ take: @escaping @Sendable (PushscopeConfiguration) -> Void) {
    state.withLock { $0.onConfiguration.append(take) }
  }

  /// Whether it stays after a run is stopped through the store.
  private var serves: Bool { options.count == nil && options.duration == nil }

  /// Checks configuration and credentials without opening the store or a socket, and without sending.
  /// - Throws: ``CollectorError``, `FileReadError`, `HTTPServerError`.
  public func check() throws {
    _ = try recording(Start()).prepare()
    try Self.checkListeners(of: configuration)
  }

  /// Reads the certificates, keys and passwords of the listeners.
  private static func checkListeners(of configuration: PushscopeConfiguration) throws {
    if let receipts = configuration.collector.receipts {
      _ = try ServerIdentity(certificateFile: receipts.certificateFile, keyFile: receipts.keyFile.path)
    }
    if let identity = configuration.service?.identity {
      _ = try ServerIdentity(certificateFile: identity.certificateFile, keyFile: identity.keyFile.path)
    }
    _ = try configuration.service?.authentication?.passwordFile.read()
  }

  /// Asks the service to end, and the current run first. May be called from any thread, at any time, more than once.
  public func stop() {
    manager?.noteStopping()
    let run = state.withLock { state in
      state.isEnding = true
      return state.run
    }
    run?.stop()
    startRequests.finish()
  }

  /// Runs until ``stop()``, or until the only run has completed.
  /// - Parameters:
  ///   - onStart: called when a run begins to send.
  ///   - onEnd: called when a run is closed.
  /// - Returns: the outcome of the last run; `nil` when none was closed.
  /// - Throws: ``CollectorError``, `StoreError`, `FileReadError` or `HTTPServerError` before anything is sent;
  ///   `StoreError` later only when the last changes could not be committed.
  @discardableResult
  public func run(
    onStart: @escaping @Sendable (RunStart) -> Void = { _ in },
    onEnd: @escaping @Sendable (RunEnd) -> Void = { _ in }
  ) async throws -> RunEnd? {
    var next = Start(name: options.runName)
    var last: RunEnd?
    // Configuration errors are found before the store is opened.
    _ = try recording(next).prepare()
    // If the kernel does not tell, a boot that no device can name, so that no device's clock is taken for this host's.
    let bootID = BootID.current() ?? UUID().uuidString
    try await checkListener()
    manager?.note(status: "opening the store")
    let store = try CollectorStore.open(
      at: options.storePath, clock: clock,
      options: CollectorStoreOptions(
        bootID: bootID,
        durability: configuration.collector.durability == .full ? .full : .normal,
        access: configuration.collector.storeGroup.map { .group($0.number) } ?? .owner))
    state.withLock { $0.store = store }
    defer {
      state.withLock { $0.store = nil }
      store.close()
    }
    for recovered in store.recovered.runs {
      logger.notice(
        "run \(recovered.run) was not closed by its collector: \(recovered.interrupted) interrupted, \(recovered.removed) never due"
      )
    }
    try store.refuseLeftoverRequests()
    let maintenance = try RoundThread(
      name: "maintenance",
      make: { [self] in
        let maintenance = StoreMaintenance(
          store: store, control: self, serves: serves, clock: clock,
          policy: { [self] in RetentionPolicy(configuration) },
          onLine: { [logger] in logger.notice("\($0)") })
        return RoundThread.Work(round: { [manager, clock] in
          manager?.noteAlive(.maintenance, at: clock.monotonicNow())
          return try maintenance.round()
        })
      },
      onTrouble: { [logger] error in
        if let error {
          logger.error("\(error); maintenance of the store is retried each second")
        } else {
          logger.notice("maintenance of the store succeeds again")
        }
      },
      onStoreLost: { [self] error in
        state.withLock { $0.failure = error }
        stop()
      })
    var threads = [maintenance]
    do {
      threads.append(try watchFindings(in: store))
      threads.append(try watchCredentials())
    } catch {
      for thread in threads.reversed() { await thread.stop() }
      throw error
    }
    do {
      try await observer?.opened(store)
      var requests = starts.makeAsyncIterator()
      repeat {
        last = try await record(next, in: store, bootID, maintenance, onStart: onStart, onEnd: onEnd)
        guard enterIdle() else { break }
        maintenance.look()
        manager?.note(status: "idle")
        logger.info("idle: a run can be started from the dashboard; SIGINT or SIGTERM ends the collector")
        guard let request = await requests.next() else { break }
        next = request
      } while true
    } catch {
      await observer?.closing()
      for thread in threads.reversed() { await thread.stop() }
      throw error
    }
    await observer?.closing()
    for thread in threads.reversed() { await thread.stop() }
    if let failure = state.withLock({ $0.failure }) { throw failure }
    return last
  }

  /// Begins the search for changes, which only reads the store beside what it finds.
  private func watchFindings(in store: CollectorStore) throws(ThreadError) -> RoundThread {
    try RoundThread(
      name: "findings",
      make: { [clock, logger] in
        let watch = FindingWatch(store: store, clock: clock) { line in logger.notice("\(line)") }
        return RoundThread.Work(round: watch.round, end: watch.end)
      },
      onTrouble: { [logger] error in
        if let error {
          logger.error("\(error); the search for changes is retried each second")
        } else {
          logger.notice("the search for changes goes on")
        }
      })
  }

  /// Looks for credentials that were replaced.
  private func watchCredentials() throws(ThreadError) -> RoundThread {
    try RoundThread(
      name: "file watch",
      make: { [self] in
        var watch = CredentialWatch()
        return RoundThread.Work(round: { [self] in
          let replaced = watch.look(at: configuration.watchedFiles)
          if !replaced.isEmpty { Task { await takeUp(replaced) } }
          return CredentialWatch.interval
        })
      }, onTrouble: { _ in })
  }

  // MARK: Reload

  /// Reads the configuration and every credential again, and goes on with them: all of it or nothing. May be called from any
  /// thread, at any time.
  @discardableResult
  public func reload() async -> ReloadOutcome {
    guard let load else { return .refused("the configuration is not from a file") }
    return await reloads.run { [self] in
      let outcome: ReloadOutcome
      do {
        outcome = try await take(try load(), because: "the configuration was read again")
      } catch {
        outcome = .refused("\(error)")
      }
      note(outcome)
      return outcome
    }
  }

  /// Takes up credentials whose files were replaced, by the configuration that is in use.
  private func takeUp(_ files: [String]) async {
    let because = "replaced: \(files.joined(separator: ", "))"
    _ = await reloads.run { [self] in
      let outcome: ReloadOutcome
      do {
        outcome = try await take(configuration, because: because)
      } catch {
        outcome = .refused("\(error)")
      }
      // What a reload has taken up meanwhile is no news.
      if outcome != .taken(Self.unchanged(because)) { note(outcome) }
      return outcome
    }
  }

  private static func unchanged(_ reason: String) -> String { "\(reason); nothing changed" }

  private func take(_ new: PushscopeConfiguration, because reason: String) async throws -> ReloadOutcome {
    let plan = ReloadPlan(from: configuration, to: new)
    let preparation = try CollectorRun.prepare(plan.configuration, options, clock)
    // Before they are read: a file that is replaced in between is noticed afterwards.
    let listeners = ListenerContents(of: plan.configuration)
    try Self.checkListeners(of: plan.configuration)
    let changed = try await changeRun(plan.configuration, preparation)
    current.withLock { $0 = plan.configuration }
    let (replaced, told) = state.withLock { state in
      defer { state.listeners = listeners }
      return (listeners.words(after: state.listeners), state.onConfiguration)
    }
    for take in told { take(plan.configuration) }
    let news = changed + plan.taken + replaced + (plan.remedy.map { [$0] } ?? [])
    if news.isEmpty { return .taken(Self.unchanged(reason)) }
    var words = [reason] + news
    if plan.configuration.usesServiceCredentials {
      words.append(
        "credentials of the service manager are copies made at the start: a new one needs a restart")
    }
    return .taken(words.joined(separator: "; "))
  }

  /// The run that is sending goes on with the configuration. One that begins at the moment is waited for; none needs nothing:
  /// the next one begins with it.
  private func changeRun(
    _ configuration: PushscopeConfiguration, _ preparation: CollectorRun.Preparation
  ) async throws -> [String] {
    while true {
      let (run, hasBegun, isEnding) = state.withLock {
        ($0.run, $0.hasBegun, $0.isEnding || $0.phase == .closing)
      }
      guard let run, !isEnding else { return [] }
      if hasBegun { return try await run.reload(configuration, preparation) ?? [] }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Says what a reload came to, as an event of the run and in the log.
  private func note(_ outcome: ReloadOutcome) {
    let (store, run) = state.withLock { state in
      if case .taken = outcome { state.wasReloadTaken = true } else { state.wasReloadTaken = false }
      return (state.store, state.id)
    }
    observer?.reloaded(isSuccessful: wasLastReloadTaken)
    let event: Event
    switch outcome {
    case .taken(let words):
      logger.notice("configuration taken: \(EscapedText.make(words))")
      event = Event(at: clock.wallNow(), kind: .configReloaded, detail: words)
    case .refused(let words):
      logger.error(
        "configuration refused, the former one goes on: \(EscapedText.make(words, keepsLines: true))")
      event = Event(at: clock.wallNow(), kind: .configRefused, detail: words)
    }
    do {
      try store?.record([event], run: run)
    } catch {
      logger.error("the reload could not be recorded: \(error)")
    }
  }

  /// Checks the listener before the store is opened: always the certificate, and the address only if the store does not exist
  /// yet. For an existing store the error about another collector, which uses the address too, is the helpful one.
  private func checkListener() async throws {
    guard let receipts = configuration.collector.receipts else { return }
    _ = try ServerIdentity(certificateFile: receipts.certificateFile, keyFile: receipts.keyFile.path)
    guard !FileManager.default.fileExists(atPath: options.storePath) else { return }
    try await HTTPServer.check(host: receipts.listen.host, port: receipts.listen.port)
  }

  private func recording(_ start: Start) -> CollectorRun {
    var options = options
    options.runName = start.name
    return CollectorRun(
      configuration: self.configuration, options: options, logger: logger, clock: clock, manager: manager,
      observer: observer)
  }

  /// Records one run.
  /// - Returns: `nil` when a requested run could not begin.
  private func record(
    _ start: Start, in store: CollectorStore, _ bootID: String, _ maintenance: RoundThread,
    onStart: @escaping @Sendable (RunStart) -> Void, onEnd: @escaping @Sendable (RunEnd) -> Void
  ) async throws -> RunEnd? {
    let run = recording(start)
    let isEnding = state.withLock { state in
      state.run = run
      state.hasBegun = false
      return state.isEnding
    }
    if isEnding { run.stop() }
    do {
      let end = try await run.run(in: store, bootID: bootID) { [self] begun in
        state.withLock { state in
          state.hasBegun = true
          state.id = begun.run
          if state.phase == .starting { state.phase = .recording }
        }
        answer([start.row].compactMap { $0 }, in: store)
        maintenance.look()
        onStart(begun)
      }
      runEnded(in: store)
      if let row = start.row, !state.withLock({ $0.hasBegun }) {
        try store.answer(row, refusal: "the run was stopped before it began to send")
      }
      onEnd(end)
      return end
    } catch {
      runEnded(in: store)
      // The first run's error ends the collector; a later run's goes to whoever requested it.
      guard let row = start.row, !state.withLock({ $0.hasBegun }) else { throw error }
      logger.error("the run could not begin: \(error)")
      try store.answer(row, refusal: "the run could not begin: \(error)")
      return nil
    }
  }

  /// Answers the commands that asked for the run to end.
  private func runEnded(in store: CollectorStore) {
    let rows = state.withLock { state in
      state.run = nil
      state.id = nil
      state.phase = .closing
      let rows = state.stopRows
      state.stopRows = []
      return rows
    }
    answer(rows, in: store)
  }

  /// - Returns: whether to wait for another run.
  private func enterIdle() -> Bool {
    state.withLock { state in
      guard serves, !state.isEnding else { return false }
      state.phase = .idle
      return true
    }
  }

  /// A command whose answer cannot be written stays unanswered.
  private func answer(_ rows: [Int64], in store: CollectorStore) {
    for row in rows {
      do { try store.answer(row) } catch { logger.error("a command could not be answered: \(error)") }
    }
  }
}

/// Runs reloads one after the other.
private actor ReloadQueue {
  private var last: Task<ReloadOutcome, Never>?

  func run(_ reload: @escaping @Sendable () async -> ReloadOutcome) async -> ReloadOutcome {
    let former = last
    let next = Task {
      _ = await former?.value
      return await reload()
    }
    last = next
    return await next.value
  }
}

extension CollectorService: RunController {
  var currentRun: RunID? { state.withLock { $0.id } }

  func requestStart(name: String?, row: Int64) -> ControlReply {
    state.withLock { state in
      if state.isEnding { return .refused("the collector is ending") }
      switch state.phase {
      case .starting, .closing: return .later
      case .recording:
        return .refused("a run is being recorded; stop it first")
      case .idle:
        state.phase = .starting
        startRequests.yield(Start(name: name, row: row))
        return .taken
      }
    }
  }

  func requestStop(row: Int64) -> ControlReply {
    let (reply, run) = state.withLock { state -> (ControlReply, CollectorRun?) in
      switch state.phase {
      case .idle: return (.refused("no run is being recorded"), nil)
      case .starting, .recording, .closing:
        guard let run = state.run else { return (.later, nil) }
        state.phase = .closing
        state.stopRows.append(row)
        return (.taken, run)
      }
    }
    run?.stop()
    return reply
  }
}

extension Logger {
  /// Says a line of the run's log in the daemon's own output too, debug lines left out unless asked for. What a
  /// provider or a library put into it is shown harmlessly.
  /// - Parameter target: the name of the line's target.
  func log(_ line: LogLine, target: String?) {
    let subject = target.map { "\(line.label): \($0)" } ?? line.label
    log(level: line.level.loggerLevel, "\(EscapedText.make("\(subject): \(line.message)"))")
  }
}

extension LogLine.Level {
  fileprivate var loggerLevel: Logger.Level {
    switch self {
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    }
  }
}
