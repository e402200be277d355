import Analysis
import Configuration
import FoundationEssentials
import HTTPServer
import Logging
import Measurement
import Providers
import Store
import Threads

/// The collector for as long as it has the store: records one run after the other.
///
/// The first run begins with the service. With a count or a duration the service ends with that run. Otherwise it stays after
/// a run is stopped through the store, and begins the next one on request. The receipt listener stands as long as the service; while
/// it is idle it tells the time, and devices are answered to post their receipts again.
///
/// ``reload()`` reads the configuration again and goes on with it, all or nothing. A credential's file that is replaced is taken
/// up by itself.
public final class CollectorService: Sendable {
  private let environment: CollectorEnvironment
  private let control: RunCoordinator
  private let reloader: ConfigurationReloader
  /// Whether it stays after a run is stopped through the store.
  private let staysAfterRun: Bool

  /// - Parameters:
  ///   - observer: told what is recorded, for as long as the collector has the store.
  ///   - load: reads the configuration again, for ``reload()``.
  public init(
    configuration: PushscopeConfiguration, options: CollectorOptions, logger: Logger,
    clock: any HostClock = SystemClock(), manager: ServiceManager? = nil,
    observer: (any CollectionObserver)? = nil,
    load: (@Sendable () throws -> PushscopeConfiguration)? = nil
  ) {
    environment = CollectorEnvironment(
      options: options, clock: clock, logger: logger, manager: manager, observer: observer,
      devices: configuration.devices.map {
        DeviceRegistry(
          $0, store: options.storePath, acceptsJoins: !options.isLimited,
          clock: clock, logger: logger)
      })
    staysAfterRun = !options.isLimited
    control = RunCoordinator(staysAfterRun: staysAfterRun, drain: options.drain, clock: clock)
    reloader = ConfigurationReloader(configuration, control: control, environment: environment, load: load)
  }

  /// What the collector works by at present.
  public var configuration: PushscopeConfiguration { reloader.configuration }

  /// Adds what is told each configuration that a reload takes; called on the thread of the reload.
  public func onConfiguration(_ observe: @escaping @Sendable (PushscopeConfiguration) -> Void) {
    reloader.onConfiguration(observe)
  }

  /// Reads the configuration and every credential again, and goes on with them: all of it or nothing. May be called from any
  /// thread, at any time.
  @discardableResult
  public func reload() async -> ReloadOutcome { await reloader.reload() }

  /// Checks configuration and credentials without opening the store or a socket, and without sending.
  /// - Throws: ``CollectorError``, `FileReadError`, `HTTPServerError`.
  public func check() throws {
    try reloader.loadDevices()
    _ = try RunPreparation(configuration, environment)
    try configuration.checkListenerFiles()
  }

  /// What is to be said of the certificates that the collector shows: of those that are not valid, or end soon.
  public func certificateNotices() -> [String] {
    let now = environment.clock.wallNow()
    return configuration.shownCertificates.compactMap { shown in
      shown.condition.flatMap { CertificateWords($0, at: now)?.line }
    }
  }

  /// Asks the service to end, and the current run first. May be called from any thread, at any time, more than once.
  public func stop() { stop(because: nil) }

  private func stop(because failure: StoreError?) {
    environment.manager?.notifyStopping()
    control.stop(because: failure)
  }

