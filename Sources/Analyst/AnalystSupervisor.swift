import Configuration
import Logging
import Measurement
import Monitoring
import Store
import Synchronization
import Threads

/// What the analyst tells the rest of the collector, and asks it.
public struct AnalystConnections: Sendable {
  /// What was heard of the targets; asked once a second.
  var heard: @Sendable () -> HeardTargets?
  /// Where the web endpoint is; asked once, when the store is open.
  var url: @Sendable () -> String?
  /// Told whether a part works; `nil`: the configuration does not ask for it.
  var onPart: @Sendable (CollectorPart, Bool?) -> Void
  /// Told how many findings are open.
  var onOpen: @Sendable ([OpenFindings]) -> Void

  /// - Parameter monitoring: `nil` where nothing is monitored.
  public init(_ monitoring: MonitoringService?) {
    heard = { monitoring?.heard }
    url = { monitoring?.url }
    onPart = { monitoring?.set($0, isUp: $1) }
    onOpen = { monitoring?.set(openFindings: $0) }
  }
}

/// Keeps an analyst's process at work for as long as the collector has its store (docs/operations.md, Faults are contained).
///
/// The process may crash, hang or be killed at any moment: it is started again from its checkpoints, and a part of it that fails
/// again and again at the same work is switched off alone. Sending and recording do not wait for any of it.
public final class AnalystSupervisor: Sendable {
  private struct State {
    var settings: AnalystSettings
    var run: ObservedRun?
    /// What a running analyst was not told yet.
    var news: [AnalystNews] = []
    /// Every part is to be tried again.
    var isReloaded = false
    /// When its end is waited for no longer.
    var deadline: MonotonicTime?
    var wake: WakeSignal?
    var ended: FirstResult<Void, Never>?
  }

  private static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.minutes(1)
  /// Whatever ran so long did not fail at its start.
  private static let steady = Duration.minutes(2)
  /// How long the end of the collector waits for the last round.
  private static let shutdownTimeout = Duration.seconds(10)
  private static let heardInterval = Duration.seconds(1)

  private let state: Mutex<State>
  private let command: AnalystLauncher
  private let connections: AnalystConnections
  private let clock: any HostClock
  private let logger: Logger

  /// - Parameter environment: this process's.
  public init(
    _ configuration: PushscopeConfiguration, environment: [String: String], connections: AnalystConnections,
    logger: Logger, clock: any HostClock = SystemClock()
  ) {
    state = Mutex(State(settings: AnalystSettings(configuration)))
    command = AnalystLauncher(environment: environment)
    self.connections = connections
    self.clock = clock
    self.logger = logger
  }

  /// Adopts a configuration that was read again. Parts that are switched off are tried again.
  public func update(_ configuration: PushscopeConfiguration) {
    state.withLock { state in
      state.settings = AnalystSettings(configuration)
      state.news.append(.settings(state.settings))
      state.isReloaded = true
    }
    wake()
  }

  private func wake() { state.withLock { $0.wake }?.raise() }

  // MARK: - Thread

  /// What the supervisor's thread has to itself.
  private final class Worker {
    private let owner: AnalystSupervisor
    private let store: CollectorStore
    private let wake: WakeSignal
    private var failures = PartFailures()
    private var failedParts: [CollectorPart: FailedPart] = [:]
    private var processFailures = ProcessFailures()
    /// Set while the process is unsteady.
    private var failedProcess: FailedPart?
    private var backoff = Backoff(first: firstPause, longest: longestPause)

    init(_ owner: AnalystSupervisor, _ store: CollectorStore, _ wake: WakeSignal) {
      self.owner = owner
      self.store = store
      self.wake = wake
    }

    private var deadline: MonotonicTime? { owner.state.withLock { $0.deadline } }
    private var settings: AnalystSettings { owner.state.withLock { $0.settings } }

    /// Runs one process after the other until the collector ends.
    func run() {
      while true {
        let start = owner.clock.monotonicNow()
        let end = session()
        if case .failed(let reason, let work) = end {
          if owner.clock.monotonicNow() - start >= steady { backoff.succeeded() }
          backoff.failed()
          record(reason, work)
          show(isRunning: false)
        }
        if end == .finished { return }
        if deadline != nil { return logUnfinished("was not running at the end") }
        wake.wait(atMost: backoff.pause)
        if deadline != nil { return logUnfinished("was not running at the end") }
      }
    }

    private func session() -> AnalystSession.End {
      let session: AnalystSession
      do {
        session = try AnalystSession(
          owner.command, store: store, clock: owner.clock, logger: owner.logger,
          onOpen: owner.connections.onOpen)
      } catch {
        return .failed(reason: "\(error)", work: nil)
      }
      begin(session)
      var heardDue = owner.clock.monotonicNow()
      while true {
        if let end = session.step(wake) { return end }
        let now = owner.clock.monotonicNow()
        pass(to: session, at: now)
        if processFailures.settle(at: now) { settle() }
        if now >= heardDue, !session.isBehind, let heard = owner.connections.heard() {
          heardDue = now + heardInterval
          session.send(.news(.heard(heard)))
        }
        if let deadline, now >= deadline {
          session.kill()
          logUnfinished("did not finish within \(LengthText.text(shutdownTimeout))")
          return .finished
        }
      }
    }

    private func begin(_ session: AnalystSession) {
      let (settings, run) = owner.state.withLock { state in
        state.news = []
        return (state.settings, state.run)
      }
      retry(failures.resumeRested(at: owner.clock.monotonicNow()))
      let news = [
        owner.connections.url().map(AnalystNews.url), owner.connections.heard().map(AnalystNews.heard),
        run.map(AnalystNews.run),
      ]
      session.send(
        .begin(
          AnalystStart(
            storePath: store.path, collectorID: store.collectorID, revisionAtStart: store.revisionAtStart,
            settings: settings, switchedOff: Set(failures.switchedOff.keys), news: news.compactMap { $0 })))
      show(isRunning: true)
    }

