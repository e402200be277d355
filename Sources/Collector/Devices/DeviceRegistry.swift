import Configuration
import Cryptography
import FoundationEssentials
import Logging
import Measurement
import Providers
import Store
import Synchronization

/// The devices of a collector and the invitations that are open: who may join, who has, and what became of each. It owns the device
/// directory; the table `device` and the targets of the configuration follow it.
///
/// Changes are carried out one after the other. May be used from any thread.
final class DeviceRegistry: Sendable {
  /// Has the run and the configuration go on with the devices as they are, or refuses and changes nothing.
  typealias Apply = @Sendable (_ reason: String) async -> ReloadOutcome

  private struct State {
    var configuration: DevicesConfiguration
    var devices: [String: JoinedDevice] = [:]
    /// The open invitations by the hash of their token.
    var invitations: [String: DeviceInvitation] = [:]
    /// Names of the configured targets.
    var configuredNames: Set<String> = []
    var joins = HourlyCount()
    /// Changes that devices asked for, by the key's hash.
    var changes: [String: HourlyCount] = [:]
    var unknown = UnknownSubscriptions()
    /// The table `device` could not be written.
    var isUnrecorded = false
    var applicationServerKey = ""
    var store: CollectorStore?
    var apply: Apply?
  }

  let directory: DeviceDirectory
  private let clock: any HostClock
  private let logger: Logger
  /// Whether devices may join: not in a run of limited length.
  private let acceptsJoins: Bool
  private let queue = SerialTasks()
  /// Held while the table is written, so that the newest state is written last.
  private let recording = Mutex(())
  private let state: Mutex<State>

  static let mostJoinsPerHour = 20
  static let mostChangesPerHour = 60
  static let mostInvitations = 100

  init(
    _ configuration: DevicesConfiguration, store: String, acceptsJoins: Bool = true, clock: any HostClock,
    logger: Logger
  ) {
    self.acceptsJoins = acceptsJoins
    directory = DeviceDirectory(configuration, store: store)
    self.clock = clock
    self.logger = logger
    state = Mutex(State(configuration: configuration))
  }

  // MARK: Start

  /// Reads the devices; nothing is written.
  func load() throws {
    let content = try directory.content()
    for problem in content.problems { logger.error("a device is left out: \(problem)") }
    state.withLock { state in
      state.devices = Dictionary(uniqueKeysWithValues: content.devices.map { ($0.name, $0) })
    }
  }

  /// Makes the directory where it is missing, and begins to take invitations.
  /// - Parameter apply: called after each change of the devices.
  /// - Throws: ``DeviceDirectoryError``, `HTTPServerError`, `StoreError`.
  func open(_ store: CollectorStore, apply: @escaping Apply) throws {
    try directory.prepare(for: store.collectorID)
    let key = try directory.applicationServerKey()
    let now = clock.wallNow()
    let invitations = try directory.invitations().filter { $0.expiresAt > now }
    state.withLock { state in
      state.applicationServerKey = key
      state.invitations = Dictionary(
        invitations.map { ($0.tokenHash, $0) }, uniquingKeysWith: { first, _ in first })
      state.store = store
      state.apply = apply
    }
    record()
  }

  func close() {
    state.withLock { state in
      state.store = nil
      state.apply = nil
    }
  }

  // MARK: The configuration

  /// The configuration with the devices' targets.
  func effective(_ configuration: PushscopeConfiguration) -> PushscopeConfiguration {
    configuration.with(state.withLock { $0.devices.values.sorted { $0.name < $1.name } }, in: directory)
  }

  /// Goes on by a configuration that a reload took: other names, services and limits.
  func adopt(_ configuration: PushscopeConfiguration) {
    let isNew = state.withLock { state in
      let former = (state.configuration, state.configuredNames)
      if let devices = configuration.devices { state.configuration = devices }
      state.configuredNames = configuration.configuredNames
      return former != (state.configuration, state.configuredNames)
    }
    if isNew { record() }
  }

