import Measurement

/// Where a stored notification comes from: what it takes to judge a receipt for a run that is no longer in memory.
public struct SampleOrigin: Sendable, Equatable {
  public var run: RunID
  /// The boot that the sample's planned monotonic time belongs to.
  public var bootID: String
  public var target: String
  public var provider: String
  /// µs from planned; `nil` when no receipt was expected.
  public var receiptDeadline: Int64?

  public init(
    run: RunID, bootID: String, target: String, provider: String, receiptDeadline: Int64?
  ) {
    self.run = run
    self.bootID = bootID
    self.target = target
    self.provider = provider
    self.receiptDeadline = receiptDeadline
  }
}
