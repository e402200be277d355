import Measurement

/// Behavior of the built-in push service, from a YAML file.
///
/// The outcome of a valid request depends only on the seed, on its number among the valid requests, and, for episodes and
/// freezes, on the scenario time: the time since the first request.
public struct Scenario: Sendable, Hashable {
  public var seed: UInt64 = 1
  /// SETTINGS_MAX_CONCURRENT_STREAMS of a connection after its first accepted request; 1 before.
  public var streamLimit = 1000
  public var answers = AnswerBehavior()
  public var deliveries = DeliveryBehavior()
  public var episodes: [ScenarioEpisode] = []
  /// Periods in which the service is stopped. Responses and deliveries due in one happen at its end, and the delays of
  /// requests that arrive in one start at its end.
  public var freezes: [ScenarioWindow] = []
  /// Behavior of dialects that differs from `answers` and `deliveries`.
  public var dialects: [ScenarioDialect: ScenarioBehavior] = [:]
  /// What differs on a device, by its name (``LoopbackDevice``).
  public var devices: [String: DeliveryChanges] = [:]
  public var tokens = TokenBehavior()
  public var connections = ConnectionBehavior()
  public var subscriptions = SubscriptionBehavior()
  public var agents = AgentBehavior()

  /// The active episodes at a scenario time, in the file's order.
  public func activeEpisodes(at time: Duration) -> [ScenarioEpisode] {
    episodes.filter { $0.window.end(at: time) != nil }
  }

  /// Behavior of a dialect at a scenario time, toward a device.
  public func behavior(
    of dialect: ScenarioDialect, to device: String? = nil, at time: Duration
  ) -> ScenarioBehavior {
    let base = dialects[dialect] ?? ScenarioBehavior(answers: answers, deliveries: deliveries)
    var behavior = base
    if let device { devices[device]?.apply(to: &behavior.deliveries) }
    // The first is applied last.
    for episode in activeEpisodes(at: time).reversed() {
      let own =
        episode.dialects[dialect]
        ?? ScenarioBehavior(answers: episode.answers, deliveries: episode.deliveries)
      behavior.adopt(own, differingFrom: base)
      if let device { episode.devices[device]?.apply(to: &behavior.deliveries) }
    }
    return behavior
  }

  /// Connections and the way to the service at a scenario time.
  public func connections(at time: Duration) -> ConnectionBehavior {
    var behavior = connections
    for episode in activeEpisodes(at: time).reversed() {
      if let own = episode.connections { behavior.adopt(own, differingFrom: connections) }
    }
    return behavior
  }

  /// SETTINGS_MAX_CONCURRENT_STREAMS of a trusted connection at a scenario time.
  public func streamLimit(at time: Duration) -> Int {
    activeEpisodes(at: time).lazy.compactMap(\.streamLimit).first ?? streamLimit
  }

  /// Whether it delays a handshake or the way to the service at any time.
  public var delaysConnections: Bool {
    ([connections] + episodes.compactMap(\.connections)).contains {
      $0.handshake != .none || $0.path != .none
    }
  }

  /// The next time after `time` at which open connections may be affected, by another stream limit or by being closed;
  /// `nil` if there is none.
  public func nextConnectionChange(after time: Duration) -> Duration? {
    let concerned = episodes.filter {
      $0.streamLimit != nil || ($0.connections?.dropped ?? 0) > connections.dropped
    }
    return concerned.compactMap { $0.window.nextEdge(after: time) }.min()
  }

  /// `time`, or the end of the freeze that contains it.
  public func thaw(_ time: Duration) -> Duration {
    var time = time
    // A freeze may start where another ends.
    for _ in freezes {
      guard let end = freezes.lazy.compactMap({ $0.end(at: time) }).max() else { break }
      time = end
    }
    return time
  }
}

extension Scenario {
  /// Everything is accepted and delivered at once.
  public static var ideal: Scenario { Scenario() }

