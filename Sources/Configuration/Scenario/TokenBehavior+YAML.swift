extension TokenBehavior {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["lifetime", "least_interval", "revoked", "unavailable"]) else {
      return nil
    }
    self.init()
    if let time = map["lifetime"]?.duration(in: .seconds(1)...DelayDistribution.longest) { lifetime = time }
    if let time = map["least_interval"]?.duration(in: .zero...DelayDistribution.longest) {
      leastInterval = time
    }
    if let value = map["revoked"] {
      let list = value.isSequence ? value.sequence() ?? [] : [value]
      revoked = list.compactMap { $0.duration(in: .zero...DelayDistribution.longest) }
    }
    if let share = map["unavailable"]?.fraction() { unavailable = share }
  }
}
