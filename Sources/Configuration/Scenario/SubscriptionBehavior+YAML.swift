extension SubscriptionBehavior {
  static let keys = ["keepalive", "cut_after", "mute_after", "requests"]

  /// Takes over what the `ntfy` section says beside `answers` and `deliveries`.
  mutating func apply(_ map: YAMLMapping) {
    let range = Duration.milliseconds(10)...DelayDistribution.longest
    if let time = map["keepalive"]?.duration(in: range) { keepalive = time }
    if let time = map["cut_after"]?.duration(in: range) { cutAfter = time }
    if let time = map["mute_after"]?.duration(in: range) { muteAfter = time }
    if let value = map["requests"] { requests = RequestLimit(value) }
  }
}

extension SubscriptionBehavior.RequestLimit {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["burst", "every"]),
      let burst = map.required("burst", example: "burst: 60"),
      let every = map.required("every", example: "every: 5s")
    else { return nil }
    guard let burst = burst.integer(in: 1...1_000_000),
      let every = every.duration(in: .milliseconds(1)...DelayDistribution.longest)
    else { return nil }
    self.init(burst: burst, every: every)
  }
}
