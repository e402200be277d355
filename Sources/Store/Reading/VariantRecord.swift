import Measurement

/// A variant of a target with what became of its notifications.
public struct VariantRecord: Sendable, Equatable {
  public var id: VariantID
  /// `priority=10,push_type=alert`; empty where nothing is listed.
  public var name: String
  public var counts: StateCounts
}
