import Measurement

/// How many notifications planned in one short stretch of time have a property, of how many.
public struct ShareBin: Sendable, Hashable {
  /// The first instant of the stretch.
  public var start: WallTime
  public var events: Int
  public var count: Int

  public init(start: WallTime, events: Int, count: Int) {
    self.start = start
    self.events = events
    self.count = count
  }
}

/// The events of a window of time (losses, failures, receipts in time) in the form that the interval of their share is
/// computed from; the method is that of ``WindowLatencies``.
public struct WindowShares: Sendable {
  private var events: [Double]
  private var counts: [Double]

  /// - Parameter bins: in any order; those that begin outside the window are left out. A bin may hold a single notification.
  public init(_ window: Range<WallTime>, bins: some Sequence<ShareBin>) {
    self.init(SentTime(window), bins: bins)
  }

  /// - Parameter bins: in any order; those that begin where the series was not sent are left out.
  public init(_ sent: SentTime, bins: some Sequence<ShareBin>) {
    let plan = BlockPlan(sent)
    events = [Double](repeating: 0, count: plan.count)
    counts = events
    for bin in bins {
      guard let block = plan.block(of: bin.start) else { continue }
      events[block] += Double(bin.events)
      counts[block] += Double(bin.count)
    }
  }

  /// - Parameter history: of the same series; without any event in the window, dependence is known from it alone.
  public func interval(history: ShareHistory? = nil) -> ShareInterval {
    let count = Int(counts.reduce(0, +))
    let effect = max(
      DesignEffect.ofBlocks(events, of: counts), history?.designEffect(count: count) ?? 1)
    return ShareInterval(
      events: Int(events.reduce(0, +)), count: count, designEffect: effect, usesHistory: history != nil)
  }
}
