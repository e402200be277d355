import Configuration
import Logging
import Measurement
import Store
import Synchronization
import Threads

/// What a configuration says of objectives and alerts.
public struct AlertingSettings: Sendable, Equatable, Codable {
  public var objectives: [ObjectiveConfiguration]
  public var labels: [ConfiguredLabel]
  public var alerts: AlertConfiguration?

  public init(_ configuration: PushscopeConfiguration) {
    objectives = configuration.objectives
    labels = configuration.labels
    alerts = configuration.alerts
  }
}

/// Judges objectives and tells alerts, each on a thread of its own. Reads the store, and writes what follows from it.
public final class AlertingService: Sendable {
  private struct State {
    var settings: AlertingSettings
    var run: ObservedRun?
    var watch: ObjectiveWatch?
    var watching: RoundThread?
    var alerts: AlertSender
    var isSending = false
  }

  private let state: Mutex<State>
  private let store: any AnalystStore
  private let clock: any HostClock
  private let logger: Logger
  private let progress: @Sendable (CollectorPart) -> WorkProgress

  /// - Parameters:
  ///   - client: sends the webhook.
  ///   - progress: told what a part works at.
  /// - Throws: `StoreError`.
  public init(
    _ settings: AlertingSettings, store: any AnalystStore, client: any WebhookClient, logger: Logger,
    clock: any HostClock = SystemClock(),
    progress: @escaping @Sendable (CollectorPart) -> WorkProgress = { _ in .unreported }
  ) throws {
    let reader = try StoreReader.open(at: store.path)
    defer { reader.close() }
    let alerts = AlertSender(
      settings, stored: try reader.alerts(), store: store, client: client, clock: clock, logger: logger,
      progress: progress(.alerts))
    state = Mutex(State(settings: settings, alerts: alerts))
    self.store = store
    self.clock = clock
    self.logger = logger
    self.progress = progress
  }

  /// Starts a part that does not run yet.
  /// - Throws: `ThreadError`.
  public func start(_ part: CollectorPart) throws {
    try state.withLock { state in
      switch part {
      case .objectives where state.watch == nil:
        let watch = ObjectiveWatch(
          state.settings, store: store, alerts: state.alerts, clock: clock, logger: logger,
          progress: progress(.objectives))
        if let run = state.run { watch.set(run) }
        state.watching = try watch.start()
        state.watch = watch
      case .alerts where !state.isSending:
        try state.alerts.start()
        state.isSending = true
      case .findings, .objectives, .alerts, .forward: break
      }
    }
  }

  /// Adopts a configuration that was read again.
  public func set(_ settings: AlertingSettings) {
    let (watch, alerts) = state.withLock { state in
      state.settings = settings
      return (state.watch, state.alerts)
    }
    watch?.set(settings)
    alerts.set(settings)
  }

  /// Events belong to it.
  public func set(_ run: ObservedRun) {
    let watch = state.withLock { state in
      state.run = run
      return state.watch
    }
    watch?.set(run)
  }

  /// What was heard of the targets so far, for objectives of silence.
  public func set(_ heard: HeardTargets) { state.withLock { $0.watch }?.set(heard) }

  /// Where the web endpoint is, for those who read an alert.
  public func set(externalURL: String) { state.withLock { $0.alerts }.set(externalURL: externalURL) }

  /// Ends both. A message that is under way is waited for 5 s, and told again later.
  public func stop() async {
    let (watching, alerts) = state.withLock { ($0.watching, $0.alerts) }
    await watching?.stop()
    await alerts.stop()
  }
}
