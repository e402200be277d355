import Configuration
import HTTPServer
import Logging
import Measurement
import Providers
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
    /// The receipt listener, while there is one, and the secret that it was given last.
    var listener: ReceiptListener?
    var secret: [UInt8]?
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
  private let queue = SerialTasks()
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
  func onConfiguration(_ observe: @escaping @Sendable (PushscopeConfiguration) -> Void) {
    state.withLock { $0.onConfiguration.append(observe) }
  }

  /// Where reloads are recorded; `nil` for nowhere.
  func record(in store: CollectorStore?) { state.withLock { $0.store = store } }

  /// What takes the certificates and secrets of a reload; `nil` for nothing.
  /// - Parameter secret: the one that it has already.
  func serve(_ listener: ReceiptListener?, secret: [UInt8]? = nil) {
    state.withLock { ($0.listener, $0.secret) = (listener, secret) }
  }

  /// Reads the devices that joined before; nothing is recorded yet.
  /// - Throws: an error of the device directory.
  func loadDevices() throws {
    guard let devices = environment.devices else { return }
    try devices.load()
    let effective = devices.effective(configuration)
    devices.adopt(effective)
    state.withLock { $0.configuration = effective }
  }

  /// Reloads the devices: their targets begin and end, everything else goes on as it is and is not read again.
  func reloadDevices(because reason: String) async -> ReloadOutcome {
    await queue.run { [self] in
      do {
        let configuration = effective(configuration)
        let changed = try await changeDevices(configuration)
        let observers = state.withLock { state in
          state.configuration = configuration
          return state.onConfiguration
        }
        for observe in observers { observe(configuration) }
        let outcome = ReloadOutcome.taken(([reason] + changed).joined(separator: ReloadedTargets.separator))
        report(outcome, refusal: nil)
        return outcome
      } catch {
        return .refused("\(error)")
      }
    }
  }

  /// How long a change of devices waits for a run that begins; whoever asks for it does not wait much longer.
  private static let beginningLimit = Duration.seconds(5)

  private func changeDevices(_ configuration: PushscopeConfiguration) async throws -> [String] {
    let deadline = environment.clock.monotonicNow() + Self.beginningLimit
    while true {
      switch control.reloadable {
      case .nothing: return []
      case .beginning:
        guard environment.clock.monotonicNow() < deadline else {
          throw CollectorError(.unreachable, "a run is beginning; try again")
        }
        try await Task.sleep(for: .milliseconds(50))
      case .sending(let sending):
        let preparation = try RunPreparation(devicesOf: configuration, in: sending.run, environment)
        try DescriptorNeed.check(configuration, targets: preparation.targets.count)
        return try await sending.run.reload(preparation, sending.thread, control)
      }
    }
  }

  /// Reads the configuration and every credential again, and goes on with them.
  func reload() async -> ReloadOutcome {
    guard let load else { return .refused("the configuration is not from a file") }
    return await queue.run { [self] in
      let outcome = await outcome(because: "the configuration was read again", load)
      report(outcome, refusal: .reload)
      return outcome
    }
  }

  /// Reloads credentials whose files were replaced, by the configuration that is in use.
  func reloadCredentials(_ files: [String]) async {
    let because = "replaced: \(files.joined(separator: ", "))"
    _ = await queue.run { [self] in
      let outcome = await outcome(because: because) { configuration }
      recordReplaced(outcome, isNews: outcome != .taken(Self.unchanged(because)))
      return outcome
    }
  }

  /// Whether the file says what the collector works by: what a reload refused because of a credential was that credential alone.
  private func isFileInUse() -> Bool {
    guard let new = try? load?() else { return false }
    let current = configuration
    return effective(ReloadPlan(from: current, to: new).configuration) == current
  }

  /// Says what became of replaced credentials. What a reload has taken up meanwhile is no news, unless it mends what was refused.
  private func recordReplaced(_ outcome: ReloadOutcome, isNews: Bool) {
    guard case .taken(let words) = outcome, let refused = state.withLock({ $0.refused }) else {
      if isNews { report(outcome, refusal: .credential) }
      return
    }
    if refused == .credential || isFileInUse() {
      report(.taken("\(words); what was refused is valid now"), refusal: refused)
    } else if isNews {
      report(outcome, refusal: .credential)
    }
  }

  /// The configuration with the devices' targets.
  private func effective(_ configuration: PushscopeConfiguration) -> PushscopeConfiguration {
    environment.devices?.effective(configuration) ?? configuration
  }

  private static func unchanged(_ reason: String) -> String { "\(reason); nothing changed" }

  private func outcome(because reason: String, _ load: () throws -> PushscopeConfiguration) async
    -> ReloadOutcome
  {
    do {
      return try await apply(try load(), because: reason)
    } catch {
      return .refused("\(error)")
    }
  }

  private func apply(_ new: PushscopeConfiguration, because reason: String) async throws -> ReloadOutcome {
    let plan = ReloadPlan(from: configuration, to: new)
    let configuration = effective(plan.configuration)
    let preparation = try RunPreparation(configuration, environment)
    try DescriptorNeed.check(configuration, targets: preparation.targets.count)
    // Before they are read: a file that is replaced in between is noticed afterwards.
    let listeners = ListenerContents(of: configuration)
    try configuration.checkListenerFiles()
    let identity = try configuration.collector.receipts.map {
      try ServerIdentity(certificateFile: $0.certificateFile, keyFile: $0.keyFile.path)
    }
    let (listener, store, former) = state.withLock { ($0.listener, $0.store, $0.secret) }
    // Before anything is sent with it.
    if let secret = preparation.secret, secret != former, let store {
      state.withLock { $0.secret = secret }
      listener?.add(ReceiptAuthenticator(secret: secret, collectorID: store.collectorID))
    }
    let changed = try await changeRun(preparation)
    if let identity { try listener?.replaceIdentity(identity) }
    let (replaced, observers) = state.withLock { state in
      state.configuration = configuration
      defer { state.listeners = listeners }
      return (listeners.words(after: state.listeners), state.onConfiguration)
    }
    environment.devices?.adopt(configuration)
    for observe in observers { observe(configuration) }
    let news = changed + plan.taken + replaced + (plan.remedy.map { [$0] } ?? [])
    if news.isEmpty { return .taken(Self.unchanged(reason)) }
    var words = [reason] + news
    if configuration.usesServiceCredentials {
      words.append(
        "credentials of the service manager are copies made at the start: a new one needs a restart")
    }
    return .taken(words.joined(separator: ReloadedTargets.separator))
  }

  /// The run that is sending goes on with the configuration. One that begins at the moment is waited for; none needs nothing:
  /// the next one begins with it.
  private func changeRun(_ preparation: RunPreparation) async throws -> [String] {
    while true {
      switch control.reloadable {
      case .nothing: return []
      case .beginning: try await Task.sleep(for: .milliseconds(50))
      case .sending(let sending):
        return try await sending.run.reload(preparation, sending.thread, control)
      }
    }
  }

  /// Says what a reload came to, as an event of the run and in the log.
  /// - Parameter refusal: what was read; `nil` for neither. Credentials that are right do not make a file right that was refused.
  private func report(_ outcome: ReloadOutcome, refusal: Refusal?) {
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
      case .taken:
        if refusal == .reload || refusal == .credential && state.refused == .credential {
          state.refused = nil
        }
      }
      return (state.store, state.refused == nil)
    }
    if refusal != nil { environment.observer?.reloaded(isSuccessful: isValid) }
    do {
      try store?.record([event], run: control.currentRun)
    } catch {
      logger.error("the reload could not be recorded: \(error)")
    }
  }
}
