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