  /// Writes the table `device`. Where that fails it is tried again by ``recordAgain()``.
  private func record() {
    recording.withLock { _ in
      let (store, records) = state.withLock { state in
        (state.store, state.devices.values.map { $0.record(in: Self.effectiveState(of: $0, state)) })
      }
      do {
        try store?.set(devices: records, at: clock.wallNow())
        state.withLock { $0.isUnrecorded = false }
      } catch {
        let isFirst = state.withLock { state in
          defer { state.isUnrecorded = true }
          return !state.isUnrecorded
        }
        if isFirst { logger.error("the devices could not be recorded: \(error); it is tried again") }
      }
    }
  }

  /// Writes the table `device` where that failed before.
  func recordAgain() { if state.withLock({ $0.isUnrecorded }) { record() } }

  /// What a device is by the present configuration: one whose push service may not be sent to any more is gone.
  private static func effectiveState(of device: JoinedDevice, _ state: State) -> DeviceState {
    if state.configuredNames.contains(device.name) { return .shadowed }
    return service(of: device.subscription, state) == nil ? device.state : .gone
  }

  // MARK: Questions, from the listener's event loop

  /// The public key that pages subscribe for.
  var applicationServerKey: String { state.withLock { $0.applicationServerKey } }

  /// A device by the hash of its key.
  func device(keyHash: String) -> Status? {
    state.withLock { state in
      guard let device = state.devices.values.first(where: { $0.keyHash == keyHash }) else { return nil }
      return Status(
        name: device.name, state: Self.effectiveState(of: device, state),
        isServed: Self.service(of: device.subscription, state) == nil)
    }
  }

  /// Whether a token is that of an open invitation.
  func isInvited(_ token: String) -> Bool {
    let (hash, now) = (Self.hash(token), clock.wallNow())
    return state.withLock { $0.invitations[hash].map { $0.expiresAt > now } ?? false }
  }

  /// SHA-256 in hexadecimal.
  static func hash(_ text: String) -> String { HexText.make(SHA256.hash(Array(text.utf8))) }

  // MARK: Commands

  /// Carries out a command of the table `control`.
  /// - Returns: why it is refused; `nil` when it is done.
  func carryOut(_ command: DeviceCommand) async -> String? {
    await queue.run { [self] in
      do {
        switch command {
        case .invite(let invitation): return try invite(invitation)
        case .remove(let name): return try await remove(name, because: "device removed: \(name)")
        case .rename(let name, let other): return try await rename(name, to: other)
        }
      } catch {
        return "\(error)"
      }
    }
  }

  private func invite(_ invitation: DeviceInvitation) throws -> String? {
    let now = clock.wallNow()
    guard DevicesConfiguration.isName(invitation.name) else {
      return "\(invitation.name) is no device's name; \(DevicesConfiguration.nameRule)"
    }
    guard invitation.expiresAt > now else { return "the invitation has expired already" }
    guard invitation.expiresAt <= now + DeviceInvitation.longest else {
      return "an invitation lasts \(DurationText.format(DeviceInvitation.longest)) at most"
    }
    let refusal = state.withLock { state -> String? in
      if state.configuredNames.contains(invitation.name) {
        return "a configured target is named \(invitation.name): choose another name"
      }
      if let refusal = Self.fullness(state, of: invitation.name) { return refusal }
      let others = state.invitations.values.count { $0.expiresAt > now && $0.name != invitation.name }
      return others < Self.mostInvitations
        ? nil : "\(Self.mostInvitations) invitations are open: wait until some have expired"
    }
    if let refusal { return refusal }
    // A new invitation under a name replaces the former one.
    try setInvitations { invitations in
      var open = invitations.filter { $0.value.expiresAt > now && $0.value.name != invitation.name }
      open[invitation.tokenHash] = invitation
      return open
    }
    return nil
  }

  /// Why no other device can be had.
  private static func fullness(_ state: State, of name: String) -> String? {
    guard state.devices[name] == nil, state.devices.count >= state.configuration.maximum else { return nil }
    return "there are \(state.devices.count) devices, as many as devices.maximum allows: remove one"
  }

  private func remove(_ name: String, because reason: String) async throws -> String? {
    guard state.withLock({ $0.devices[name] }) != nil else { return "there is no device named \(name)" }
    return try await change(reason) { $0[name] = nil }
  }