  /// Runs until ``stop()``, or until the only run has completed.
  /// - Parameters:
  ///   - onStart: called when a run begins to send.
  ///   - onEnd: called when a run is closed.
  /// - Returns: the outcome of the last run; `nil` when none was closed.
  /// - Throws: ``CollectorError``, `DescriptorShortage`, `StoreError`, `FileReadError` or `HTTPServerError` before anything is sent;
  ///   `StoreError` later only when the last changes could not be committed.
  @discardableResult
  public func run(
    onStart: @escaping @Sendable (RunStart) -> Void = { _ in },
    onEnd: @escaping @Sendable (RunEnd) -> Void = { _ in }
  ) async throws -> RunEnd? {
    let logger = environment.logger
    let last: RunEnd?
    // Configuration errors are found before the store is opened.
    try reloader.loadDevices()
    let preparation = try RunPreparation(configuration, environment)
    try DescriptorNeed.check(configuration, targets: preparation.targets.count)
    // If the kernel does not tell, a boot that no device can name, so that no device's clock is taken for this host's.
    let bootID = BootID.current() ?? UUID().uuidString
    try await checkListener()
    environment.manager?.notify(status: "opening the store")
    let store = try CollectorStore.open(
      at: environment.options.storePath, clock: environment.clock,
      options: CollectorStoreOptions(
        bootID: bootID,
        durability: configuration.collector.durability == .full ? .full : .normal,
        access: configuration.collector.storeGroup.map { .group($0.number) } ?? .owner))
    reloader.record(in: store)
    defer {
      reloader.record(in: nil)
      store.close()
    }
    for recovered in store.recovered.runs {
      logger.notice(
        "run \(recovered.run) was not closed by its collector: \(recovered.interrupted) interrupted, \(recovered.removed) never due"
      )
    }
    try store.refuseLeftoverRequests()
    try environment.devices?.open(store) { [reloader] in await reloader.reloadDevices(because: $0) }
    defer { environment.devices?.close() }
    let secret = try RunPreparation.secret(configuration, environment)
    let listener = try await listen(store, bootID, secret)
    reloader.serve(listener, secret: secret)
    do {
      last = try await serve(store, bootID, listener, onStart: onStart, onEnd: onEnd)
    } catch {
      reloader.serve(nil)
      await listener?.shutdown()
      throw error
    }
    reloader.serve(nil)
    await listener?.shutdown()
    return last
  }

  /// Records run after run.
  private func serve(
    _ store: CollectorStore, _ bootID: String, _ listener: ReceiptListener?,
    onStart: @escaping @Sendable (RunStart) -> Void, onEnd: @escaping @Sendable (RunEnd) -> Void
  ) async throws -> RunEnd? {
    let (logger, observer) = (environment.logger, environment.observer)
    var next = RunCoordinator.Start(name: environment.options.runName)
    var last: RunEnd?
    let maintenance = try maintain(store, bootID)
    let credentials: RoundThread
    do {
      credentials = try watchCredentials()
    } catch {
      await maintenance.stop()
      throw error
    }
    do {
      try await observer?.opened(store)
      var requests = control.starts.makeAsyncIterator()
      repeat {
        last = try await record(
          next, in: store, bootID, maintenance, listener, onStart: onStart, onEnd: onEnd)
        guard control.enterIdle() else { break }
        maintenance.wake()
        environment.manager?.notify(status: "idle")
        logger.info("idle: a run can be started from the dashboard; SIGINT or SIGTERM ends the collector")
        guard let request = await requests.next() else { break }
        next = request
      } while true
    } catch {
      await close(credentials, maintenance)
      throw error
    }
    await close(credentials, maintenance)
    if let failure = control.failure { throw failure }
    return last
  }

  /// Ends what works beside the runs. What looks at the rows for the last time needs the store in order.
  private func close(_ credentials: RoundThread, _ maintenance: RoundThread) async {
    await credentials.stop()
    await environment.observer?.closing()
    await maintenance.stop()
  }

  /// Checks the listener before the store is opened: always the certificate, and the address only if the store does not exist
  /// yet. For an existing store the error about another collector, which uses the address too, is the helpful one.
  private func checkListener() async throws {
    if let receipts = configuration.collector.receipts {
      _ = try ServerIdentity(certificateFile: receipts.certificateFile, keyFile: receipts.keyFile.path)
    }
    guard !FileManager.default.fileExists(atPath: environment.options.storePath) else { return }
    for address in [configuration.collector.receipts?.listen, configuration.devices?.listen] {
      if let address { try await HTTPServer.check(host: address.host, port: address.port) }
    }
  }