  /// Reads a scenario file.
  ///
  /// - Parameter reasons: the dialects' error reasons and their statuses.
  /// - Throws: all problems, in file order.
  public static func load(
    path: String, environment: [String: String] = [:], reasons: DialectErrorCatalog
  ) throws(ConfigurationError) -> Scenario {
    try YAMLFile.load(path: path, environment: environment) { Scenario($0, reasons: reasons) }
  }

  /// Decodes a text; `file` is its name in problems.
  public static func parse(
    _ text: String, file: String, reasons: DialectErrorCatalog
  ) throws(ConfigurationError) -> Scenario {
    try YAMLFile.parse(text, file: file) { Scenario($0, reasons: reasons) }
  }

  init?(_ value: YAMLValue, reasons: DialectErrorCatalog) {
    let keys =
      ["seed", "stream_limit"] + ScenarioBehavior.keys + ScenarioDialect.allCases.map(\.rawValue)
      + ["tokens", "devices", "episodes", "freeze"] + ConnectionBehavior.keys
    guard let map = value.mapping(keys: keys) else { return nil }
    self.init()
    if let seed = map["seed"]?.integer(in: 0...Int.max) { self.seed = UInt64(seed) }
    if let limit = map["stream_limit"]?.integer(in: 1...100_000) { streamLimit = limit }
    if let value = map["answers"] { answers.apply(value, reasons: reasons.all) }
    if let value = map["deliveries"] { deliveries.apply(value) }
    for dialect in ScenarioDialect.allCases {
      guard let section = map[dialect.rawValue] else { continue }
      let more = Self.keys(of: dialect)
      guard let own = section.mapping(keys: ScenarioBehavior.keys + more) else { continue }
      if dialect == .ntfy { subscriptions.apply(own) }
      if dialect == .webpush { agents.apply(own) }
      guard ScenarioBehavior.keys.contains(where: { own[$0] != nil }) else { continue }
      var behavior = ScenarioBehavior(answers: answers, deliveries: deliveries)
      behavior.apply(own, reasons: reasons[dialect])
      dialects[dialect] = behavior
    }
    if let value = map["tokens"], let tokens = TokenBehavior(value) { self.tokens = tokens }
    connections.apply(map)
    if let value = map["devices"] { devices = Self.devices(value) }
    if let list = map["episodes"]?.sequence() {
      episodes = list.enumerated().compactMap { index, value in
        ScenarioEpisode(value, number: index + 1, within: self, reasons: reasons)
      }
    }
    if let value = map["freeze"] {
      let list = value.isSequence ? value.sequence() ?? [] : [value]
      freezes = list.compactMap { value in
        value.mapping(keys: ScenarioWindow.keys).flatMap { ScenarioWindow($0) }
      }
    }
  }
}

extension Scenario {
  /// Keys of a dialect's section that no other has.
  private static func keys(of dialect: ScenarioDialect) -> [String] {
    switch dialect {
    case .apns, .fcm: []
    case .webpush: AgentBehavior.keys
    case .ntfy: SubscriptionBehavior.keys
    }
  }

  /// Reads `devices`: names, each with `deliveries`.
  static func devices(_ value: YAMLValue) -> [String: DeliveryChanges] {
    var devices: [String: DeliveryChanges] = [:]
    for (name, value) in value.entries() ?? [] {
      guard LoopbackDevice.isName(name) else {
        value.report(
          "belongs to \(name.quoted), which is not a device's name",
          remedy: "write a target's device: 1 to 64 letters, digits, dots, hyphens and underscores")
        continue
      }
      devices[name] = value.mapping(keys: ["deliveries"])?
        .required("deliveries", example: "deliveries: { lost: 20% }").flatMap { DeliveryChanges($0) }
    }
    return devices
  }

