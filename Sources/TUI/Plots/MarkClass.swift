import Measurement

/// What a mark in a plot stands for, in ascending order of badness: where several share a cell the worst gives the
/// color, whatever was painted last.
enum MarkClass: UInt8, Sendable, Hashable, CaseIterable, Comparable {
  /// Not over yet: sent, waiting for an answer or a receipt.
  case pending = 1
  /// Accepted or delivered.
  case good
  case late
  case missed
  case interrupted
  case rejected
  case failed
  case lost

  /// Nothing to show for a notification that is still a plan.
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

  /// Has no latency that would place it among the others: it is marked in the band.
  var isLoss: Bool { self >= .missed }

  static func < (left: MarkClass, right: MarkClass) -> Bool { left.rawValue < right.rawValue }
}

/// A class and, within it, a target, as one number: the larger of two is the one to show.
///
/// Among equals the target that comes first in the run's order wins.
struct MarkCode: RawRepresentable, Sendable, Hashable {
  let rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// - Parameter target: place of the target in its run; beyond `targets` they share a code.
  init(_ markClass: MarkClass, target: Int) {
    rawValue = markClass.rawValue << 4 | UInt8(MarkCode.targets - 1 - min(target, MarkCode.targets - 1))
  }

  /// As many targets as are told apart.
  static let targets = 16
  /// One more than the highest.
  static let count = 9 << 4

  var markClass: MarkClass? { MarkClass(rawValue: rawValue >> 4) }

  var target: Int { MarkCode.targets - 1 - Int(rawValue & 0xF) }
}

/// The code of each state for one target, 0 for what is not drawn: a table small enough to stay in a register or two.
struct MarkCodes: Sendable, Hashable {
  private var table = SIMD16<UInt8>.zero

  /// - Parameter target: place of the target in its run.
  init(target: Int) { self.init { _ in target } }

  /// - Parameter place: which of the theme's colors a state gets.
  init(_ place: (NotificationState) -> Int) {
    for state in NotificationState.allCases {
      table[state.rawValue] = MarkClass(state).map { MarkCode($0, target: place(state)).rawValue } ?? 0
    }
  }

  @inline(__always)
  subscript(state: NotificationState) -> UInt8 { table[state.rawValue] }
}
