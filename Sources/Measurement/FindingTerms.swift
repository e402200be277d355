/// What is watched of a target and variant: the words of the `metric` column of findings.
public enum SeriesMetric: String, Sendable, Hashable, Codable, CaseIterable {
  case delivery
  case accept
  /// The share of accepted notifications that were lost; late ones count as lost.
  case lost
  /// The share of planned notifications that failed.
  case failed
  /// The share of planned notifications that were rejected, or missed for `retry_after`, `backoff`, `provider_limit`
  /// or `credential`.
  case refused
  /// The time from received to shown, of devices that report it.
  case display
  /// The share of delivered notifications that were not shown by the receipt deadline, of devices that report what they show.
  case unseen

  public var isShare: Bool {
    switch self {
    case .delivery, .accept, .display: false
    case .lost, .failed, .refused, .unseen: true
    }
  }

  /// Whether it is known of targets only that expect receipts.
  public var needsReceipts: Bool {
    switch self {
    case .delivery, .lost, .display, .unseen: true
    case .accept, .failed, .refused: false
    }
  }

  /// The name in tables and sentences. What was refused and what was not sent because of that count as one share.
  public var title: String { self == .refused ? "refused or not sent" : rawValue }

  /// The kind of a finding that says that this changed.
  public func kind(isUpward: Bool) -> FindingKind {
    switch self {
    case .delivery, .accept, .display: isUpward ? .slower : .faster
    case .lost: .losing
    case .failed: .failing
    case .refused: .refused
    case .unseen: .unseen
    }
  }
}

/// The words of the `kind` column.
public enum FindingKind: String, Sendable, Hashable, Codable, CaseIterable {
  case slower, faster, losing, failing, refused, unseen
}

/// The words of the `status` column.
public enum FindingStatus: String, Sendable, Hashable, Codable, CaseIterable {
  /// Found while the series is younger than two days; sends no alert.
  case provisional
  case open
  /// Open for more than an hour: the detector's reference is the new behavior by now.
  case lasting
  case closed
  /// A correction of the rows took its ground away.
  case withdrawn
  /// A latency that is higher at the same hours of most days. It is usual, so that it is never open.
  case daily

  /// Whether a finding goes on.
  /// - Parameter isSettled: whether it has an end, or became the new normal.
  public func isOpen(isSettled: Bool) -> Bool {
    switch self {
    case .open, .lasting: true
    case .provisional: !isSettled
    case .closed, .withdrawn, .daily: false
    }
  }

  /// ``isOpen(isSettled:)`` as a condition of SQL.
  /// - Parameters:
  ///   - status: the column of the status.
  ///   - isSettled: the condition that the finding has an end, or became the new normal.
  public static func isOpen(_ status: String, isSettled: String) -> String {
    func isOne(of statuses: [FindingStatus]) -> String {
      "\(status) IN (\(statuses.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
    }
    let open = allCases.filter { $0.isOpen(isSettled: true) }
    let unsettled = allCases.filter { $0.isOpen(isSettled: false) && !open.contains($0) }
    return "(\(isOne(of: open)) OR \(isOne(of: unsettled)) AND NOT (\(isSettled)))"
  }
}

/// The parts of a delivery; an answer has the first two.
public enum Leg: String, Sendable, Hashable, Codable, CaseIterable {
  /// Planned → sent: our own queue and host.
  case lag
  /// Sent → accepted: path and provider's processing.
  case service
  /// Accepted → received.
  case transit
  /// Sent → received, where receipts come before the provider's answer.
  case sentToReceived = "sent_to_received"
  /// Received → shown.
  case display

  /// The name in tables and sentences.
  public var title: String { self == .sentToReceived ? "sent to received" : rawValue }
}

/// Whether a requirement is met, with 97.5 % confidence each way: the words of verdicts on gates and objectives.
public enum GateDecision: String, Sendable, Hashable, Codable, CaseIterable {
  case met
  case breached
  /// The interval straddles the requirement, or too few notifications tell.
  case undecided
}