  /// Listens for receipts, and for devices that join.
  private func listen(_ store: CollectorStore, _ bootID: String, _ secret: [UInt8]?) async throws
    -> ReceiptListener?
  {
    let (receipts, devices) = (configuration.collector.receipts, configuration.devices)
    guard let secret, receipts != nil || devices != nil else { return nil }
    var options = ReceiptListenerOptions(
      receipts.map {
        .init(address: $0.listen, certificateFile: $0.certificateFile, keyFile: $0.keyFile.path)
      }, plain: devices?.listen)
    options.onShortage = { [logger = environment.logger] limit in
      logger.error("\(HTTPServerConfiguration.shortageWords("receipt listener", limit: limit))")
    }
    options.showsTimesAfter = try store.latestTimeShown(bootID: bootID)
    return try await ReceiptListener.start(
      options, authenticator: ReceiptAuthenticator(secret: secret, collectorID: store.collectorID),
      clock: environment.clock, devices: environment.devices)
  }

  // MARK: Threads beside the runs

  /// Begins to answer commands, and to keep the store in order.
  private func maintain(_ store: CollectorStore, _ bootID: String) throws(ThreadError) -> RoundThread {
    let (logger, manager, clock) = (environment.logger, environment.manager, environment.clock)
    return try RoundThread(
      name: "maintenance",
      make: { [control, reloader, staysAfterRun, devices = environment.devices] in
        let maintenance = StoreMaintenance(
          store: store, control: control, staysAfterRun: staysAfterRun,
          host: HostTime(clock: clock, bootID: bootID),
          devices: devices,
          policy: { RetentionPolicy(reloader.configuration) },
          certificates: { reloader.configuration.shownCertificates },
          onLine: { logger.notice("\($0)") })
        return RoundThread.Work(round: {
          manager?.notifyAlive(.maintenance, at: clock.monotonicNow())
          return try maintenance.round()
        })
      },
      isFinal: { ($0 as? StoreError)?.isStoreLost == true },
      onTrouble: { [self] error in
        if let lost = error as? StoreError, lost.isStoreLost {
          stop(because: lost)
        } else if let error {
          logger.error("\(error); maintenance of the store is retried each second")
        } else {
          logger.notice("maintenance of the store succeeds again")
        }
      })
  }

  /// Looks for credentials that were replaced.
  private func watchCredentials() throws(ThreadError) -> RoundThread {
    try RoundThread(
      name: "file watch",
      make: { [reloader] in
        var watch = CredentialWatch()
        return RoundThread.Work(round: {
          let replaced = watch.poll(reloader.configuration.watchedFiles)
          if !replaced.isEmpty { Task { await reloader.reloadCredentials(replaced) } }
          return CredentialWatch.interval
        })
      }, onTrouble: { _ in })
  }

  // MARK: Runs

  /// Records one run.
  /// - Returns: `nil` when a requested run could not begin.
  private func record(
    _ start: RunCoordinator.Start, in store: CollectorStore, _ bootID: String, _ maintenance: RoundThread,
    _ listener: ReceiptListener?, onStart: @escaping @Sendable (RunStart) -> Void,
    onEnd: @escaping @Sendable (RunEnd) -> Void
  ) async throws -> RunEnd? {
    var environment = environment
    environment.options.runName = start.name
    let run = CollectorRun(configuration, in: environment, control, listener: listener)
    do {
      let end = try await run.run(in: store, bootID: bootID) { [self] begun in
        answer([start.row].compactMap { $0 }, in: store)
        maintenance.wake()
        onStart(begun)
      }
      let closed = control.finish()
      answer(closed.stopRows, in: store)
      if let row = start.row, !closed.hasSent {
        try store.answer(row, refusal: "the run was stopped before it began to send")
      }
      onEnd(end)
      return end
    } catch {
      let closed = control.finish()
      answer(closed.stopRows, in: store)
      // The first run's error ends the collector; a later run's goes to whoever requested it.
      guard let row = start.row, !closed.hasSent else { throw error }
      self.environment.logger.error("the run could not begin: \(error)")
      try store.answer(row, refusal: "the run could not begin: \(error)")
      return nil
    }
  }

  /// A command whose answer cannot be written stays unanswered.
  private func answer(_ rows: [Int64], in store: CollectorStore) {
    for row in rows {
      do {
        try store.answer(row)
      } catch {
        environment.logger.error("a command could not be answered: \(error)")
      }
    }
  }
}
