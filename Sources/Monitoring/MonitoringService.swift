import Configuration
import HTTPServer
import Logging
import Measurement
import Store
import Synchronization

/// Metrics, objectives, alerts and the web endpoint of a collector (docs/operations.md), for as long as it has the store.
///
/// It is told what is recorded and never makes the recorder wait: it counts under a lock of a few µs and does all else on
/// threads of its own.
public final class MonitoringService: Sendable {
  private struct State {
    var configuration: PushscopeConfiguration
    var reload: ReloadAction?
    var parts: Parts?
  }

  private struct Parts {
    var endpoint: WebEndpoint?
    var watch: ObjectiveWatch
    var alerts: AlertSender
  }

  private let state: Mutex<State>
  private let metrics: CollectorMetrics
  private let version: String
  private let clock: any HostClock
  private let logger: Logger
  private let client: any WebhookClient
  private let forwardBacklog: (@Sendable () -> Int?)?
  private let droppedLogLines: @Sendable () -> UInt64

  /// - Parameters:
  ///   - version: of this program, shown by the endpoint.
  ///   - client: sends the webhook.
  ///   - forwardBacklog: the rows that are not in the fleet yet, where the store is forwarded.
  ///   - droppedLogLines: the lines of this process's log that were not written.
  public init(
    _ configuration: PushscopeConfiguration, version: String, logger: Logger, client: any WebhookClient,
    forwardBacklog: (@Sendable () -> Int?)? = nil,
    droppedLogLines: @escaping @Sendable () -> UInt64 = { 0 }, clock: any HostClock = SystemClock()
  ) {
    self.droppedLogLines = droppedLogLines
    self.forwardBacklog = forwardBacklog
    state = Mutex(State(configuration: configuration))
    metrics = CollectorMetrics(MetricsState(objectives: Self.counted(configuration)))
    self.version = version
    self.clock = clock
    self.logger = logger
    self.client = client
  }

  /// The endpoint's port, also when 0 was configured; `nil` without an endpoint.
  public var port: Int? { state.withLock { $0.parts?.endpoint?.port } }

  /// Lets `POST /-/reload` read the configuration again, where the configuration allows it.
  public func setReload(_ action: ReloadAction?) { state.withLock { $0.reload = action } }

  /// Takes a configuration that was read again: labels, objectives, alerts, and who may ask the endpoint, whose address stays.
  public func update(_ configuration: PushscopeConfiguration) {
    metrics.update { $0.replace(Self.counted(configuration)) }
    let parts = state.withLock { state in
      state.configuration = configuration
      return state.parts
    }
    parts?.watch.set(
      ObjectiveWatch.Settings(objectives: configuration.objectives, labels: configuration.labels))
    parts?.alerts.set(configuration.alerts)
    guard let endpoint = parts?.endpoint, let service = configuration.service else { return }
    do {
      try endpoint.replace(service)
    } catch {
      // It was found sound a moment ago: its files were replaced since.
      logger.error("the web endpoint goes on with its former certificate and password: \(error)")
    }
  }

  /// Objectives of shares.
  private static func counted(_ configuration: PushscopeConfiguration) -> [MetricsState.Objective] {
    configuration.objectives.compactMap { objective in
      guard case .share(_, let within, let metric, _) = objective.promise else { return nil }
      return MetricsState.Objective(
        name: objective.name, target: objective.target, metric: metric, limit: within.microseconds)
    }
  }

  private func content() -> WebContent {
    WebContent(
      version: version,
      families: { [self] in
        metrics.snapshot().families(
          labels: state.withLock { $0.configuration.labels }, version: version, at: clock.wallNow(),
          forwardBacklog: forwardBacklog?(), droppedLogLines: droppedLogLines())
      },
      isReady: { [metrics] in metrics.snapshot().isSendingPossible },
      reload: { [self] in state.withLock { $0.reload } })
  }
}

extension MonitoringService: CollectionObserver {
  public func opened(_ store: CollectorStore) async throws {
    let configuration = state.withLock { $0.configuration }
    metrics.update { $0.add(store.interruptedAtStart) }
    let alerts = AlertSender(
      configuration.alerts, stored: try StoreReader.open(at: store.path).alerts(), store: store,
      client: client,
      clock: clock, logger: logger)
    let watch = ObjectiveWatch(
      ObjectiveWatch.Settings(objectives: configuration.objectives, labels: configuration.labels),
      store: store, metrics: metrics, alerts: alerts, clock: clock, logger: logger)
    let endpoint: WebEndpoint? =
      if let service = configuration.service {
        try await WebEndpoint.start(service, clock: clock, content: content()) { [logger] limit in
          logger.error("\(HTTPServerConfiguration.shortageWords("web endpoint", limit: limit))")
        }
      } else { nil }
    state.withLock { $0.parts = Parts(endpoint: endpoint, watch: watch, alerts: alerts) }
    if let endpoint, let service = configuration.service {
      let scheme = service.identity == nil ? "http" : "https"
      let address = ListenAddress(host: service.listen.host, port: endpoint.port)
      alerts.set(externalURL: "\(scheme)://\(address)")
      logger.info("metrics at \(scheme)://\(address)/metrics")
    }
    try alerts.start()
    try watch.start()
  }

  public func began(_ run: ObservedRun) {
    metrics.update { $0.begin(run) }
    state.withLock { $0.parts?.watch }?.set(run)
  }

  public func sending(isPossible: Bool) { metrics.update { $0.note(sendingIsPossible: isPossible) } }

  public func committed(_ commit: ObservedCommit) { metrics.update { $0.add(commit) } }

  public func observed(_ connections: [ObservedConnection]) { metrics.update { $0.add(connections) } }

  public func interrupted(_ rows: [InterruptedRows]) { metrics.update { $0.add(rows) } }

  public func ended() { metrics.update { $0.end() } }

  public func reloaded(isSuccessful: Bool) { metrics.update { $0.note(reloadIsSuccessful: isSuccessful) } }

  public func closing() async {
    let parts = state.withLock { state in
      defer { state.parts = nil }
      return state.parts
    }
    guard let parts else { return }
    await parts.endpoint?.shutdown()
    await parts.watch.stop()
    await parts.alerts.stop()
  }
}