    /// Passes on what came since the last time, and asks for the end once.
    private func pass(to session: AnalystSession, at now: MonotonicTime) {
      let (news, isReloaded) = owner.state.withLock { state in
        defer { (state.news, state.isReloaded) = ([], false) }
        return (state.news, state.isReloaded)
      }
      for one in news { session.send(.news(one)) }
      var rested = failures.resumeRested(at: now)
      if isReloaded {
        rested.formUnion(failures.switchedOff.keys)
        failures.forget()
      }
      if !rested.isEmpty || isReloaded {
        retry(rested)
        session.send(.news(.switchedOff(Set(failures.switchedOff.keys))))
        show(isRunning: true)
      }
      if deadline != nil, !session.isFinishing { session.send(.finish) }
    }

    private func logUnfinished(_ why: String) {
      owner.logger.notice(
        "the analyst \(why): findings and alerts that are missing are made at the next start, and rows that are not forwarded are sent then"
      )
    }

    // MARK: - Failures

    private func record(_ reason: String, _ work: WorkWatch.Work?) {
      let now = owner.clock.wallNow()
      let monotonic = owner.clock.monotonicNow()
      let isSwitchedOff = work.map { failures.record($0.part, unit: $0.unit, at: monotonic) } ?? false
      let wasUnsteady = processFailures.isUnsteady
      var words = Self.words(reason, work, isSwitchedOff: isSwitchedOff, isLast: deadline != nil)
      if let work, isSwitchedOff {
        failedParts[work.part] = FailedPart(
          part: work.part, reason: reason, unit: work.unit, since: now, retryAt: now + PartFailures.rest)
      }
      let isUnsteadyNow = processFailures.record(at: monotonic)
      if let since = processFailures.since {
        failedProcess = FailedPart(
          part: nil, reason: reason, unit: work?.unit ?? "",
          since: failedProcess?.since ?? now - (monotonic - since),
          retryAt: now + ProcessFailures.period)
      }
      if isUnsteadyNow {
        let period = LengthText.text(ProcessFailures.period)
        words +=
          ", \(ProcessFailures.limit) failures within \(period): further ones are in the collector's own output alone, until it has run for \(period) without one"
      }
      owner.logger.error("\(words); sending and recording do not depend on it")
      save {
        if isSwitchedOff || !wasUnsteady {
          var changes = ObjectiveChanges()
          changes.run = owner.state.withLock { $0.run?.id }
          changes.events = [Event(at: now, kind: .partFailed, detail: words)]
          changes.log = [LogLine(at: now, level: .error, label: "analyst", message: words)]
          try store.save(changes)
        }
        try setFailedParts()
      }
    }

    private static func words(
      _ reason: String, _ work: WorkWatch.Work?, isSwitchedOff: Bool, isLast: Bool
    ) -> String {
      guard let work else {
        return "the analyst's process failed (\(reason))" + (isLast ? "" : " and is started again")
      }
      let what = "\(work.part.words) failed at \"\(work.unit)\" (\(reason))"
      if isSwitchedOff {
        return
          "\(what), \(PartFailures.limit) times within \(LengthText.text(PartFailures.period)): it is switched off for "
          + "\(LengthText.text(PartFailures.rest)), or until a reload"
      }
      return isLast ? what : "\(what) and begins again from its last checkpoint"
    }

    /// The process has not failed for long enough.
    private func settle() {
      failedProcess = nil
      owner.logger.notice(
        "the analyst has run for \(LengthText.text(ProcessFailures.period)) without a failure")
      saveFailedParts()
      show(isRunning: true)
    }

    private func retry(_ parts: Set<CollectorPart>) {
      let known = parts.filter { failedParts.removeValue(forKey: $0) != nil }
      guard !known.isEmpty else { return }
      for part in known.sorted(by: { $0.rawValue < $1.rawValue }) {
        owner.logger.notice("\(part.words) is tried again")
      }
      saveFailedParts()
    }

    private func saveFailedParts() { save(setFailedParts) }

    private func setFailedParts() throws {
      try store.set(failedParts: failedParts.values + (failedProcess.map { [$0] } ?? []))
    }

    /// What cannot be written is in the log of the process at least.
    private func save(_ body: () throws -> Void) {
      do { try body() } catch { owner.logger.error("\(error); a fault of the analyst is not in the store") }
    }

    private func show(isRunning: Bool) {
      let parts = settings.parts
      for part in CollectorPart.allCases {
        let isUp = isRunning && !processFailures.isUnsteady && failures.switchedOff[part] == nil
        owner.connections.onPart(part, parts.contains(part) ? isUp : nil)
      }
    }
  }
}

extension AnalystSupervisor: CollectionObserver {
  public var watchesCommits: Bool { false }

  public func opened(_ store: CollectorStore) async throws {
    let wake = try WakeSignal()
    let ended = FirstResult<Void, Never>()
    // The process ends with this thread, which therefore stays until the collector ends.
    try DedicatedThread.start(name: "analyst") { [self] in
      Worker(self, store, wake).run()
      ended.finish()
    }
    state.withLock { state in
      state.wake = wake
      state.ended = ended
    }
  }

  public func began(_ run: ObservedRun) {
    state.withLock { state in
      state.run = run
      state.news.append(.run(run))
    }
    wake()
  }

  /// Waits for the last round, up to ``shutdownTimeout``.
  public func closing() async {
    let ended = state.withLock { state in
      state.deadline = clock.monotonicNow() + Self.shutdownTimeout
      return state.ended
    }
    wake()
    await ended?.value()
  }
}
