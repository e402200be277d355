extension AnswerBehavior {
  /// Takes over what the value says.
  mutating func apply(_ value: YAMLValue, reasons: [String: Int]) {
    guard let map = value.mapping(keys: ["delay", "errors", "faults"]) else { return }
    if let value = map["delay"], let delay = DelayDistribution(value) { self.delay = delay }
    if let list = map["errors"]?.sequence() {
      errors = list.compactMap { ErrorAnswer($0, reasons: reasons) }
    }
    if let list = map["faults"]?.sequence() { faults = list.compactMap { AnswerFault($0) } }
    let total = errors.reduce(0) { $0 + $1.probability } + faults.reduce(0) { $0 + $1.probability }
    if total > 1 + 1e-9 {
      value.report("has errors and faults that add up to more than 1", remedy: "lower their probabilities")
    }
  }
}
