import Measurement
import Store

/// The meaning of a mark in a plot, in ascending order of severity: the most severe of a cell decides its color, independent of
/// the drawing order.
enum MarkClass: UInt8, Sendable, Hashable, CaseIterable, Comparable {
  /// Pending: sent, waiting for an answer or a receipt.
  case pending = 1
  /// Accepted or delivered.
  case good
  case late
  /// Delivered in time, and not shown by the receipt deadline: where the metric is the time until shown.
  case unseen
  case missed
  case interrupted
  case rejected
  case failed
  case lost

  /// `nil` for a notification that is only planned.
  init?(_ state: NotificationState) {
    switch state {
    case .planned: return nil
    case .inFlight: self = .pending
    case .accepted, .delivered: self = .good
    case .late: self = .late
    case .missed: self = .missed
    case .interrupted: self = .interrupted
    case .rejected: self = .rejected
    case .failed: self = .failed
    case .lost: self = .lost
    }
  }

  /// What a notification is for a metric: of the time until shown it is lost where its device did not show it, and late where that was
  /// after the receipt deadline.
  init?(_ point: SamplePoint, of metric: Metric) {
    self.init(point.state)
    guard metric == .shown, self == .good else { return }
    switch point.display {
    case .unseen: self = .unseen
    case .shownLate: self = .late
    case .shown, .awaited, nil: break
    }
  }

  /// Whether it has no latency and is therefore marked in the loss band.
  var isLoss: Bool { self >= Self.leastLoss }

  /// The least severe loss.
  static let leastLoss = MarkClass.unseen

  static func < (left: MarkClass, right: MarkClass) -> Bool { left.rawValue < right.rawValue }
}

/// A class and, within it, a target, as one number: of two codes the larger is shown.
///
/// Among equals the target that comes first in the run's order wins.
struct MarkCode: RawRepresentable, Sendable, Hashable {
  let rawValue: UInt16

  init(rawValue: UInt16) { self.rawValue = rawValue }

  /// - Parameter target: index of the target in its run; those from `targets` on share a code.
  init(_ markClass: MarkClass, target: Int) {
    rawValue =
      UInt16(markClass.rawValue) << Self.shift | UInt16(Self.targets - 1 - min(target, Self.targets - 1))
  }

  /// Number of targets with distinct codes.
  static let targets = 1 << shift
  /// Bits of the target; those above it are the class.
  static let shift = 6
  /// One more than the highest.
  static let count = (MarkClass.allCases.count + 1) << shift

  var markClass: MarkClass? { MarkClass(rawValue: UInt8(truncatingIfNeeded: rawValue >> Self.shift)) }

  /// The same color in another class.
  func with(_ markClass: MarkClass) -> MarkCode { MarkCode(markClass, target: target) }

  var target: Int { Self.targets - 1 - Int(rawValue) & (Self.targets - 1) }
}

/// The code of each state for one target, 0 for what is not drawn: a table small enough to stay in a register or two.
struct MarkCodes: Sendable, Hashable {
  private var table = SIMD16<UInt16>.zero

  /// - Parameter target: index of the target in its run.
  init(target: Int) { self.init { _ in target } }

  /// - Parameter place: index of the theme's color for a state.
  init(_ place: (NotificationState) -> Int) {
    for state in NotificationState.allCases {
      table[state.rawValue] = MarkClass(state).map { MarkCode($0, target: place(state)).rawValue } ?? 0
    }
  }

  @inline(__always)
  subscript(state: NotificationState) -> UInt16 { table[state.rawValue] }
}

/// The color that each value of a key has in a plot: places among the theme's colors of targets.
struct ValuePlaces: Sendable, Hashable {
  /// The place of each number of a value (``SamplePoint/valueNumber``).
  private let places: [UInt8]
  /// How many colors there are.
  let count: Int

  /// - Parameters:
  ///   - places: by the numbers of values; those of numbers that are not in it are the last.
  ///   - count: at least 1.
  init(_ places: [UInt8: Int], count: Int) {
    self.count = max(1, count)
    let last = UInt8(clamping: self.count - 1)
    self.places = (0...UInt8.max).map { places[$0].map(UInt8.init(clamping:)) ?? last }
  }

  subscript(number: UInt8) -> Int { Int(places[Int(number)]) }

  /// The codes of good notifications by the numbers of their values.
  /// - Parameter first: the place of the first color.
  func codes(from first: Int) -> [UInt16] { places.map { MarkCode(.good, target: first + Int($0)).rawValue } }
}
