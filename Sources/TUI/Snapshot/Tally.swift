import Measurement

/// How many notifications are in each state.
struct Tally: Sendable, Equatable {
  private var counts = SIMD16<Int32>.zero

  subscript(state: NotificationState) -> Int {
    get { Int(counts[state.rawValue]) }
    set { counts[state.rawValue] = Int32(clamping: newValue) }
  }

  /// One more.
  @inline(__always)
  mutating func add(_ state: NotificationState) { counts[state.rawValue] &+= 1 }

  /// All that were ever planned, whatever became of them.
  var total: Int { Int(counts.wrappedSum()) }

  /// Those whose time has come.
  var due: Int { total - self[.planned] }

  static func + (left: Tally, right: Tally) -> Tally {
    var sum = Tally()
    sum.counts = left.counts &+ right.counts
    return sum
  }
}
