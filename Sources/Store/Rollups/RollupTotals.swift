import Measurement

/// A stretch of a target's planned time added up from rollups.
public struct RollupTotals: Sendable {
  /// One for each variant that has any, in the order the store numbers them.
  public let variants: [RollupTotal]
  /// The first and the first excluded instant that they speak for: whole seconds inside of what was asked for. What is
  /// before and after it is in the notifications alone.
  public let from: WallTime
  public let to: WallTime
}
