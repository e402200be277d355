import Measurement

/// A target of a run as the store has it.
public struct TargetRecord: Sendable, Equatable {
  public var id: TargetID
  public var run: RunID
  public var name: String
  public var provider: String
  /// µs from planned; `nil` when no receipt is expected.
  public var receiptDeadline: Int64?
  /// Notifications per second that the schedule asked for.
  public var askedRate: Double
  /// At least one; the nameless one where nothing is listed.
  public var variants: [VariantRecord]

  /// Over all variants.
  public var counts: StateCounts { variants.reduce(StateCounts()) { $0 + $1.counts } }
}
