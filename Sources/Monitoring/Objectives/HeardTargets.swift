/// What was heard of the collector's targets so far, for objectives of silence.
public struct HeardTargets: Sendable, Equatable, Codable {
  /// What was heard of one target.
  public struct Target: Sendable, Equatable, Codable {
    /// Whether a run that has begun to send sends to it.
    public var isInRun: Bool
    /// Notifications per second; 0 where no run sends to it.
    public var askedRate: Double
    /// Receipts since the collector started, or acceptances where no receipts are expected.
    public var count: UInt64

    public init(isInRun: Bool, askedRate: Double, count: UInt64) {
      self.isInRun = isInRun
      self.askedRate = askedRate
      self.count = count
    }
  }

  /// The targets, keyed by name.
  public var targets: [String: Target]

  public init(targets: [String: Target] = [:]) { self.targets = targets }
}

extension HeardTargets {
  init(_ metrics: MetricsState) {
    var targets: [String: Target] = [:]
    for (name, target) in metrics.targets {
      targets[name] = Target(
        isInRun: target.isInRun && metrics.hasBegunToSend, askedRate: target.askedRate,
        count: target.expectsReceipts ? metrics.delivered(of: name) : metrics.accepted(of: name))
    }
    self.init(targets: targets)
  }
}
