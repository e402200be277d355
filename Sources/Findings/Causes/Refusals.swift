import Measurement

/// What a provider refused, and what was not sent to it because of that. Both count as refused; they are never told as one
/// number, since most of it can be our own pause after a few refusals.
public struct Refusals: Sendable, Hashable {
  /// What most of them have in common.
  enum Reason {
    case throttled, credential, errors
  }

  /// Answers by what they say; `nil`: something else.
  private var answers: [Reason?: Int] = [:]
  private var missed: [MissedReason: Int] = [:]
  private var statuses: [Int: Int] = [:]

  var refused: Int { answers.values.reduce(0, +) }
  var notSent: Int { missed.values.reduce(0, +) }

  /// - Parameter sample: a refused one.
  mutating func add(_ sample: EpisodeSample) {
    if sample.state == .missed {
      if let reason = sample.reason.flatMap(MissedReason.init) { missed[reason, default: 0] += 1 }
      return
    }
    let reason: Reason? =
      switch sample.status {
      case 429: .throttled
      case 401, 403: .credential
      case let status? where (500..<600).contains(status): .errors
      default: nil
      }
    answers[reason, default: 0] += 1
    if let status = sample.status { statuses[status, default: 0] += 1 }
  }

  static func += (sum: inout Refusals, other: Refusals) {
    sum.answers.merge(other.answers, uniquingKeysWith: +)
    sum.missed.merge(other.missed, uniquingKeysWith: +)
    sum.statuses.merge(other.statuses, uniquingKeysWith: +)
  }

  /// The HTTP status of more than half of the refusals.
  var status: Int? { statuses.first { $0.value * 2 > refused }?.key }

  /// What over 30 % of them have in common, also what was not sent.
  var reason: Reason? {
    let all = Double(refused + notSent)
    func part(_ reason: Reason, _ missed: [MissedReason]) -> Bool {
      Double((answers[reason] ?? 0) + missed.reduce(0) { $0 + (self.missed[$1] ?? 0) }) > 0.3 * all
    }
    if part(.throttled, [.retryAfter, .providerLimit]) { return .throttled }
    if part(.credential, [.credential]) { return .credential }
    return part(.errors, [.backoff]) ? .errors : nil
  }

  /// `3 refused by fcm, all with a server error; 375 not sent because of our back-off`.
  func words(by whom: String) -> String {
    let refused = refused
    var text = refused == 0 ? "none refused by \(whom) in this time" : "\(refused) refused by \(whom)"
    if let reason, let count = answers[reason] {
      let detail =
        switch reason {
        case .throttled: "for too many requests"
        case .credential: "for the credential"
        case .errors: "with a server error"
        }
      text += ", \(count == refused ? "all" : "\(count)") \(detail)"
    }
    let parts = MissedReason.allCases.compactMap { reason -> String? in
      guard let count = missed[reason], let why = Self.why(reason) else { return nil }
      return "\(count) not sent because of \(why)"
    }
    return ([text] + parts).joined(separator: "; ")
  }

  private static func why(_ reason: MissedReason) -> String? {
    switch reason {
    case .backoff: "our back-off"
    case .retryAfter: "the pause that was asked for"
    case .providerLimit: "the provider’s limits"
    case .credential: "the refused credential"
    case .lag, .inFlight, .stopping: nil
    }
  }
}
