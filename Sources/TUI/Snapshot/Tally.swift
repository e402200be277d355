import Measurement

/// How many notifications are in each state.
struct Tally: Sendable, Equatable {
  private var counts = SIMD16<Int>.zero

  subscript(state: NotificationState) -> Int {
    get { counts[state.rawValue] }
    set { counts[state.rawValue] = newValue }
  }

  /// All that were ever planned, whatever became of them.
  var total: Int { counts.wrappedSum() }

  /// Those whose time has come.
  var due: Int { total - self[.planned] }

  static func + (left: Tally, right: Tally) -> Tally {
    var sum = Tally()
    sum.counts = left.counts &+ right.counts
    return sum
  }
}
