extension ConnectionBehavior {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["dropped"]) else { return nil }
    self.init()
    if let share = map["dropped"]?.fraction() { dropped = share }
  }
}
