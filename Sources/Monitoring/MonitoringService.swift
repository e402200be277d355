import Configuration
import HTTPServer
import Logging
import Measurement
import Store
import Synchronization
import Threads

/// Metrics and the web endpoint of a collector (docs/operations.md), for as long as it has the store.
///
/// It is told what is recorded and never makes the recorder wait: it counts under a lock of a few µs and does all else on
/// threads of its own. Objectives and alerts are ``AlertingService``'s.
public final class MonitoringService: Sendable {
  private struct State {
    var configuration: PushscopeConfiguration
    var reload: ReloadAction?
    var parts: Parts?
  }

  private struct Parts {
    var endpoint: WebEndpoint?
    var figures: RoundThread?
  }

  private let state: Mutex<State>
  private let metrics: CollectorMetrics
  private let version: String
  private let clock: any HostClock
  private let logger: Logger
  private let droppedLogLines: @Sendable () -> UInt64

  /// - Parameters:
  ///   - version: of this program, shown by the endpoint.
  ///   - droppedLogLines: the lines of this process's log that were not written.
  public init(
    _ configuration: PushscopeConfiguration, version: String, logger: Logger,
    droppedLogLines: @escaping @Sendable () -> UInt64 = { 0 }, clock: any HostClock = SystemClock()
  ) {
    self.droppedLogLines = droppedLogLines
    state = Mutex(State(configuration: configuration))
    metrics = CollectorMetrics(MetricsState(objectives: Self.counted(configuration)))
    self.version = version
    self.clock = clock
    self.logger = logger
  }

  /// The endpoint's port, also when 0 was configured; `nil` without an endpoint.
  public var port: Int? { state.withLock { $0.parts?.endpoint?.port } }

  /// Where the endpoint is: scheme, host and port; `nil` without one, and before the store is open.
  public var url: String? {
    state.withLock { state in
      guard let service = state.configuration.service, let port = state.parts?.endpoint?.port else {
        return nil
      }
      return
        "\(service.identity == nil ? "http" : "https")://\(ListenAddress(host: service.listen.host, port: port))"
    }
  }

  /// What was heard of the targets so far.
  public var heard: HeardTargets { HeardTargets(metrics.snapshot()) }

  /// Whether a part of the collector works; `nil`: the configuration does not ask for it.
  public func set(_ part: CollectorPart, isUp: Bool?) { metrics.update { $0.parts[part] = isUp } }

  /// How many findings are open.
  public func set(openFindings: [OpenFindings]) { metrics.update { $0.set(openFindings: openFindings) } }

  /// Lets `POST /-/reload` read the configuration again, where the configuration allows it.
  public func setReload(_ action: ReloadAction?) { state.withLock { $0.reload = action } }

  /// Adopts a configuration that was read again: labels, objectives, and who may ask the endpoint, whose address stays.
  public func update(_ configuration: PushscopeConfiguration) {
    metrics.update { $0.replace(Self.counted(configuration)) }
    let parts = state.withLock { state in
      state.configuration = configuration
      return state.parts
    }
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
          droppedLogLines: droppedLogLines())
      },
      isReady: { [metrics] in metrics.snapshot().isSendingPossible },
      reload: { [self] in state.withLock { $0.reload } })
  }
}

extension MonitoringService: CollectionObserver {
  public func opened(_ store: CollectorStore) async throws {
    let configuration = state.withLock { $0.configuration }
    metrics.update { $0.add(store.interruptedAtStart) }
    let endpoint: WebEndpoint? =
      if let service = configuration.service {
        try await WebEndpoint.start(service, clock: clock, content: content()) { [logger] limit in
          logger.error("\(HTTPServerConfiguration.shortageWords("web endpoint", limit: limit))")
        }
      } else { nil }
    state.withLock { $0.parts = Parts(endpoint: endpoint) }
    if let url { logger.info("metrics at \(url)/metrics") }
    let figures = try StoreFigureWatch(
      store, forwards: configuration.fleet?.writer != nil, metrics: metrics, clock: clock, logger: logger
    ).start()
    state.withLock { $0.parts?.figures = figures }
  }

  public func began(_ run: ObservedRun) { metrics.update { $0.begin(run) } }

  public func sending(isPossible: Bool) { metrics.update { $0.record(sendingIsPossible: isPossible) } }

  public func committed(_ commit: ObservedCommit) { metrics.update { $0.add(commit) } }

  public func observed(_ connections: [ObservedConnection]) { metrics.update { $0.add(connections) } }

  public func interrupted(_ rows: [InterruptedRows]) { metrics.update { $0.add(rows) } }

  public func ended() { metrics.update { $0.end() } }

  public func reloaded(isSuccessful: Bool) { metrics.update { $0.record(reloadIsSuccessful: isSuccessful) } }

  public func closing() async {
    let parts = state.withLock { state in
      defer { state.parts = nil }
      return state.parts
    }
    guard let parts else { return }
    await parts.endpoint?.shutdown()
    await parts.figures?.stop()
  }
}
