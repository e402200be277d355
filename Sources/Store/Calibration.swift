import Measurement

/// The instrument floor of a host: the latencies that pushscope measures when the service answers immediately. They
/// consist of pushscope itself, the kernel, and TLS at both ends.
public struct Calibration: Sendable, Equatable {
  /// The intervals. Delivery ends at the loopback service's device, on the same clock.
  public enum Interval: String, Sendable, Hashable, CaseIterable {
    case scheduleLag = "schedule_lag"
    case service
    case accept
    case delivery
  }

  /// One interval's figures, µs.
  public struct Floor: Sendable, Equatable {
    public var interval: Interval
    /// The number of notifications with a value, without those that opened a connection.
    public var counted: Int
    public var minimum: Int64
    public var maximum: Int64
    public var figures: [Figure]

    public init(
      interval: Interval, counted: Int, minimum: Int64, maximum: Int64, figures: [Figure]
    ) {
      self.interval = interval
      self.counted = counted
      self.minimum = minimum
      self.maximum = maximum
      self.figures = figures
    }
  }

  /// A quantile of an interval's floor.
  public struct Figure: Sendable, Equatable {
    public var quantile: Quantile
    public var estimate: QuantileEstimate

    public init(quantile: Quantile, estimate: QuantileEstimate) {
      self.quantile = quantile
      self.estimate = estimate
    }
  }

  /// When it ended.
  public var at: WallTime
  /// The host's name.
  public var host: String
  public var bootID: String
  /// Notifications per second.
  public var rate: Double
  /// µs.
  public var length: Int64
  public var planned: Int
  /// The floors in the order of ``Interval``; intervals without a value are left out.
  public var floors: [Floor]

  public init(
    at: WallTime, host: String, bootID: String, rate: Double, length: Int64, planned: Int, floors: [Floor]
  ) {
    self.at = at
    self.host = host
    self.bootID = bootID
    self.rate = rate
    self.length = length
    self.planned = planned
    self.floors = floors
  }

  /// The floor of an interval; `nil` where no value was recorded.
  public subscript(interval: Interval) -> Floor? { floors.first { $0.interval == interval } }
}

extension CollectorStore {
  /// Stores a calibration, to which later runs on the same host refer.
  public func record(_ calibration: Calibration) throws {
    try transaction { db, _ in try RecordWriter(db).insert(calibration) }
  }
}
