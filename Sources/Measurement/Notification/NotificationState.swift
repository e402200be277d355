/// The one state a planned notification is in. Raw values are the store's; the names are the CSV's.
public enum NotificationState: Int, Sendable, Hashable, CaseIterable {
  /// In a committed block of the schedule, not sent yet.
  case planned = 0
  /// Sent; no answer yet, or accepted and waiting for its receipt.
  case inFlight = 1
  /// The provider answered 2xx; no receipt is expected for this target. Final.
  case accepted = 2
  /// A receipt came within the target's deadline. Final.
  case delivered = 3
  /// A receipt came after the deadline. Final.
  case late = 4
  /// The provider accepted, the deadline passed, no receipt. Until a receipt makes it `late`.
  case lost = 5
  /// The provider answered with an error status. Until a receipt.
  case rejected = 6
  /// No answer: transport error or timeout, or no connection to be sent on before `max_lag`. Until a receipt.
  case failed = 7
  /// Planned but not sent, for another cause than having no connection. Final.
  case missed = 8
  /// The collector died before its end was known; marked at the next start. Until a receipt.
  case interrupted = 9

  /// The word in CSV, JSON and panels.
  public var name: String {
    switch self {
    case .planned: "planned"
    case .inFlight: "in_flight"
    case .accepted: "accepted"
    case .delivered: "delivered"
    case .late: "late"
    case .lost: "lost"
    case .rejected: "rejected"
    case .failed: "failed"
    case .missed: "missed"
    case .interrupted: "interrupted"
    }
  }

  /// What people read where there is room for it: the one state whose name is also the word for what passed the provider
  /// says what it means.
  public var title: String {
    switch self {
    case .planned: "still to be sent"
    case .inFlight: "in flight"
    case .accepted: "accepted, no receipt expected"
    default: name
    }
  }

  /// Whether nothing but a receipt can change it any more.
  public var isSettled: Bool { self != .planned && self != .inFlight }
}
