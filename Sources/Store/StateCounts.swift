import Measurement

/// Number of notifications in each state, and how far they came. The states add up to ``planned``: nothing is dropped from
/// the denominator.
public struct StateCounts: Sendable, Equatable {
  /// Counts indexed by the raw value of the state, without an allocation: a density plot has thousands of these.
  private var states = SIMD16<Int>.zero
  /// How many went onto the wire.
  public var sent = 0
  /// How many the provider accepted, in whatever state they ended.
  public var acceptedByProvider = 0
  /// How many of those delivered in time the device was expected to show, since it had shown earlier ones.
  public var displayExpected = 0
  /// How many of these it did show before the receipt deadline.
  public var displayed = 0
  /// How many of these it may still show.
  public var displayAwaited = 0

  public init() {}

  /// How many are in a state.
  public subscript(state: NotificationState) -> Int {
    get { states[state.rawValue] }
    set { states[state.rawValue] = newValue }
  }

  /// All of them, whatever their state.
  public var planned: Int { states.wrappedSum() }

  /// Those whose planned time has come: the denominator of shares.
  public var due: Int { planned &- self[.planned] }

  /// Those with a receipt.
  public var received: Int { self[.delivered] &+ self[.late] }

  /// Whether so many are lost without any receipt that it rarely is the provider: the device does not reach the collector.
  public var isSilent: Bool { received == 0 && self[.lost] >= Self.silence }

  /// The number of accepted notifications of a target without any receipt that is worth saying.
  public static let silence = 20

  /// Those whose final state is not known yet.
  public var open: Int { self[.planned] &+ self[.inFlight] }

  /// Those whose final state is known.
  public var settled: Int { planned &- open }

  /// Those that ended well: delivered, or accepted where no receipt is expected (``GoodOutcome``).
  public var good: Int { self[.delivered] &+ self[.accepted] }

  /// Those that the provider accepted and that had no receipt before the deadline (``NotificationState/isLost``).
  public var lost: Int { self[.lost] &+ self[.late] }

  /// How many failed because there was no connection to send them on: due, but neither sent nor missed.
  /// `nil` when some are interrupted, because it is not recorded how many of those had been sent.
  public var failedBeforeSending: Int? {
    let unsent = max(0, due &- sent &- self[.missed])
    guard unsent == 0 || self[.interrupted] == 0 else { return nil }
    return min(self[.failed], unsent)
  }

  /// How many of those that were delivered in time it is known of whether the device showed them.
  public var displaySettled: Int { displayExpected &- displayAwaited }

  /// How many of these it did not show by the receipt deadline.
  public var unseen: Int { displaySettled &- displayed }

  /// Adds `count` notifications, or removes them when it is negative.
  public mutating func add(
    _ state: NotificationState, isSent: Bool, isAccepted: Bool, display: DisplayState? = nil, count: Int = 1
  ) {
    self[state] &+= count
    if isSent { sent &+= count }
    if isAccepted { acceptedByProvider &+= count }
    if display != nil { displayExpected &+= count }
    if display == .shown { displayed &+= count }
    if display == .awaited { displayAwaited &+= count }
  }

  /// Adds a notification.
  public mutating func add(_ row: borrowing SampleRow) {
    add(
      row.state, isSent: row.scheduleLag != nil, isAccepted: row.acceptLatency != nil, display: row.display)
  }

  /// Adds a notification.
  public mutating func add(_ point: SamplePoint) {
    add(point.state, isSent: point.isSent, isAccepted: point.acceptLatency != nil, display: point.display)
  }

  mutating func add(_ flags: SampleStateFlags, _ count: Int = 1) {
    add(
      flags.state, isSent: flags.isSent, isAccepted: flags.isAccepted, display: flags.display, count: count)
  }

  public static func += (sum: inout Self, other: Self) {
    sum.states &+= other.states
    sum.sent &+= other.sent
    sum.acceptedByProvider &+= other.acceptedByProvider
    sum.displayExpected &+= other.displayExpected
    sum.displayed &+= other.displayed
    sum.displayAwaited &+= other.displayAwaited
  }

  public static func + (a: Self, b: Self) -> Self {
    var sum = a
    sum += b
    return sum
  }
}

extension StateCounts {
  /// The columns of the counts in the tables `tally` and `rollup`: states by their raw values, then the others.
  static let columns =
    NotificationState.allCases.map(\.name) + [
      "sent", "provider_accepted", "display_expected", "displayed", "display_awaited",
    ]

  /// The count of a column, by its place in ``columns``.
  subscript(column place: Int) -> Int {
    get {
      let states = NotificationState.allCases.count
      return switch place - states {
      case 0: sent
      case 1: acceptedByProvider
      case 2: displayExpected
      case 3: displayed
      case 4: displayAwaited
      default: self.states[place]
      }
    }
    set {
      let states = NotificationState.allCases.count
      switch place - states {
      case 0: sent = newValue
      case 1: acceptedByProvider = newValue
      case 2: displayExpected = newValue
      case 3: displayed = newValue
      case 4: displayAwaited = newValue
      default: self.states[place] = newValue
      }
    }
  }
}
