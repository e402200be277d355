extension ScenarioBehavior {
  static let keys = ["answers", "deliveries"]

  /// Takes over what a mapping's `answers` and `deliveries` say.
  mutating func apply(_ map: YAMLMapping, reasons: [String: Int]) {
    if let value = map["answers"] { answers.apply(value, reasons: reasons) }
    if let value = map["deliveries"] { deliveries.apply(value) }
  }
}
