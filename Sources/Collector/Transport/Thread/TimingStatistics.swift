import Measurement

/// What the timing thread can say of itself and of each target: the tool's own error, and the rates.
public struct TimingStatistics: Sendable, Equatable {
  /// How late the thread woke for a planned instant or a timer, ns.
  public struct LoopLag: Sendable, Equatable {
    public var count: Int64 = 0
    public var median: Int64 = 0
    public var p99: Int64 = 0
    public var maximum: Int64 = 0

    public init() {}
  }

  public struct Target: Sendable, Equatable {
    public var id: TargetID
    public var askedPerSecond: Double
    public var counts = ScheduleCounts()
    /// Sent and unanswered.
    public var inFlight = 0
    /// Due and waiting for a place on the connection.
    public var waiting = 0
    /// Connections that stood so far.
    public var connections: Int64 = 0
    /// How many streams the peer was found to take at once; `nil` while it never refused one.
    public var streamLimit: Int?
    /// Answers by what stamped them.
    public var kernelStamps: Int64 = 0
    public var callbackStamps: Int64 = 0
    /// Requests by what stamped their leaving: the kernel as the driver took the packet, or we just before.
    public var kernelSentStamps: Int64 = 0
    public var ownSentStamps: Int64 = 0

    /// The sum with an earlier configuration of the same target.
    func added(to former: Target?) -> Target {
      guard let former else { return self }
      var sum = self
      sum.counts += former.counts
      sum.inFlight += former.inFlight
      sum.waiting += former.waiting
      sum.connections += former.connections
      sum.kernelStamps += former.kernelStamps
      sum.callbackStamps += former.callbackStamps
      sum.kernelSentStamps += former.kernelSentStamps
      sum.ownSentStamps += former.ownSentStamps
      return sum
    }
  }

  public var loopLag = LoopLag()
  public var targets: [Target] = []

  public init() {}
}
