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
