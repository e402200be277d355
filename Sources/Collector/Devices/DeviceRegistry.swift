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
  /// What follows a change: the configuration takes the devices' targets, all of it or nothing.
  typealias Apply = @Sendable (_ reason: String) async -> ReloadOutcome

  private struct State {
    var configuration: DevicesConfiguration
    var devices: [String: JoinedDevice] = [:]
    /// The open ones by the token's hash.
    var invitations: [String: DeviceInvitation] = [:]
    /// Names of the configured targets.
    var configuredNames: Set<String> = []
    var joins: [MonotonicTime] = []
    /// When the push service first said that it does not know a subscription.
    var refusedAt: [String: MonotonicTime] = [:]
    var applicationServerKey = ""
    var store: CollectorStore?
    var apply: Apply?
  }

  let directory: DeviceDirectory
  private let clock: any HostClock
  private let logger: Logger
  private let queue = SerialTasks()
  private let state: Mutex<State>

  static let mostJoinsPerHour = 20
  static let mostInvitations = 100
  /// A push service loses a node now and then: a subscription is gone if it is still refused so long after.
  static let goneAfter = Duration.seconds(60)

  init(_ configuration: DevicesConfiguration, store: String, clock: any HostClock, logger: Logger) {
    directory = DeviceDirectory(configuration, store: store)
    self.clock = clock
    self.logger = logger
    state = Mutex(State(configuration: configuration))
  }

  // MARK: Start

  /// Reads the devices; nothing is written.
  func load() throws {
    let devices = try directory.checkedDevices()
    state.withLock { state in
      state.devices = Dictionary(uniqueKeysWithValues: devices.map { ($0.name, $0) })
    }
  }

  /// Makes the directory where it is missing, and begins to take invitations.
  /// - Parameter apply: called after each change of the devices.
  /// - Throws: ``DeviceDirectoryError``, `HTTPServerError`, `StoreError`.
  func open(_ store: CollectorStore, apply: @escaping Apply) throws {
    try directory.prepare(for: store.collectorID)
    let key = try directory.applicationServerKey()
    let now = clock.wallNow()
    let invitations = directory.invitations().filter { $0.expiresAt > now }
    state.withLock { state in
      state.applicationServerKey = key
      state.invitations = Dictionary(
        invitations.map { ($0.tokenHash, $0) }, uniquingKeysWith: { first, _ in first })
      state.store = store
      state.apply = apply
    }
    try record()
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

  /// Goes on by a configuration that was taken.
  func take(_ configuration: PushscopeConfiguration) {
    let isOpen = state.withLock { state in
      if let devices = configuration.devices { state.configuration = devices }
      state.configuredNames = configuration.configuredNames
      return state.store != nil
    }
    guard isOpen else { return }
    do {
      try record()
    } catch {
      logger.error("the devices could not be recorded: \(error)")
    }
  }

  /// Writes the table `device`.
  private func record() throws {
    let (store, records) = state.withLock { state in
      (state.store, state.devices.values.map { $0.record(in: Self.effectiveState(of: $0, state)) })
    }
    try store?.set(devices: records, at: clock.wallNow())
  }

  /// What a device is by the present configuration: one whose push service may not be sent to any more is gone.
  private static func effectiveState(of device: JoinedDevice, _ state: State) -> DeviceState {
    if state.configuredNames.contains(device.name) { return .shadowed }
    return service(of: device.subscription, state) == nil ? device.state : .gone
  }

  // MARK: Questions, from the listener's event loop

  /// The public key that pages subscribe for.
  var applicationServerKey: String { state.withLock { $0.applicationServerKey } }

  /// What a device is told of itself.
  struct Status: Sendable, Equatable {
    var name: String
    var state: DeviceState
  }

  /// A device by the hash of its key.
  func device(keyHash: String) -> Status? {
    state.withLock { state in
      guard let device = state.devices.values.first(where: { $0.keyHash == keyHash }) else { return nil }
      return Status(name: device.name, state: Self.effectiveState(of: device, state))
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
    guard DevicesConfiguration.isName(invitation.name) else { return "the name is no device's name" }
    guard invitation.expiresAt > now else { return "the invitation has expired already" }
    guard invitation.expiresAt <= now + DeviceInvitation.longest else {
      return "an invitation lasts 30 days at most"
    }
    let (refusal, open) = state.withLock { state -> (String?, [DeviceInvitation]) in
      if state.configuredNames.contains(invitation.name) {
        return ("a configured target is named \(invitation.name): choose another name", [])
      }
      if let refusal = Self.fullness(state, of: invitation.name) { return (refusal, []) }
      // A new invitation under a name replaces the former one.
      state.invitations = state.invitations.filter {
        $0.value.expiresAt > now && $0.value.name != invitation.name
      }
      guard state.invitations.count < Self.mostInvitations else {
        return ("\(Self.mostInvitations) invitations are open: wait until some have expired", [])
      }
      state.invitations[invitation.tokenHash] = invitation
      return (nil, Array(state.invitations.values))
    }
    if refusal == nil { try directory.write(open) }
    return refusal
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
    guard DevicesConfiguration.isName(other) else { return "\(other) is no device's name" }
    if name == other, device != nil { return "the device has this name already" }
    guard var device else { return "there is no device named \(name)" }
    if let refusal { return refusal }
    device.name = other
    return try await change("device renamed: \(name), now \(other)") { devices in
      devices[name] = nil
      devices[other] = device
    }
  }

  // MARK: What devices ask

  /// Why a device is not served.
  struct Refusal: Error, Sendable, Equatable {
    var status: Int
    var message: String
    var retryAfter: Duration?
  }

  /// What a device that joins is given.
  struct Admission: Sendable {
    var name: String
    /// 32 random bytes in hexadecimal; only its hash is kept.
    var key: String
  }

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
      do {
        if let problem = try await change("device joined: \(device.name)", { $0[device.name] = device }) {
          return .failure(Refusal(status: 503, message: problem, retryAfter: .seconds(60)))
        }
        let open = state.withLock { state in
          state.invitations[hash] = nil
          state.joins.append(clock.monotonicNow())
          return Array(state.invitations.values)
        }
        try directory.write(open)
        return .success(Admission(name: device.name, key: key))
      } catch {
        logger.error("a device could not join: \(error)")
        return .failure(Self.unavailable)
      }
    }
  }

  static let notInvited = Refusal(
    status: 401, message: "the invitation is wrong, used or expired; ask for another one")
  private static let unavailable = Refusal(
    status: 503, message: "the collector cannot take the device now", retryAfter: .seconds(60))
  static let unknownDevice = Refusal(
    status: 401, message: "the collector does not know this device any more; ask for an invitation")

  private func admission(of device: JoinedDevice) -> Refusal? {
    let now = clock.monotonicNow()
    return state.withLock { state in
      state.joins.removeAll { now - $0 >= .seconds(3600) }
      if let refusal = Self.service(of: device.subscription, state) { return refusal }
      if let full = Self.fullness(state, of: device.name) { return Refusal(status: 403, message: full) }
      guard state.joins.count < Self.mostJoinsPerHour else {
        return Refusal(
          status: 429,
          message: "\(Self.mostJoinsPerHour) devices have joined within an hour; try again later",
          retryAfter: .seconds(600))
      }
      return nil
    }
  }

  /// Why a subscription may not be sent to.
  private static func service(of subscription: JoinedDevice.Subscription, _ state: State) -> Refusal? {
    guard let endpoint = try? Endpoint.parse(subscription.endpoint),
      state.configuration.service(of: endpoint) != nil
    else {
      return Refusal(
        status: 403,
        message: "this browser's push service is not one that the collector may send to (devices.services)")
    }
    return nil
  }

  /// What a device that has joined asks for.
  enum Update: Sendable {
    case subscription(JoinedDevice.Subscription)
    case pause(Bool)
    case leave
  }

  /// - Returns: the device's state afterwards; `nil` after it has left.
  func update(keyHash: String, _ update: Update) async -> Result<Status?, Refusal> {
    await queue.run { [self] in
      guard
        var device = state.withLock({ state in state.devices.values.first { $0.keyHash == keyHash } })
      else { return .failure(Self.unknownDevice) }
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
        if let problem { return .failure(Refusal(status: 503, message: problem, retryAfter: .seconds(60))) }
        return .success(self.device(keyHash: keyHash))
      } catch {
        logger.error("a device could not be changed: \(error)")
        return .failure(Self.unavailable)
      }
    }
  }

  private func replace(_ device: JoinedDevice, _ what: String) async throws -> String? {
    try await change("device \(device.name): \(what)") { $0[device.name] = device }
  }

  // MARK: Answers of push services

  /// Takes an answer to a device's notification; called on the timing thread.
  func note(status: Int, of name: String) {
    let now = clock.monotonicNow()
    let isGone = state.withLock { state in
      guard status == 404 || status == 410 else {
        if (200..<300).contains(status) { state.refusedAt[name] = nil }
        return false
      }
      guard let first = state.refusedAt[name] else {
        state.refusedAt[name] = now
        return false
      }
      guard now - first >= Self.goneAfter, state.devices[name]?.state == .active else { return false }
      state.refusedAt[name] = nil
      return true
    }
    if isGone { Task { await endSubscription(of: name, status) } }
  }

  private func endSubscription(of name: String, _ status: Int) async {
    await queue.run { [self] in
      guard var device = state.withLock({ $0.devices[name] }), device.state == .active else { return }
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
    let (former, next, apply) = state.withLock { state in
      let former = state.devices
      change(&state.devices)
      return (former, state.devices, state.apply)
    }
    do {
      try write(from: former, to: next)
      guard let apply else { throw DeviceRegistryError.closed }
      if case .refused(let problem) = await apply(reason) {
        try restore(former, from: next)
        return problem
      }
      try record()
      return nil
    } catch {
      try? restore(former, from: next)
      throw error
    }
  }

  private func restore(_ former: [String: JoinedDevice], from next: [String: JoinedDevice]) throws {
    state.withLock { $0.devices = former }
    try write(from: next, to: former)
  }

  private func write(from former: [String: JoinedDevice], to next: [String: JoinedDevice]) throws {
    for device in next.values where former[device.name] != device { try directory.write(device) }
    for name in former.keys where next[name] == nil { try directory.remove(name) }
  }
}

private enum DeviceRegistryError: Error, CustomStringConvertible {
  case closed

  var description: String { "the collector ends" }
}
