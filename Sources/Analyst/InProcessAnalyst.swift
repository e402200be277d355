import Configuration
import Logging
import Measurement
import Monitoring
import Store
import Synchronization
import Threads

/// The analyst's parts in the collector's own process, for hosts that have no memory for two (`analyst: off`): a fault in them ends
/// the collector.
public final class InProcessAnalyst: Sendable {
  private struct State {
    var settings: AnalystSettings
    var parts: AnalystParts?
    var heard: RoundThread?
  }

  private static let heardInterval = Duration.seconds(1)

  private let state: Mutex<State>
  private let client: any WebhookClient
  private let connections: AnalystConnections
  private let clock: any HostClock
  private let logger: Logger

  /// - Parameter client: sends the webhook.
  public init(
    _ configuration: PushscopeConfiguration, client: any WebhookClient, connections: AnalystConnections,
    logger: Logger, clock: any HostClock = SystemClock()
  ) {
    state = Mutex(State(settings: AnalystSettings(configuration)))
    self.client = client
    self.connections = connections
    self.clock = clock
    self.logger = logger
  }

  /// Adopts a configuration that was read again.
  public func update(_ configuration: PushscopeConfiguration) {
    let settings = AnalystSettings(configuration)
    state.withLock { $0.settings = settings }
    apply(.settings(settings))
  }

  private func apply(_ news: AnalystNews) {
    guard let parts = state.withLock({ $0.parts }) else { return }
    do {
      try parts.apply(news)
    } catch {
      logger.error("\(error)")
    }
  }
}

extension InProcessAnalyst: CollectionObserver {
  public var watchesCommits: Bool { false }

  public func opened(_ store: CollectorStore) async throws {
    let settings = state.withLock { $0.settings }
    let parts = try AnalystParts(
      settings, store: store, client: client, logger: logger, clock: clock, onOpen: connections.onOpen)
    state.withLock { $0.parts = parts }
    if let url = connections.url() { try parts.apply(.url(url)) }
    try parts.start()
    for part in settings.parts { connections.onPart(part, true) }
    let heard = try RoundThread(
      name: "heard",
      make: { [connections] in
        RoundThread.Work(round: {
          if let heard = connections.heard() { try parts.apply(.heard(heard)) }
          return Self.heardInterval
        })
      }, onTrouble: { _ in })
    state.withLock { $0.heard = heard }
  }

  public func began(_ run: ObservedRun) { apply(.run(run)) }

  public func closing() async {
    let (parts, heard) = state.withLock { ($0.parts, $0.heard) }
    await heard?.stop()
    await parts?.finish()
  }
}
