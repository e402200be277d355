/// One target of a run as its configuration had it when the run began.
public struct TargetDescription: Sendable, Equatable {
  /// Unique within the run.
  public var name: String
  public var provider: String
  /// µs from planned; `nil` when no receipt is expected.
  public var receiptDeadline: Int64?
  /// Notifications per second that the schedule asks for.
  public var askedRate: Double
  /// The combinations of listed values (`priority=10,push_type=alert`); empty when nothing is listed.
  public var variants: [String]

  public init(
    name: String, provider: String, receiptDeadline: Int64?, askedRate: Double, variants: [String] = []
  ) {
    self.name = name
    self.provider = provider
    self.receiptDeadline = receiptDeadline
    self.askedRate = askedRate
    self.variants = variants
  }
}
