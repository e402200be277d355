extension Scenario {
  /// Reads a scenario file.
  ///
  /// - Parameter words: the dialects' words for errors, with their status.
  /// - Throws: all mistakes at once, each with file, line, column, key and remedy.
  public static func load(
    path: String, environment: [String: String] = [:], words: DialectErrorCatalog
  ) throws(ConfigurationError) -> Scenario {
    try YAMLFile.load(path: path, environment: environment) { Scenario($0, words: words) }
  }

  /// Reads a scenario from text that is at hand; `file` is what problems call it.
  public static func parse(
    _ text: String, file: String, words: DialectErrorCatalog
  ) throws(ConfigurationError) -> Scenario {
    try YAMLFile.parse(text, file: file) { Scenario($0, words: words) }
  }

  init?(_ value: YAMLValue, words: DialectErrorCatalog) {
    let keys =
      ["seed", "stream_limit"] + ScenarioBehavior.keys + ScenarioDialect.allCases.map(\.rawValue)
      + ["tokens", "connections", "episodes", "freeze"]
    guard let map = value.mapping(keys: keys) else { return nil }
    self.init()
    if let seed = map["seed"]?.integer(in: 0...Int.max) { self.seed = UInt64(seed) }
    if let limit = map["stream_limit"]?.integer(in: 1...100_000) { streamLimit = limit }
    if let value = map["answers"] { answers.apply(value, reasons: words.all) }
    if let value = map["deliveries"] { deliveries.apply(value) }
    for dialect in ScenarioDialect.allCases {
      guard let section = map[dialect.rawValue] else { continue }
      let more = dialect == .ntfy ? SubscriptionBehavior.keys : []
      guard let own = section.mapping(keys: ScenarioBehavior.keys + more) else { continue }
      if dialect == .ntfy { subscriptions.apply(own) }
      guard ScenarioBehavior.keys.contains(where: { own[$0] != nil }) else { continue }
      var behavior = ScenarioBehavior(answers: answers, deliveries: deliveries)
      behavior.apply(own, reasons: words[dialect])
      dialects[dialect] = behavior
    }
    if let value = map["tokens"], let tokens = TokenBehavior(value) { self.tokens = tokens }
    if let value = map["connections"], let connections = ConnectionBehavior(value) {
      self.connections = connections
    }
    if let list = map["episodes"]?.sequence() {
      episodes = list.enumerated().compactMap { index, value in
        ScenarioEpisode(value, number: index + 1, within: self, words: words)
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
