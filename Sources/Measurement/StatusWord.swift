/// How a target is, in one word: the words of `pushscope status`.
public enum StatusWord: String, Sendable, Hashable, Codable, CaseIterable {
  /// Nothing is open, and a usual outage would be seen.
  case ok
  /// Notifications or answers take longer than before, or than an objective allows.
  case slower
  /// A part is accepted and does not arrive, or arrives too late.
  case losing
  /// A part has no answer.
  case failing
  /// A part is refused, or not sent because of that.
  case refused
  /// A part arrives and is not shown.
  case unseen
  /// Sends so seldom that an outage could pass unseen.
  case quiet
  /// Recorded for too short a time to see a change.
  case learning
  /// Nothing is heard of it.
  case silent
  /// It is not recorded any more.
  case ended

  /// Whether somebody has to look at it: `status --exit-code` ends with 99.
  public var isOpen: Bool {
    switch self {
    case .slower, .losing, .failing, .refused, .unseen, .silent: true
    case .ok, .quiet, .learning, .ended: false
    }
  }
}

extension FindingKind {
  /// The word for a target of which such a finding is open; `nil` for an improvement.
  public var status: StatusWord? {
    switch self {
    case .slower: .slower
    case .faster: nil
    case .losing: .losing
    case .failing: .failing
    case .refused: .refused
    case .unseen: .unseen
    }
  }
}
