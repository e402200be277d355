/// How requests are answered and accepted notifications delivered.
public struct ScenarioBehavior: Sendable, Hashable {
  public var answers = AnswerBehavior()
  public var deliveries = DeliveryBehavior()
}

extension ScenarioBehavior {
  static let keys = ["answers", "deliveries"]

  /// Applies a mapping's `answers` and `deliveries`.
  mutating func apply(_ map: YAMLMapping, reasons: [String: Int]) {
    if let value = map["answers"] { answers.apply(value, reasons: reasons) }
    if let value = map["deliveries"] { deliveries.apply(value) }
  }
}

extension ScenarioBehavior {
  /// Adopts what `own` changes of `base`.
  mutating func adopt(_ own: ScenarioBehavior, differingFrom base: ScenarioBehavior) {
    if own.answers.delay != base.answers.delay { answers.delay = own.answers.delay }
    if own.answers.errors != base.answers.errors { answers.errors = own.answers.errors }
    if own.answers.faults != base.answers.faults { answers.faults = own.answers.faults }
    DeliveryChanges(from: base.deliveries, to: own.deliveries).apply(to: &deliveries)
  }
}

/// Responses to valid requests.
public struct AnswerBehavior: Sendable, Hashable {
  /// Time from the complete request to the response.
  public var delay = DelayDistribution.none
  /// The error answers, tried in order before `faults`; all probabilities together are at most 1.
  public var errors: [ErrorAnswer] = []
  public var faults: [AnswerFault] = []
}

extension AnswerBehavior {
  /// Applies the keys that are given.
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

/// A response with an error status.
public struct ErrorAnswer: Sendable, Hashable {
  /// The provider's error reason, like `ServiceUnavailable`.
  public var reason: String
  public var status: Int
  public var probability: Double
  /// Value of `retry-after`, in whole seconds.
  public var retryAfter: Duration?
  /// Whether the notification is delivered nevertheless.
  public var isDelivered = false
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
      word.report("is not a valid reason", remedy: "write letters and digits, like ServiceUnavailable")
      return nil
    }
    guard let known = status ?? reasons[reason] else {
      let words = reasons.keys.sorted()
      word.report(
        "\(reason.quoted) has no status of its own",
        remedy:
          "\(NearestWord.remedy(for: reason, among: words, noun: "reasons")), or add status: 400 to 599")
      return nil
    }
    self.init(
      reason: reason, status: known, probability: probability,
      retryAfter: map["retry_after"]?.duration(in: .seconds(1)...DelayDistribution.longest),
      isDelivered: map["delivered"]?.boolean() ?? false)
  }
}

/// A failure instead of a response.
public struct AnswerFault: Sendable, Hashable {
  /// What happens in place of the response; the raw value is its name in scenario files.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// RST_STREAM with INTERNAL_ERROR: the request may have been processed.
    case reset
    /// RST_STREAM with REFUSED_STREAM: the request was not processed.
    case refuse
    /// A response, then GOAWAY.
    case goaway
    /// Immediate GOAWAY whose last stream precedes the request: the request was not processed.
    case goawayUnprocessed = "goaway_unprocessed"
    /// No response.
    case silence
    /// The TCP connection is closed, with all its streams.
    case disconnect
  }

  public var kind: Kind
  public var probability: Double
  /// Whether the notification is delivered. Always with `goaway`, never with `refuse` and `goaway_unprocessed`.
  public var isDelivered = false
}

extension AnswerFault {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["kind", "probability", "delivered"]),
      let word = map.required("kind", example: "kind: reset"),
      let share = map.required("probability", example: "probability: 1%")
    else { return nil }
    guard let kind = word.choice(of: Kind.self), let probability = share.fraction() else { return nil }
    let delivered = map["delivered"]?.boolean()
    if kind == .refuse || kind == .goawayUnprocessed, delivered == true {
      map["delivered"]?.report(
        "cannot be true: such a request is not processed", remedy: "delete the key, or use kind: reset")
    }
    if kind == .goaway, delivered == false {
      map["delivered"]?.report(
        "cannot be false: the request is accepted",
        remedy: "delete the key; deliveries.lost sets the share of lost notifications")
    }
    self.init(kind: kind, probability: probability, isDelivered: delivered ?? (kind == .goaway))
  }
}
