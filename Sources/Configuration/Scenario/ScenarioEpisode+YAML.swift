extension ScenarioEpisode {
  /// What the episode leaves out stays as it is outside.
  init?(_ value: YAMLValue, number: Int, within scenario: Scenario, words: DialectErrorCatalog) {
    let differences = ScenarioBehavior.keys + ["stream_limit"] + ScenarioDialect.allCases.map(\.rawValue)
    guard let map = value.mapping(keys: ["name"] + ScenarioWindow.keys + differences),
      let window = ScenarioWindow(map)
    else { return nil }
    var behavior = ScenarioBehavior(answers: scenario.answers, deliveries: scenario.deliveries)
    behavior.apply(map, reasons: words.all)
    self.init(
      name: map["name"]?.string(maximumBytes: 64) ?? "episode \(number)", window: window,
      answers: behavior.answers, deliveries: behavior.deliveries)
    if differences.allSatisfy({ map[$0] == nil }) {
      value.report(
        "changes nothing", remedy: "write what is different: answers, deliveries, stream_limit or a dialect")
    }
    streamLimit = map["stream_limit"]?.integer(in: 0...100_000)
    for dialect in ScenarioDialect.allCases {
      let section = map[dialect.rawValue]
      guard section != nil || scenario.dialects[dialect] != nil else { continue }
      var own = scenario.dialects[dialect] ?? behavior
      // The same mistake in them is noted once.
      if scenario.dialects[dialect] != nil { own.apply(map, reasons: words.all) }
      if let section = section?.mapping(keys: ScenarioBehavior.keys) {
        own.apply(section, reasons: words[dialect])
      }
      dialects[dialect] = own
    }
  }
}
