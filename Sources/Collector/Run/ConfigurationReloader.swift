import Configuration
import Logging
import Measurement
import Store
import Synchronization

/// The configuration that a collector works by, and how another one takes its place: all of it or nothing, one reload after the
/// other.
final class ConfigurationReloader: Sendable {
  private struct State {
    var configuration: PushscopeConfiguration
    var onConfiguration: [@Sendable (PushscopeConfiguration) -> Void] = []
    /// The contents of the listeners' files as they were read last.
    var listeners: ListenerContents
    /// The store, while it is open.
    var store: CollectorStore?
    /// What was refused last, until it is known to be right.
    var refused: Refusal?
  }

  private enum Refusal: Sendable {
    /// A reload of the file.
    case reload
    /// A credential that was replaced.
    case credential
  }

  /// Reads the configuration again; `nil` where it is not from a file.
  private let load: (@Sendable () throws -> PushscopeConfiguration)?
  private let control: RunCoordinator
  private let environment: CollectorEnvironment
  private let queue = ReloadQueue()
  private let state: Mutex<State>

  init(
    _ configuration: PushscopeConfiguration, control: RunCoordinator, environment: CollectorEnvironment,
    load: (@Sendable () throws -> PushscopeConfiguration)?
  ) {
    self.control = control
    self.environment = environment
    self.load = load
    state = Mutex(State(configuration: configuration, listeners: ListenerContents(of: configuration)))
  }

  /// What the collector works by at present.
  var configuration: PushscopeConfiguration { state.withLock { $0.configuration } }

  /// Adds what is told each configuration that a reload takes; called on the thread of the reload.
  func onConfiguration(_ take: @escaping @Sendable (PushscopeConfiguration) -> Void) {
    state.withLock { $0.onConfiguration.append(take) }
  }

  /// Where reloads are recorded; `nil` for nowhere.
  func record(in store: CollectorStore?) { state.withLock { $0.store = store } }

  /// Reads the configuration and every credential again, and goes on with them.
  func reload() async -> ReloadOutcome {
    guard let load else { return .refused("the configuration is not from a file") }
    return await queue.run { [self] in
      let outcome = await outcome(because: "the configuration was read again", load)
      note(outcome, refusal: .reload)
      return outcome
    }
  }

  /// Takes up credentials whose files were replaced, by the configuration that is in use.
  func takeUp(_ files: [String]) async {
    let because = "replaced: \(files.joined(separator: ", "))"
    _ = await queue.run { [self] in
      let outcome = await outcome(because: because) { configuration }
      noteTaken(outcome, isNews: outcome != .taken(Self.unchanged(because)))
      return outcome
    }
  }

  /// Whether the file says what the collector works by: what a reload refused because of a credential was that credential alone.
  private func isFileInUse() -> Bool {
    guard let new = try? load?() else { return false }
    let current = configuration
    return ReloadPlan(from: current, to: new).configuration == current
  }

  /// Says what became of replaced credentials. What a reload has taken up meanwhile is no news, unless it mends what was refused.
  private func noteTaken(_ outcome: ReloadOutcome, isNews: Bool) {
    guard case .taken(let words) = outcome, let refused = state.withLock({ $0.refused }) else {
      if isNews { note(outcome, refusal: .credential) }
      return
    }
    if refused == .credential || isFileInUse() {
      note(.taken("\(words); what was refused is valid now"), refusal: refused)
    } else if isNews {
      note(outcome, refusal: .credential)
    }
  }

  private static func unchanged(_ reason: String) -> String { "\(reason); nothing changed" }

  private func outcome(because reason: String, _ load: () throws -> PushscopeConfiguration) async
    -> ReloadOutcome
  {
    do {
      return try await take(try load(), because: reason)
    } catch {
      return .refused("\(error)")
    }
  }

  private func take(_ new: PushscopeConfiguration, because reason: String) async throws -> ReloadOutcome {
    let plan = ReloadPlan(from: configuration, to: new)
    let preparation = try RunPreparation(plan.configuration, environment)
    try DescriptorNeed.check(plan.configuration, targets: preparation.targets.count)
    // Before they are read: a file that is replaced in between is noticed afterwards.
    let listeners = ListenerContents(of: plan.configuration)
    try plan.configuration.checkListenerFiles()
    let changed = try await changeRun(plan.configuration, preparation)
    let (replaced, told) = state.withLock { state in
      state.configuration = plan.configuration
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
    return .taken(words.joined(separator: ReloadedTargets.separator))
  }

  /// The run that is sending goes on with the configuration. One that begins at the moment is waited for; none needs nothing:
  /// the next one begins with it.
  private func changeRun(
    _ configuration: PushscopeConfiguration, _ preparation: RunPreparation
  ) async throws -> [String] {
    while true {
      switch control.reloadable {
      case .nothing: return []
      case .beginning: try await Task.sleep(for: .milliseconds(50))
      case .sending(let sending):
        return try await sending.run.reload(configuration, preparation, sending.thread, control)
      }
    }
  }

  /// Says what a reload came to, as an event of the run and in the log.
  /// - Parameter refusal: what was read. Credentials that are right do not make a file right that was refused.
  private func note(_ outcome: ReloadOutcome, refusal: Refusal) {
    let (logger, now) = (environment.logger, environment.clock.wallNow())
    let event: Event
    switch outcome {
    case .taken(let words):
      event = Event(at: now, kind: .configReloaded, detail: words)
      logger.notice("configuration taken: \(EscapedText.make(words))")
    case .refused(let words):
      event = Event(at: now, kind: .configRefused, detail: words)
      logger.error(
        "configuration refused, the former one goes on: \(EscapedText.make(words, keepsLines: true))")
    }
    let (store, isValid) = state.withLock { state in
      switch outcome {
      case .refused: if state.refused != .reload { state.refused = refusal }
      case .taken: if refusal == .reload || state.refused == .credential { state.refused = nil }
      }
      return (state.store, state.refused == nil)
    }
    environment.observer?.reloaded(isSuccessful: isValid)
    do {
      try store?.record([event], run: control.currentRun)
    } catch {
      logger.error("the reload could not be recorded: \(error)")
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
