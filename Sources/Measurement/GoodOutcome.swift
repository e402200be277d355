/// What counts as good for some targets: to be delivered where receipts are expected, to be accepted where none are.
public enum GoodOutcome: Sendable {
  case delivered
  case accepted
  case either

  /// What counts as good for targets each of which expects receipts or does not; ``either`` for both kinds, and for no targets.
  public init(ofTargetsExpectingReceipts expectations: some Sequence<Bool>) {
    switch Set(expectations) {
    case [true]: self = .delivered
    case [false]: self = .accepted
    default: self = .either
    }
  }

  /// The word after a share: `95.8 % delivered`.
  public var word: String {
    switch self {
    case .delivered: NotificationState.delivered.name
    case .accepted: NotificationState.accepted.name
    case .either: "\(NotificationState.delivered.name) or \(NotificationState.accepted.name)"
    }
  }

  /// `arrived in time`, the title of a column.
  public var title: String {
    switch self {
    case .delivered: "arrived in time"
    case .accepted: "accepted"
    case .either: "arrived in time, or accepted"
    }
  }

  /// The end of a sentence like `98.7 % of 18 000 notifications arrived in time`.
  public var verb: String {
    switch self {
    case .delivered: "arrived in time"
    case .accepted: "were accepted"
    case .either: "arrived in time or, without receipts, were accepted"
    }
  }

  /// The end of `What did not arrive in time`.
  public var opposite: String {
    switch self {
    case .delivered: "did not arrive in time"
    case .accepted: "was not accepted"
    case .either: "did not arrive in time, or was not accepted"
    }
  }
}
