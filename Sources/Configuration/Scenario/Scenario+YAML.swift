extension Scenario {
  /// Reads a scenario file.
  ///
  /// - Parameter reasons: the provider's words for errors, with their status: those that a scenario may use without
  ///   giving one.
  /// - Throws: all mistakes at once, each with file, line, column, key and remedy.
  public static func load(
    path: String, environment: [String: String] = [:], reasons: [String: Int]
  ) throws(ConfigurationError) -> Scenario {
    try YAMLFile.load(path: path, environment: environment) { Scenario($0, reasons: reasons) }
  }

  /// Reads a scenario from text that is at hand; `file` is what problems call it.
  public static func parse(
    _ text: String, file: String, reasons: [String: Int]
  ) throws(ConfigurationError) -> Scenario {
    try YAMLFile.parse(text, file: file) { Scenario($0, reasons: reasons) }
  }

  init?(_ value: YAMLValue, reasons: [String: Int]) {
    let keys = ["seed", "stream_limit", "answers", "deliveries", "episodes", "freeze"]
    guard let map = value.mapping(keys: keys) else { return nil }
    self.init()
    if let seed = map["seed"]?.integer(in: 0...Int.max) { self.seed = UInt64(seed) }
    if let limit = map["stream_limit"]?.integer(in: 1...100_000) { streamLimit = limit }
    if let value = map["answers"] { answers.apply(value, reasons: reasons) }
    if let value = map["deliveries"] { deliveries.apply(value) }
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
