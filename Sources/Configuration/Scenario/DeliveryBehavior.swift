/// What becomes of an accepted notification on its way to the device.
public struct DeliveryBehavior: Sendable, Hashable {
  public struct Reordering: Sendable, Hashable {
    public var probability: Double
    /// How much longer such a notification takes, so that later ones overtake it.
    public var by: Duration

    public init(probability: Double, by: Duration) {
      self.probability = probability
      self.by = by
    }
  }

  /// From the complete request to the device.
  public var delay: DelayDistribution
  /// The share that no device ever sees.
  public var lost: Double
  /// The share of the rest that reaches the device twice, each time after a delay of its own.
  public var duplicated: Double
  public var reordered: Reordering?

  public init(
    delay: DelayDistribution = .none, lost: Double = 0, duplicated: Double = 0, reordered: Reordering? = nil
  ) {
    self.delay = delay
    self.lost = lost
    self.duplicated = duplicated
    self.reordered = reordered
  }
}