  /// Typical behavior of a push service: the same as `config/scenarios/lifelike.yaml`, without a file.
  public static var lifelike: Scenario {
    let answers = AnswerBehavior(
      delay: DelayDistribution(.lognormal(median: .milliseconds(12), sigma: 0.45), maximum: .seconds(2)),
      errors: [
        ErrorAnswer(reason: "ServiceUnavailable", status: 503, probability: 0.002),
        ErrorAnswer(reason: "InternalServerError", status: 500, probability: 0.001),
      ])
    let deliveries = DeliveryBehavior(
      delay: DelayDistribution(
        .mixture([
          .init(weight: 0.97, delay: .init(.lognormal(median: .milliseconds(220), sigma: 0.35))),
          .init(weight: 0.03, delay: .init(.pareto(minimum: .milliseconds(600), shape: 1.8))),
        ]), maximum: .seconds(20)),
      lost: 0.01, duplicated: 0.003, reordered: .init(probability: 0.005, by: .milliseconds(900)))
    var slowAnswers = answers
    slowAnswers.delay = DelayDistribution(
      .lognormal(median: .milliseconds(45), sigma: 0.6), maximum: .seconds(4))
    slowAnswers.errors = [ErrorAnswer(reason: "ServiceUnavailable", status: 503, probability: 0.02)]
    var slowDeliveries = deliveries
    slowDeliveries.delay = DelayDistribution(
      .lognormal(median: .milliseconds(1100), sigma: 0.5), maximum: .seconds(20))
    slowDeliveries.lost = 0.03
    return Scenario(
      answers: answers, deliveries: deliveries,
      episodes: [
        ScenarioEpisode(
          name: "slow", window: ScenarioWindow(from: .seconds(20), length: .seconds(8), every: .seconds(75)),
          answers: slowAnswers, deliveries: slowDeliveries)
      ])
  }

  /// Changes how accepted notifications are delivered, always and in each episode.
  public mutating func change(_ body: (inout DeliveryBehavior) -> Void) {
    body(&deliveries)
    for dialect in dialects.keys { body(&dialects[dialect, default: ScenarioBehavior()].deliveries) }
    for index in episodes.indices {
      body(&episodes[index].deliveries)
      for dialect in episodes[index].dialects.keys {
        body(&episodes[index].dialects[dialect, default: ScenarioBehavior()].deliveries)
      }
    }
  }

  /// ``lifelike`` for a demonstration: in place of its short episodes, deliveries are slow for a minute of each ten, so that
  /// there is something to find.
  public static var demonstration: Scenario {
    var scenario = lifelike
    var slow = scenario.deliveries
    slow.delay = DelayDistribution(
      .lognormal(median: .milliseconds(900), sigma: 0.35), maximum: .seconds(4))
    scenario.episodes = [
      ScenarioEpisode(
        name: "slow",
        window: ScenarioWindow(from: .seconds(90), length: .seconds(60), every: .seconds(600)),
        answers: scenario.answers, deliveries: slow)
    ]
    return scenario
  }
}

/// API of a push service, by its name in scenario files and scripts.
public enum ScenarioDialect: String, Sendable, Hashable, CaseIterable {
  case apns, fcm, webpush, ntfy
}

/// Error reasons of each dialect and their statuses. A scenario may use them without a status.
public struct DialectErrorCatalog: Sendable, Hashable {
  private let dialects: [ScenarioDialect: [String: Int]]
  /// Reasons of all dialects, valid outside of a dialect's section.
  let all: [String: Int]

  public init(_ dialects: [ScenarioDialect: [String: Int]]) {
    self.dialects = dialects
    var all: [String: Int] = [:]
    for dialect in ScenarioDialect.allCases {
      all.merge(dialects[dialect] ?? [:]) { first, _ in first }
    }
    self.all = all
  }

  /// Reasons that are valid in a dialect's section.
  subscript(dialect: ScenarioDialect) -> [String: Int] { dialects[dialect] ?? [:] }
}
