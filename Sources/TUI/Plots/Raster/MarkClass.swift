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
