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
