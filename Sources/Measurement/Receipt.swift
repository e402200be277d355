/// A device's report that a notification arrived, as the collector accepted it: a row of the `receipts` table.
public struct Receipt: Sendable, Equatable {
  public var sample: SampleID
  /// The device's name for itself: bounded, and escaped at sinks.
  public var device: String
  /// The time of arrival on the device's clock.
  public var receivedAt: WallTime
  /// The same on the device's monotonic clock, ns, if reported.
  public var monotonic: Int64?
  /// When the receipt reached the collector.
  public var arrivedAt: WallTime
  /// Whether the device shares the collector's monotonic clock (same boot).
  public var isSameClock: Bool
  /// The device's clock minus ours and the bound on it, µs; `nil` without clock exchanges.
  public var offset: Int64?
  public var offsetError: Int64?
  public var isDuplicate: Bool
  /// What the device did with the notification, and when.
  public var stages: ReceiptStages
  /// The circumstances on the device; in rows of a store their number, which is ``contextID``.
  public var context: DeviceContext?
  public var contextID: DeviceContextID?
  /// Whether the device posted the receipt again, to say more: a row with what is new.
  public var isAddition: Bool

  public init(
    sample: SampleID, device: String, receivedAt: WallTime, arrivedAt: WallTime, isSameClock: Bool,
    monotonic: Int64? = nil, offset: Int64? = nil, offsetError: Int64? = nil, isDuplicate: Bool = false,
    stages: ReceiptStages = ReceiptStages(), contextID: DeviceContextID? = nil, isAddition: Bool = false
  ) {
    self.stages = stages
    self.contextID = contextID
    self.isAddition = isAddition
    self.sample = sample
    self.device = device
    self.receivedAt = receivedAt
    self.monotonic = monotonic
    self.arrivedAt = arrivedAt
    self.isSameClock = isSameClock
    self.offset = offset
    self.offsetError = offsetError
    self.isDuplicate = isDuplicate
  }
}

extension Receipt {
  /// What distinguishes it from other receipts for the same notification.
  public var stamp: ReceiptStamp {
    ReceiptStamp(device: device, receivedAt: receivedAt, monotonic: monotonic)
  }

  /// Adds what the device posted later. What was known keeps its first value.
  public mutating func add(_ later: Receipt) {
    stages.add(later.stages)
    if contextID == nil { (contextID, context) = (later.contextID, later.context) }
  }
}

/// When a device did what it did with a notification after it had received it, by its own clock; `nil` where it did not say.
public struct ReceiptStages: Sendable, Hashable {
  public var shownAt: WallTime?
  public var openedAt: WallTime?
  /// The provider's own stamp on the notification, by the provider's clock.
  public var providerAt: WallTime?

  public init(shownAt: WallTime? = nil, openedAt: WallTime? = nil, providerAt: WallTime? = nil) {
    self.shownAt = shownAt
    self.openedAt = openedAt
    self.providerAt = providerAt
  }

  public var isEmpty: Bool { self == ReceiptStages() }

  /// Adds stages that are not known yet.
  /// - Returns: these.
  @discardableResult
  public mutating func add(_ later: ReceiptStages) -> ReceiptStages {
    var new = ReceiptStages()
    for stage in [\ReceiptStages.shownAt, \.openedAt, \.providerAt] where self[keyPath: stage] == nil {
      new[keyPath: stage] = later[keyPath: stage]
      self[keyPath: stage] = later[keyPath: stage]
    }
    return new
  }
}

/// What distinguishes two receipts for the same notification. A device that posts again because no answer came reports
/// the same stamp; a notification that reached it twice has two.
public struct ReceiptStamp: Sendable, Hashable {
  public var device: String
  /// The time of arrival on the device's clock.
  public var receivedAt: WallTime
  /// The same on the device's monotonic clock, ns, if reported.
  public var monotonic: Int64?

  public init(device: String, receivedAt: WallTime, monotonic: Int64?) {
    self.device = device
    self.receivedAt = receivedAt
    self.monotonic = monotonic
  }
}

/// The accuracy of a delivery latency (docs/measurement.md).
public enum DeliveryCertainty: String, Sendable, Hashable, CaseIterable {
  /// Both ends were read on one monotonic clock.
  case exact
  /// The bound on the error is smaller than the latency.
  case bounded
  /// The bound is as large as the latency, or larger: only an upper limit is known. Such figures are marked wherever
  /// they are shown.
  case limit

  /// - Parameters:
  ///   - latency: planned to received, µs.
  ///   - error: the half-width of its bound, µs; without one nothing but the limit is known.
  @inlinable
  public init(latency: Int64, error: Int64?) {
    guard let error else {
      self = .limit
      return
    }
    self = error <= 0 ? .exact : error < latency ? .bounded : .limit
  }

  /// Whether the figure is to be marked.
  @inlinable public var isMarked: Bool { self == .limit }
}

/// Bounds of a true delivery latency, both µs. On one clock both are the latency itself.
public struct DeliveryRange: Sendable, Hashable {
  public var low: Int64
  public var high: Int64

  /// - Parameters:
  ///   - latency: planned to received, µs.
  ///   - error: the half-width of its bound, µs; without one nothing but the upper end is known.
  ///   - high: the upper end where it was recorded: latency and error together, but no later than the receipt's arrival;
  ///     without a clock exchange the latency, which is that arrival. Stores of before schema version 4 did not record
  ///     it: there an error exactly as large as the latency says that there was no exchange, and any other one is added.
  @inlinable
  public init(latency: Int64, error: Int64?, high: Int64?) {
    let error = max(0, error ?? latency)
    low = max(0, latency.subtractingClamped(error))
    self.high = max(0, high ?? (error == latency ? latency : latency.addingClamped(error)))
  }

  @inlinable public var isExact: Bool { low == high }

  /// The range of the time until the notification was shown.
  /// - Parameter display: from received to shown, µs, by stamps that the device cut to whole milliseconds.
  @inlinable
  public func shown(after display: Int64) -> DeliveryRange {
    var range = self
    range.low = max(0, low.addingClamped(display.subtractingClamped(Self.stageError)))
    range.high = max(range.low, high.addingClamped(display.addingClamped(Self.stageError)))
    return range
  }

  /// The largest error of the time between two stamps of a device, µs.
  public static let stageError: Int64 = 1000
}
