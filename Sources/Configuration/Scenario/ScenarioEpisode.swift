/// A period with different behavior. Where several are active, each has what it changes; the first where two change the
/// same.
public struct ScenarioEpisode: Sendable, Hashable {
  /// Name in the script.
  public var name: String
  public var window: ScenarioWindow
  public var answers: AnswerBehavior
  public var deliveries: DeliveryBehavior
  /// Behavior of dialects during the episode.
  public var dialects: [ScenarioDialect: ScenarioBehavior] = [:]
  /// What differs on a device during the episode, by its name.
  public var devices: [String: DeliveryChanges] = [:]
  /// Connections during the episode; `nil`: as outside of it.
  public var connections: ConnectionBehavior?
  /// SETTINGS_MAX_CONCURRENT_STREAMS during the episode, sent to all trusted connections at its start and end.
  public var streamLimit: Int?
}

extension ScenarioEpisode {
  /// Keys that are not given keep the scenario's values.
  init?(_ value: YAMLValue, number: Int, within scenario: Scenario, reasons: DialectErrorCatalog) {
    let differences =
      ScenarioBehavior.keys + ["stream_limit", "devices"] + ConnectionBehavior.keys
      + ScenarioDialect.allCases.map(\.rawValue)
    guard let map = value.mapping(keys: ["name"] + ScenarioWindow.keys + differences),
      let window = ScenarioWindow(map)
    else { return nil }
    var behavior = ScenarioBehavior(answers: scenario.answers, deliveries: scenario.deliveries)
    behavior.apply(map, reasons: reasons.all)
    self.init(
      name: map["name"]?.string(maximumBytes: 64) ?? "episode \(number)", window: window,
      answers: behavior.answers, deliveries: behavior.deliveries)
    if differences.allSatisfy({ map[$0] == nil }) {
      value.report(
        "changes nothing",
        remedy:
          "write what differs: answers, deliveries, devices, path, connections, stream_limit or a dialect")
    }
    if let value = map["devices"] { devices = Scenario.devices(value) }
    if ConnectionBehavior.keys.contains(where: { map[$0] != nil }) {
      var connections = scenario.connections
      connections.apply(map)
      self.connections = connections
    }
    streamLimit = map["stream_limit"]?.integer(in: 0...100_000)
    for dialect in ScenarioDialect.allCases {
      let section = map[dialect.rawValue]
      guard section != nil || scenario.dialects[dialect] != nil else { continue }
      var own = scenario.dialects[dialect] ?? behavior
      if scenario.dialects[dialect] != nil { own.apply(map, reasons: reasons.all) }
      if let section = section?.mapping(keys: ScenarioBehavior.keys) {
        own.apply(section, reasons: reasons[dialect])
      }
      dialects[dialect] = own
    }
  }
}

/// A period of scenario time, once or repeated.
public struct ScenarioWindow: Sendable, Hashable {
  public var from: Duration
  public var length: Duration
  /// Interval between starts, longer than `length`; `nil`: once.
  public var every: Duration?

  /// The next start or end after `time`; `nil` when there is none.
  public func nextEdge(after time: Duration) -> Duration? {
    guard time >= from else { return from }
    var begin = from
    if let every { begin += every * Int((time - from) / every) }
    if time < begin + length { return begin + length }
    return every.map { begin + $0 }
  }

  /// The end, exclusive, of the period that contains `time`; `nil` when none does.
  public func end(at time: Duration) -> Duration? {
    guard time >= from else { return nil }
    var begin = from
    if let every { begin += every * Int((time - from) / every) }
    return time < begin + length ? begin + length : nil
  }
}

extension ScenarioWindow {
  static let keys = ["from", "for", "every"]

  init?(_ map: YAMLMapping) {
    guard let from = map.required("from", example: "from: 30s"),
      let length = map.required("for", example: "for: 5s")
    else { return nil }
    guard let from = from.duration(in: .zero...DelayDistribution.longest),
      let length = length.duration(in: .milliseconds(1)...DelayDistribution.longest)
    else { return nil }
    self.init(from: from, length: length)
    guard let value = map["every"] else { return }
    every = value.duration(in: .milliseconds(1)...DelayDistribution.longest)
    if let every, every <= length {
      value.report("is not longer than \"for\"", remedy: "write more than \(DurationText.format(length))")
    }
  }
}
