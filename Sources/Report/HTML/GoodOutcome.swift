/// What counts as good for some targets: to arrive in time where receipts are expected, to be accepted where none are.
enum GoodOutcome {
  case arrived
  case accepted
  case either

  init(_ targets: some Sequence<ReportTarget>) {
    switch Set(targets.map { $0.receiptDeadline != nil }) {
    case [true]: self = .arrived
    case [false]: self = .accepted
    default: self = .either
    }
  }

  /// `arrived in time`, the title of a column.
  var title: String {
    switch self {
    case .arrived: "arrived in time"
    case .accepted: "accepted"
    case .either: "arrived in time, or accepted"
    }
  }

  /// The end of a sentence like `98.7 % of 18 000 notifications arrived in time`.
  var verb: String {
    switch self {
    case .arrived: "arrived in time"
    case .accepted: "were accepted"
    case .either: "arrived in time or, without receipts, were accepted"
    }
  }

  /// The end of `What did not arrive in time`.
  var opposite: String {
    switch self {
    case .arrived: "did not arrive in time"
    case .accepted: "was not accepted"
    case .either: "did not arrive in time, or was not accepted"
    }
  }
}
