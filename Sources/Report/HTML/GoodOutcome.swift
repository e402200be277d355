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

  /// `98.7 % of 18 000 notifications arrived in time`: the end of a sentence.
  var verb: String {
    switch self {
    case .arrived: "arrived in time"
    case .accepted: "were accepted"
    case .either: "arrived in time or, without receipts, were accepted"
    }
  }
}
