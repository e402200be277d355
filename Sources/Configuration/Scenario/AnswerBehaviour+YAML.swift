extension AnswerBehaviour {
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

extension ErrorAnswer {
  init?(_ value: YAMLValue, reasons: [String: Int]) {
    let keys = ["reason", "probability", "status", "retry_after", "delivered"]
    guard let map = value.mapping(keys: keys),
      let word = map.required("reason", example: "reason: ServiceUnavailable"),
      let share = map.required("probability", example: "probability: 1%")
    else { return nil }
    guard let reason = word.string(maximumBytes: 64), let probability = share.fraction() else { return nil }
    let status = map["status"]?.integer(in: 400...599)
    guard reason.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) else {
      word.report("is not a word", remedy: "write letters and digits, like ServiceUnavailable")
      return nil
    }
    guard let known = status ?? reasons[reason] else {
      let words = reasons.keys.sorted()
      word.report(
        "\(reason.quoted) has no status of its own",
        remedy:
          "\(NearestWord.remedy(for: reason, among: words, noun: "words here")), or add status: 400 to 599")
      return nil
    }
    self.init(
      reason: reason, status: known, probability: probability,
      retryAfter: map["retry_after"]?.duration(in: .seconds(1)...DelayDistribution.longest),
      isDelivered: map["delivered"]?.boolean() ?? false)
  }
}

extension AnswerFault {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["kind", "probability", "delivered"]),
      let word = map.required("kind", example: "kind: reset"),
      let share = map.required("probability", example: "probability: 1%")
    else { return nil }
    guard let kind = word.choice(of: Kind.self), let probability = share.fraction() else { return nil }
    let delivered = map["delivered"]?.boolean()
    if kind == .refuse, delivered == true {
      map["delivered"]?.report(
        "cannot be: a refused stream was not processed", remedy: "delete the key, or use kind: reset")
    }
    if kind == .goaway, delivered == false {
      map["delivered"]?.report(
        "cannot be: the request is accepted", remedy: "delete the key; deliveries.lost says what is lost")
    }
    self.init(kind: kind, probability: probability, isDelivered: delivered ?? (kind == .goaway))
  }
}
