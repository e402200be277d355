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

  /// Counts of one target since the run began.
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

/// Counts of durations in buckets an eighth of a power of two wide: a fixed 2 KB, a few instructions a value, quantiles
/// to 12 %. For the loop's own figures; samples have better ones.
struct LagHistogram: Sendable, Equatable {
  private var buckets = [UInt32](repeating: 0, count: 512)
  private(set) var count: Int64 = 0
  private(set) var maximum: Int64 = 0

  mutating func record(_ value: Int64) {
    let value = max(0, value)
    buckets[Self.bucket(of: value)] &+= 1
    count += 1
    maximum = max(maximum, value)
  }

  /// The upper edge of the bucket that holds the quantile, at most the maximum; 0 when nothing was recorded.
  func quantile(_ share: Double) -> Int64 {
    guard count > 0 else { return 0 }
    let rank = Int64((Double(count) * share).rounded(.up))
    var seen: Int64 = 0
    for (index, held) in buckets.enumerated() {
      seen += Int64(held)
      if seen >= rank, held > 0 { return min(maximum, Self.upperEdge(of: index)) }
    }
    return maximum
  }

  /// Values below 8 have a bucket each; above, three bits follow the leading one.
  private static func bucket(of value: Int64) -> Int {
    guard value >= 8 else { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount
    return (exponent - 2) * 8 + Int(value >> Int64(exponent - 3) & 7)
  }

  private static func upperEdge(of bucket: Int) -> Int64 {
    guard bucket >= 8 else { return Int64(bucket) }
    // The last bucket's edge is 2⁶³, one too many for an Int64 before 1 is taken off.
    return Int64(clamping: (UInt64(8 + bucket % 8 + 1) << UInt64(bucket / 8 - 1)) - 1)
  }
}

/// Counts of a target's notifications by outcome. Differences of two of these over time are the planned, achieved and missed
/// rates.
public struct ScheduleCounts: Sendable, Equatable {
  /// Notifications whose planned instant has come.
  public var due: Int64 = 0
  /// The number of due notifications that the transport took and did not put back.
  public var sent: Int64 = 0
  /// The number of due notifications that failed before they were sent, without a connection.
  public var failedUnsent: Int64 = 0
  public var missedLag: Int64 = 0
  public var missedInFlight: Int64 = 0
  public var missedRetryAfter: Int64 = 0
  public var missedStopping: Int64 = 0
  public var missedProviderLimit: Int64 = 0
  public var missedCredential: Int64 = 0
  public var missedBackoff: Int64 = 0

  public init() {}

  public var missed: Int64 {
    missedLag + missedInFlight + missedRetryAfter + missedStopping + missedProviderLimit + missedCredential
      + missedBackoff
  }

  static func += (sum: inout Self, other: Self) {
    sum.due += other.due
    sum.sent += other.sent
    sum.failedUnsent += other.failedUnsent
    sum.missedLag += other.missedLag
    sum.missedInFlight += other.missedInFlight
    sum.missedRetryAfter += other.missedRetryAfter
    sum.missedStopping += other.missedStopping
    sum.missedProviderLimit += other.missedProviderLimit
    sum.missedCredential += other.missedCredential
    sum.missedBackoff += other.missedBackoff
  }

  mutating func count(_ reason: MissedReason) {
    switch reason {
    case .lag: missedLag += 1
    case .inFlight: missedInFlight += 1
    case .retryAfter: missedRetryAfter += 1
    case .stopping: missedStopping += 1
    case .providerLimit: missedProviderLimit += 1
    case .credential: missedCredential += 1
    case .backoff: missedBackoff += 1
    }
  }
}