  private func rename(_ name: String, to other: String) async throws -> String? {
    let (device, refusal) = state.withLock { state in
      (
        state.devices[name],
        state.devices[other] != nil || state.configuredNames.contains(other)
          ? "\(other) is the name of another target" : nil
      )
    }
    guard DevicesConfiguration.isName(other) else {
      return "\(other) is no device's name; \(DevicesConfiguration.nameRule)"
    }
    if name == other, device != nil { return "the device has this name already" }
    guard var device else { return "there is no device named \(name)" }
    if let refusal { return refusal }
    // One for the new name would replace the device.
    try setInvitations { $0.filter { ![name, other].contains($0.value.name) } }
    device.name = other
    return try await change("device renamed: \(name), now \(other)") { devices in
      devices[name] = nil
      devices[other] = device
    }
  }

  // MARK: What devices ask

  /// Lets a device join by an invitation, which is used up; where it is refused the invitation is as it was.
  func join(token: String, _ subscription: JoinedDevice.Subscription, platform: String) async
    -> Result<Admission, Refusal>
  {
    await queue.run { [self] in
      let hash = Self.hash(token)
      let now = clock.wallNow()
      guard let invitation = state.withLock({ $0.invitations[hash] }), invitation.expiresAt > now else {
        return .failure(Self.notInvited)
      }
      let key = HexText.random(bytes: 32)
      let device = JoinedDevice(
        name: invitation.name, subscription: subscription, platform: platform, keyHash: Self.hash(key),
        joinedAt: now, state: .active)
      if let refusal = admission(of: device) { return .failure(refusal) }
      var problem: String?
      do {
        // Used up before the device is there: it cannot be used twice, whatever happens in between.
        try setInvitations { $0.filter { $0.key != hash } }
        problem = try await change("device joined: \(device.name)") { $0[device.name] = device }
      } catch {
        problem = "\(error)"
      }
      guard let problem else {
        state.withLock { $0.joins.record(at: clock.monotonicNow()) }
        return .success(Admission(name: device.name, key: key))
      }
      logger.error("device \(device.name) could not join: \(problem)")
      // Where the file cannot be written it is void after a restart.
      try? setInvitations { $0.merging([hash: invitation]) { first, _ in first } }
      return .failure(Self.unavailable)
    }
  }

  /// Changes the open invitations, in their file first.
  private func setInvitations(_ change: ([String: DeviceInvitation]) -> [String: DeviceInvitation]) throws {
    let (former, next) = state.withLock { ($0.invitations, change($0.invitations)) }
    guard next != former else { return }
    try directory.write(next.values.sorted { $0.tokenHash < $1.tokenHash })
    state.withLock { $0.invitations = next }
  }

  private func admission(of device: JoinedDevice) -> Refusal? {
    let now = clock.monotonicNow()
    return state.withLock { state in
      guard acceptsJoins else { return Self.limitedRun }
      guard !state.configuredNames.contains(device.name) else { return Self.nameTaken }
      if let refusal = Self.service(of: device.subscription, state) { return refusal }
      if let full = Self.fullness(state, of: device.name) { return Refusal(status: 403, message: full) }
      return state.joins.value(at: now) < Self.mostJoinsPerHour ? nil : Self.tooManyJoins
    }
  }

  /// Why a subscription may not be sent to.
  private static func service(of subscription: JoinedDevice.Subscription, _ state: State) -> Refusal? {
    guard let endpoint = try? Endpoint.parse(subscription.endpoint),
      state.configuration.service(of: endpoint) != nil
    else {
      return notServed
    }
    return nil
  }

