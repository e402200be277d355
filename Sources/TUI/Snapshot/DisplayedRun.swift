import Measurement

/// The run on display.
struct DisplayedRun: Sendable, Equatable {
  enum Phase: Sendable, Equatable {
    /// The collector writes.
    case live
    /// It has not been heard of since: it was killed, or its host is gone.
    case silent(since: WallTime)
    case ended(at: WallTime, reason: String)
  }

  var id: RunID
  var name: String?
  var startedAt: WallTime
  var phase: Phase

  var isLive: Bool { phase == .live }
}

/// A target of the run on display.
struct DisplayedTarget: Sendable, Equatable {
  var id: TargetID
  /// From the configuration; escaped at sinks.
  var name: String
  var provider: String
  /// Whether receipts are expected.
  var expectsReceipts: Bool
  /// Notifications a second, as asked for.
  var askedRate: Double
  /// µs after which a notification without a receipt is lost; `nil` when none is expected, or it is not known.
  var receiptDeadline: Int64?
}
