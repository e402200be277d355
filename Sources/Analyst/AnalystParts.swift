import Configuration
import Fleet
import Logging
import Measurement
import Monitoring
import Store
import Synchronization
import Threads

/// What a configuration says to the analyst. Of credentials it has the fleet's and the webhook's alone.
public struct AnalystSettings: Sendable, Equatable, Codable {
  var alerting: AlertingSettings
  /// `nil` where nothing is forwarded.
  var fleet: FleetConfiguration?
  /// Whether an endpoint, an objective or an alert is configured.
  private var isMonitored: Bool

  public init(_ configuration: PushscopeConfiguration) {
    alerting = AlertingSettings(configuration)
    fleet = configuration.fleet?.writer == nil ? nil : configuration.fleet
    fleet?.reader = nil
    isMonitored = configuration.isMonitored
  }

  /// The parts that it asks for.
  var parts: Set<CollectorPart> {
    var parts: Set<CollectorPart> = [.findings]
    if isMonitored { parts.formUnion([.objectives, .alerts]) }
    if fleet != nil { parts.insert(.forward) }
    return parts
  }
}

/// What the collector tells its analyst while it runs.
enum AnalystNews: Sendable, Codable {
  case settings(AnalystSettings)
  /// A run began, or its targets are others.
  case run(ObservedRun)
  case heard(HeardTargets)
  /// Where the web endpoint is.
  case url(String)
  /// The parts that are switched off, all of them.
  case switchedOff(Set<CollectorPart>)
}

/// The parts of the analyst, each with a thread of its own: in a process of their own, or in the collector's.
final class AnalystParts: Sendable {
  private struct State {
    var settings: AnalystSettings
    var switchedOff: Set<CollectorPart>
    var findings: RoundThread?
    var forwarding: FleetForwarding?
    var running: Set<CollectorPart> = []
  }

  private let store: any AnalystStore
  private let alerting: AlertingService
  private let clock: any HostClock
  private let logger: Logger
  private let progress: @Sendable (CollectorPart) -> WorkProgress
  private let onOpen: @Sendable ([OpenFindings]) -> Void
  private let state: Mutex<State>

  /// - Parameters:
  ///   - switchedOff: parts that are not started.
  ///   - progress: told what a part works at.
  ///   - onOpen: told how many findings are open.
  /// - Throws: `StoreError`.
  init(
    _ settings: AnalystSettings, store: any AnalystStore, client: any WebhookClient, logger: Logger,
    clock: any HostClock, switchedOff: Set<CollectorPart> = [],
    progress: @escaping @Sendable (CollectorPart) -> WorkProgress = { _ in .unreported },
    onOpen: @escaping @Sendable ([OpenFindings]) -> Void
  ) throws {
    alerting = try AlertingService(
      settings.alerting, store: store, client: client, logger: logger, clock: clock, progress: progress)
    self.store = store
    self.clock = clock
    self.logger = logger
    self.progress = progress
    self.onOpen = onOpen
    state = Mutex(State(settings: settings, switchedOff: switchedOff))
  }

  /// Starts the parts that are asked for, not switched off, and not running yet.
  /// - Throws: `ThreadError`.
  func start() throws {
    // Whoever claims a part starts it: what is told while others start must not start them twice.
    var claimed = state.withLock { state in
      let missing = state.settings.parts.subtracting(state.switchedOff).subtracting(state.running)
      state.running.formUnion(missing)
      return missing
    }
    defer { state.withLock { $0.running.subtract(claimed) } }
    for part in claimed.sorted(by: { $0.rawValue < $1.rawValue }) {
      switch part {
      case .findings:
        let thread = try watchFindings()
        state.withLock { $0.findings = thread }
      case .objectives, .alerts: try alerting.start(part)
      case .forward:
        guard let fleet = state.withLock({ $0.settings.fleet }) else { continue }
        let forwarding = FleetForwarding(fleet, logger: logger, clock: clock, progress: progress(.forward))
        try forwarding.start(store)
        state.withLock { $0.forwarding = forwarding }
      }
      claimed.remove(part)
    }
  }

  /// - Throws: `ThreadError`.
  func apply(_ news: AnalystNews) throws {
    switch news {
    case .settings(let settings):
      state.withLock { $0.settings = settings }
      alerting.set(settings.alerting)
      try start()
    case .run(let run): alerting.set(run)
    case .heard(let heard): alerting.set(heard)
    case .url(let url): alerting.set(externalURL: url)
    case .switchedOff(let parts):
      state.withLock { $0.switchedOff = parts }
      try start()
    }
  }

  /// Ends all parts in order: what one has come to, the next tells or forwards.
  func finish() async {
    let (findings, forwarding) = state.withLock { ($0.findings, $0.forwarding) }
    await findings?.stop()
    await alerting.stop()
    await forwarding?.stop()
  }

  private func watchFindings() throws(ThreadError) -> RoundThread {
    try RoundThread(
      name: "findings",
      make: { [self] in
        let watch = FindingWatch(
          store: store, clock: clock, progress: progress(.findings), onOpen: onOpen
        ) { [logger] line in logger.notice("\(line)") }
        return RoundThread.Work(round: watch.round, end: watch.end)
      },
      onTrouble: { [logger] error in
        if let error {
          let interval = LengthText.text(RoundThread.retryInterval)
          logger.error("\(error); \(CollectorPart.findings.words) is tried again after \(interval)")
        } else {
          logger.notice("\(CollectorPart.findings.words) goes on")
        }
      })
  }
}
