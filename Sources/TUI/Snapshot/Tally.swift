import Measurement

/// How many notifications are in each state, and how far they came.
struct Tally: Sendable, Equatable {
  private var counts = SIMD16<Int32>.zero

  subscript(state: NotificationState) -> Int {
    get { Int(counts[state.rawValue]) }
    set { counts[state.rawValue] = Int32(clamping: newValue) }
  }

  /// More than there are states: the last two are for how far they came.
  static let places = 16
  static let sentPlace = 14
  static let acceptedPlace = 15

  /// Went onto the wire.
  var sent: Int {
    get { Int(counts[Self.sentPlace]) }
    set { counts[Self.sentPlace] = Int32(clamping: newValue) }
  }

  /// The provider accepted, whatever became of them after.
  var accepted: Int {
    get { Int(counts[Self.acceptedPlace]) }
    set { counts[Self.acceptedPlace] = Int32(clamping: newValue) }
  }

  init() {}

  /// - Parameter counts: `places` of them, by the states' raw values, then `sentPlace` and `acceptedPlace`.
  init(_ counts: [Int32]) {
    for place in counts.indices.prefix(Self.places) { self.counts[place] = counts[place] }
  }

  /// All that were ever planned, whatever became of them.
  var total: Int {
    var states = counts
    (states[Self.sentPlace], states[Self.acceptedPlace]) = (0, 0)
    return Int(states.wrappedSum())
  }

  /// Those whose time has come.
  var due: Int { total - self[.planned] }

  mutating func add(_ point: PlotPoint) {
    self[point.state] += 1
    if point.isSent { sent += 1 }
    if point.acceptLatency != nil { accepted += 1 }
  }

  static func + (left: Tally, right: Tally) -> Tally {
    var sum = Tally()
    sum.counts = left.counts &+ right.counts
    return sum
  }
}
