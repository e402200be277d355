extension ScenarioEpisode {
  /// What the episode leaves out stays as it is outside.
  init?(_ value: YAMLValue, number: Int, within scenario: Scenario, reasons: [String: Int]) {
    guard let map = value.mapping(keys: ["name"] + ScenarioWindow.keys + ["answers", "deliveries"]),
      let window = ScenarioWindow(map)
    else { return nil }
    self.init(
      name: map["name"]?.string(maximumBytes: 64) ?? "episode \(number)", window: window,
      answers: scenario.answers, deliveries: scenario.deliveries)
    if map["answers"] == nil, map["deliveries"] == nil {
      value.report("changes nothing", remedy: "write what is different: answers, deliveries")
    }
    if let value = map["answers"] { answers.apply(value, reasons: reasons) }
    if let value = map["deliveries"] { deliveries.apply(value) }
  }
}