  /// - Returns: the device's state afterwards; `nil` after it has left.
  func update(keyHash: String, _ update: Update) async -> Result<Status?, Refusal> {
    await queue.run { [self] in
      guard
        var device = state.withLock({ state in state.devices.values.first { $0.keyHash == keyHash } })
      else { return .failure(Self.unknownDevice) }
      if let refusal = limit(update, keyHash) { return .failure(refusal) }
      do {
        let problem: String?
        switch update {
        case .leave: problem = try await remove(device.name, because: "device left: \(device.name)")
        // Only another subscription revives one that is gone.
        case .pause where device.state == .gone: problem = nil
        case .pause(let isPaused):
          device.state = isPaused ? .paused : .active
          problem = try await replace(device, isPaused ? "paused by its user" : "resumed by its user")
        case .subscription(let subscription):
          if let refusal = state.withLock({ Self.service(of: subscription, $0) }) { return .failure(refusal) }
          let isNew = subscription != device.subscription
          device.subscription = subscription
          if isNew, device.state == .gone { device.state = .active }
          problem = isNew ? try await replace(device, "another subscription") : nil
        }
        if let problem {
          logger.error("device \(device.name) could not be changed: \(problem)")
          return .failure(Self.unavailable)
        }
        return .success(self.device(keyHash: keyHash))
      } catch {
        logger.error("a device could not be changed: \(error)")
        return .failure(Self.unavailable)
      }
    }
  }

  /// Each change has the run change its targets; leaving is always possible.
  private func limit(_ update: Update, _ keyHash: String) -> Refusal? {
    if case .leave = update { return nil }
    let now = clock.monotonicNow()
    return state.withLock { state in
      guard state.changes[keyHash, default: HourlyCount()].value(at: now) < Self.mostChangesPerHour else {
        return Self.tooManyChanges
      }
      state.changes[keyHash, default: HourlyCount()].record(at: now)
      return nil
    }
  }

  private func replace(_ device: JoinedDevice, _ what: String) async throws -> String? {
    try await change("device \(device.name): \(what)") { $0[device.name] = device }
  }

  // MARK: Answers of push services

  /// Handles an answer to a device's notification; called on the timing thread.
  /// - Parameter keyHash: the hash of the key that the device had when it was sent.
  func handleAnswer(status: Int, keyHash: String) {
    let now = clock.monotonicNow()
    let gone = state.withLock { state -> JoinedDevice? in
      guard state.unknown.record(status: status, keyHash: keyHash, at: now) else { return nil }
      return state.devices.values.first { $0.keyHash == keyHash && $0.state == .active }
    }
    if let gone { Task { await endSubscription(of: gone, status) } }
  }

  /// - Parameter former: as it was when the push service refused it.
  private func endSubscription(of former: JoinedDevice, _ status: Int) async {
    await queue.run { [self] in
      let name = former.name
      guard var device = state.withLock({ $0.devices[name] }), device == former else { return }
      device.state = .gone
      let words =
        "\(name): its push service answers \(status); nothing more is sent until its page is opened again"
      do {
        if let problem = try await change("device gone: \(words)", { $0[name] = device }) {
          logger.error("device \(name) is gone, and the configuration cannot go on without it: \(problem)")
        }
        try state.withLock({ $0.store })?.record(
          [Event(at: clock.wallNow(), kind: .deviceGone, detail: words)], run: nil)
      } catch {
        logger.error("device \(name) is gone, which could not be recorded: \(error)")
      }
    }
  }

  // MARK: Changes

  /// Changes the devices: their files, the targets, the table. Where the configuration does not take the targets, all is as before.
  /// - Returns: why it is refused; `nil` when it is done.
  private func change(_ reason: String, _ change: (inout [String: JoinedDevice]) -> Void) async throws
    -> String?
  {
    let (former, apply) = state.withLock { ($0.devices, $0.apply) }
    var next = former
    change(&next)
    guard let apply else { throw DeviceRegistryError.closed }
    // The files first: who reads the configuration again finds them.
    try directory.change(from: former, to: next)
    state.withLock { state in
      let kept = Set(next.values.map(\.keyHash))
      for (name, device) in former {
        if next[name]?.subscription != device.subscription { state.unknown.forget(device.keyHash) }
        if !kept.contains(device.keyHash) { state.changes[device.keyHash] = nil }
      }
      state.devices = next
    }
    if case .refused(let problem) = await apply(reason) {
      state.withLock { $0.devices = former }
      try directory.change(from: next, to: former)
      return problem
    }
    record()
    return nil
  }
}

private enum DeviceRegistryError: Error, CustomStringConvertible {
  case closed

  var description: String { "the collector ends" }
}
