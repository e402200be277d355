extension DeliveryBehavior {
  /// Takes over what the value says.
  mutating func apply(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["delay", "lost", "duplicated", "reordered"]) else { return }
    if let value = map["delay"], let delay = DelayDistribution(value) { self.delay = delay }
    if let lost = map["lost"]?.fraction() { self.lost = lost }
    if let duplicated = map["duplicated"]?.fraction() { self.duplicated = duplicated }
    if let value = map["reordered"], let reordered = Reordering(value) { self.reordered = reordered }
  }
}

extension DeliveryBehavior.Reordering {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["probability", "by"]),
      let share = map.required("probability", example: "probability: 1%"),
      let extra = map.required("by", example: "by: 800ms")
    else { return nil }
    guard let probability = share.fraction(),
      let by = extra.duration(in: .milliseconds(1)...DelayDistribution.longest)
    else { return nil }
    self.init(probability: probability, by: by)
  }
}
