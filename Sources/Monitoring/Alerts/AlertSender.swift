import Configuration
import Logging
import Measurement
import Store
import Synchronization
import Threads

/// Tells alerts on the ways of the configuration, one message at a time on a thread of its own, and keeps in the store what is
/// told. Whoever raises alerts never waits for it.
final class AlertSender: Sendable {
  private struct State {
    var queue: AlertQueue
    var settings: AlertingSettings
    var externalURL = ""
    var thread: RoundThread?
  }

  private let state: Mutex<State>
  private let store: any AnalystStore
  private let client: any WebhookClient
  private let clock: any HostClock
  private let logger: Logger
  private let progress: WorkProgress

  /// The longest time between two looks at the findings and at what is due.
  private static let interval = Duration.seconds(10)

  /// - Parameter stored: of the last collector.
  init(
    _ settings: AlertingSettings, stored: [AlertRecord], store: any AnalystStore,
    client: any WebhookClient, clock: any HostClock, logger: Logger, progress: WorkProgress
  ) {
    self.progress = progress
    state = Mutex(State(queue: AlertQueue(stored: stored), settings: settings))
    self.store = store
    self.client = client
    self.clock = clock
    self.logger = logger
  }

  /// Starts to send.
  func start() throws {
    let thread = try RoundThread(
      name: "alerts",
      make: { [self] in
        // Confined to the thread, and closed with it.
        var reader: StoreReader?
        var findingsDue: WallTime?
        return RoundThread.Work(round: { [self] in
          let open = try reader ?? StoreReader.open(at: store.path)
          reader = open
          return try round(open, &findingsDue)
        })
      },
      onTrouble: { [logger] error in
        if let error {
          logger.error("\(error); alerts are kept and saved again each second")
        } else {
          logger.notice("alerts are saved again")
        }
      })
    state.withLock { $0.thread = thread }
  }

  /// A message that is under way may take a minute, which the end of the collector does not wait for: it is told again.
  func stop() async {
    await state.withLock { $0.thread }?.stop(within: .seconds(5))
  }

  /// Where the web endpoint is, for those who read an alert.
  func set(externalURL: String) { state.withLock { $0.externalURL = externalURL } }

  func set(_ settings: AlertingSettings) {
    state.withLock { $0.settings = settings }
    wake()
  }

  /// The alerts of objectives that last now.
  func replaceObjectives(with alerts: [Alert]) {
    let now = clock.wallNow()
    state.withLock { $0.queue.replace(.objective, with: alerts, at: now) }
    wake()
  }

  private func wake() { state.withLock { $0.thread }?.wake() }

  /// Reads the findings, sends what is due, on each way, and saves what came of it. Findings are read anew before each
  /// message, so that none is told that somebody has hidden.
  /// - Parameter findingsDue: when they are read in any case; `nil`: now.
  /// - Returns: how long there is nothing to do.
  /// - Throws: `StoreError`.
  func round(_ reader: StoreReader, _ findingsDue: inout WallTime?) throws -> Duration {
    defer { progress.rest() }
    let (settings, externalURL) = state.withLock { ($0.settings, $0.externalURL) }
    let channels = channels(settings.alerts)
    let start = clock.wallNow()
    // Not later than the interval from now: the clock may have been set back.
    let isDue = findingsDue.map { start >= $0 || $0 - start > Self.interval } ?? true
    if isDue {
      try pollFindings(reader, settings.labels)
      findingsDue = start + Self.interval
    }
    for (way, channel) in channels {
      guard !due(way).isEmpty else { continue }
      try pollFindings(reader, settings.labels)
      let due = due(way)
      guard !due.isEmpty else { continue }
      progress.begin(way.name)
      let told = Array(due.prefix(AlertMessage.maximumAlerts))
      let message = AlertMessage(told, receiver: way.name, externalURL: externalURL)
      record(told, way, problem: channel.deliver(message.json))
    }
    let ways = channels.map(\.way)
    let now = clock.wallNow()
    let (unsaved, next) = state.withLock { state in
      state.queue.removeFinished(ways)
      return (state.queue.drainUnsaved(), state.queue.nextDue(ways, after: now))
    }
    do {
      try store.save(unsaved)
    } catch {
      state.withLock { $0.queue.restore(unsaved) }
      throw error
    }
    guard let next else { return Self.interval }
    return max(.milliseconds(100), min(Self.interval, next - now))
  }

  private func due(_ way: AlertQueue.Way) -> [AlertRecord] {
    let now = clock.wallNow()
    return state.withLock { $0.queue.due(way, at: now) }
  }

  private func pollFindings(_ reader: StoreReader, _ labels: [ConfiguredLabel]) throws {
    progress.begin("findings")
    let open = try reader.openFindings(at: clock.wallNow())
    let now = clock.wallNow()
    let alerts = AlertSources.alerts(of: open, labels: labels)
    state.withLock { $0.queue.replace(.finding, with: alerts, at: now) }
  }

  private func record(_ told: [AlertRecord], _ way: AlertQueue.Way, problem: String?) {
    let now = clock.wallNow()
    let (wasFailing, givenUp) = state.withLock { state in
      let wasFailing = told.contains { state.queue.records[$0.id]?.deliveries[way.name]?.problem != nil }
      return (wasFailing, state.queue.record(told, way, problem: problem, at: now))
    }
    let count = CountText.text(told.count, "alert")
    if let problem, !wasFailing {
      logger.error(
        "\(count) could not be delivered by \(way.name): \(EscapedText.make(problem)); tried again for a day")
    } else if problem == nil {
      logger.info("\(count) delivered by \(way.name)")
    }
    if givenUp > 0 {
      logger.error("\(CountText.text(givenUp, "alert")) given up after a day of failures by \(way.name)")
    }
  }

  private func channels(
    _ configuration: AlertConfiguration?
  ) -> [(way: AlertQueue.Way, channel: any AlertChannel)] {
    var channels: [(way: AlertQueue.Way, channel: any AlertChannel)] = []
    if let webhook = configuration?.webhook {
      channels.append(
        (
          AlertQueue.Way(
            name: "webhook", sendsResolved: webhook.sendsResolved,
            repeatInterval: webhook.repeatInterval),
          WebhookChannel(configuration: webhook, client: client)
        ))
    }
    if let command = configuration?.command {
      let repeats = configuration?.webhook?.repeatInterval ?? .hours(4)
      channels.append(
        (
          AlertQueue.Way(name: "command", sendsResolved: true, repeatInterval: repeats),
          CommandChannel(
            arguments: command.arguments,
            onOutput: { [logger] in logger.info("the alert command printed: \(EscapedText.make($0))") })
        ))
    }
    return channels
  }
}
