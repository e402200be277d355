import Configuration
import HTTPServer
import Logging
import Measurement
import Providers
import Store
import Threads
import Transport

/// One run of the collector, from its first row in the store to its end: the order in which its parts start and end.
///
/// It connects three threads: the timing thread plans, sends and stamps; the recorder applies and commits; the receipt
/// listener takes devices' receipts. What each may wait for is in docs/architecture.md.
final class CollectorRun: Sendable {
  private let configuration: PushscopeConfiguration
  private let environment: CollectorEnvironment
  private let control: RunCoordinator
  private let listener: ReceiptListener?

  /// - Parameter listener: passes receipts to the run; `nil` where none are taken.
  init(
    _ configuration: PushscopeConfiguration, in environment: CollectorEnvironment, _ control: RunCoordinator,
    listener: ReceiptListener?
  ) {
    self.configuration = configuration
    self.environment = environment
    self.control = control
    self.listener = listener
  }

  /// Runs until every target has completed its schedule, or ``RunCoordinator`` tells the run to end.
  /// - Parameter onStart: called once sending begins.
  /// - Returns: the run's outcome, for the last line of the log.
  /// - Throws: ``CollectorError``, `StoreError`, `FileReadError` or `HTTPServerError` before anything is sent;
  ///   `StoreError` later only when the last changes could not be committed.
  func run(
    in store: CollectorStore, bootID: String, onStart: @escaping @Sendable (RunStart) -> Void = { _ in }
  ) async throws -> RunEnd {
    let (clock, manager, observer) = (environment.clock, environment.manager, environment.observer)
    control.prepare()
    let preparation = try RunPreparation(configuration, environment)
    let inbox = try RecorderInbox()
    control.open(inbox)
    control.add(preparation.targets)
    var parts = StartupSequence()
    do {
      try await parts.start {
        listener?.pass(to: inbox)
      } end: { [listener] _, _ in
        listener?.pass(to: nil)
      }
      let run = try await parts.start {
        try register(preparation, in: store, bootID: bootID, inbox: inbox)
      } end: { [control] run, reason in
        // A run that is not ended here, because of the store, is ended when the store is opened again.
        observer?.sending(isPossible: false)
        defer { observer?.ended() }
        let rows = try store.endRun(
          run.id, at: clock.wallNow(), reason: reason, sendingEnded: control.timing?.sendingEnded)
        observer?.interrupted(rows)
      }
      let services = try await parts.start {
        try run.parts.services(of: run.entries, authenticator: run.authenticator)
      } end: { services, _ in
        services.stop()
        run.services.stop()
      }
      let recorder = try await parts.start {
        try run.parts.recorder(of: run, ending: control)
      } end: { recorder, reason in
        // After a failure the rows and log lines so far are still committed.
        if reason == .failed { inbox.close(by: clock.monotonicNow()) }
        defer { manager?.countRecorder(isRunning: false) }
        _ = try await recorder.finished()
      }
      manager?.countRecorder(isRunning: true)
      let targets = CountText.text(preparation.targets.count, "target")
      manager?.notify(status: "waiting for credentials and subscriptions of \(targets)")
      manager?.notifyReady()
      if let readiness = try await control.ready(services) {
        try await send(run, services, readiness, inbox) {
          onStart(RunStart(run: run.id, receiptsPort: listener?.port))
        }
      }
      let reason = control.close(inbox)
      observer?.sending(isPossible: false)
      try await parts.end(reason)
      return RunEnd(
        run: run.id, wasStopped: reason == .stopped, timing: control.timing?.statistics ?? TimingStatistics(),
        recorder: try await recorder.finished())
    } catch {
      try? await parts.end(.failed)
      throw error
    }
  }

  // MARK: Steps

  /// Sends until every target has completed its schedule, or the run is told to end.
  private func send(
    _ run: ActiveRun, _ services: TargetServices, _ readiness: Readiness, _ inbox: RecorderInbox,
    onStart: () -> Void
  ) async throws {
    try logUnreached(readiness, run.entries.map(\.id), inbox: inbox)
    let sent = FirstResult<Void, Never>()
    let timing = try run.parts.timingThread(
      for: try run.parts.transportTargets(
        of: run.entries, authenticator: run.authenticator, readiness: readiness),
      services: run.services, deviceKeyHash: run.deviceKeyHash)
    run.services.add(services)
    services.attach(timing)
    try control.send(.init(run: run, thread: timing)) { sent.finish() }
    environment.manager?.notify(status: "recording run \(run.id), targets: \(run.entries.count)")
    environment.observer?.sending(isPossible: true)
    onStart()
    await sent.value()
  }

  /// Writes the run's row and its targets' rows.
  private func register(
    _ preparation: RunPreparation, in store: CollectorStore, bootID: String, inbox: RecorderInbox
  ) throws -> ActiveRun {
    let targets = preparation.targets
    let name = environment.options.runName
    var generator = SystemRandomNumberGenerator()
    let started = ClockAnchor(reading: environment.clock)
    let id = RunID(at: started.wall, using: &generator)
    let registration = try store.beginRun(
      RunDescription(
        id: id, name: name, startedAt: started.wall, startedMonotonic: started.monotonic, bootID: bootID,
        labels: Dictionary(
          configuration.labels.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
        targets: targets.map(\.description))
    ).byName
    let list = targets.map { "\($0.configuration.name) (\(FrequencyText.text($0.arrivals.rate.perSecond)))" }
      .joined(separator: ", ")
    let port = listener?.port.map { "; listening for receipts on port \($0)" } ?? ""
    let absent = environment.options.targetNames.filter { name in
      !targets.contains { $0.configuration.name == name }
    }
    inbox.post([
      .event(Event(at: started.wall, kind: .runStarted, detail: name ?? "")),
      .log(
        LogLine(
          at: environment.clock.wallNow(), level: .info, label: "collector",
          message: "\(list.isEmpty ? "no device has joined yet" : "sending to \(list)")\(port)")),
    ])
    inbox.post(
      absent.map {
        .log(
          LogLine(
            at: environment.clock.wallNow(), level: .warning, label: "collector",
            message:
              "no target is named \($0): notifications go there once a device has joined under this name"))
      })
    environment.observer?.began(
      ObservedRun(
        id: id,
        targets: targets.compactMap { target in
          registration[target.configuration.name].map { target.observed(as: $0) }
        }))
    return ActiveRun(
      RunParts(
        run: id, bootID: bootID, store: store, inbox: inbox, environment: environment,
        credentials: try CredentialThread()),
      targets: targets.compactMap { target in
        registration[target.configuration.name].map {
          .init(id: $0.id, variants: $0.variants, target: target)
        }
      }, secret: preparation.signingSecret(after: nil, store: environment.options.storePath))
  }

  /// Logs the targets that are not ready; the others begin without them.
  /// - Throws: ``CollectorError`` when no target can begin.
  private func logUnreached(_ readiness: Readiness, _ targets: [TargetID], inbox: RecorderInbox)
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
            at: environment.clock.wallNow(), level: .error, target: $0.id, label: "collector",
            message: "sending begins without it: \($0.reason); it is retried until it succeeds"))
      })
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
