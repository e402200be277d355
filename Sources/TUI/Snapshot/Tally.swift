import Measurement

/// How many notifications are in each state.
struct Tally: Sendable, Equatable {
  private var counts = SIMD16<Int32>.zero

  subscript(state: NotificationState) -> Int {
    get { Int(counts[state.rawValue]) }
    set { counts[state.rawValue] = Int32(clamping: newValue) }
  }

  /// More than there are states.
  static let places = 16

  init() {}

  /// - Parameter counts: `places` of them, by the states' raw values.
  init(_ counts: [Int32]) {
    for place in counts.indices.prefix(Self.places) { self.counts[place] = counts[place] }
  }

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
