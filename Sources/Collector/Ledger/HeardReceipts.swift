import Measurement

/// The receipts of one notification. Whatever the order in which a device posts its stages, and however often, the same is
/// known in the end: a stage keeps its first value.
struct HeardReceipts: Sendable, Equatable {
  private struct Heard: Sendable, Equatable {
    var stamp: ReceiptStamp
    var stages: ReceiptStages
    var hasContext: Bool
  }

  /// What a receipt is beside those before it.
  enum News: Sendable, Equatable {
    case receipt
    /// A receipt that is known says more. ``isFirst``: it is the notification's first one.
    case addition(stages: ReceiptStages, isContextNew: Bool, isFirst: Bool)
    case nothing
  }

  /// The largest number of receipts that are kept as rows. The rest are only counted, because anybody who has seen one can
  /// repeat it without limit.
  static let maximumCount = 100
  /// The largest number of rows of one receipt: each one adds a stage or the circumstances.
  static let rowsOfEach = 5

  private var receipts: [Heard] = []

  init() {}

  /// - Parameter stored: the rows in the order in which they were stored.
  init(_ stored: [Receipt]) {
    for receipt in stored {
      record(receipt.stamp, receipt.stages, hasContext: receipt.contextID != nil)
    }
  }

  /// Whether another one can be kept.
  var hasRoom: Bool { receipts.count < Self.maximumCount }

  /// What is new in a receipt.
  func news(_ receipt: ArrivedReceipt) -> News {
    guard let place = receipts.firstIndex(where: { $0.stamp == receipt.stamp }) else { return .receipt }
    var known = receipts[place]
    let new = known.stages.add(receipt.validStages)
    let isContextNew = receipt.context != nil && !known.hasContext
    guard !new.isEmpty || isContextNew else { return .nothing }
    return .addition(stages: new, isContextNew: isContextNew, isFirst: place == 0)
  }

  /// Remembers a receipt, or what it adds.
  /// - Parameter hasContext: whether its circumstances are stored with it.
  mutating func record(_ receipt: ArrivedReceipt, hasContext: Bool) {
    record(receipt.stamp, receipt.validStages, hasContext: hasContext)
  }

  private mutating func record(_ stamp: ReceiptStamp, _ stages: ReceiptStages, hasContext: Bool) {
    if let place = receipts.firstIndex(where: { $0.stamp == stamp }) {
      receipts[place].stages.add(stages)
      receipts[place].hasContext = receipts[place].hasContext || hasContext
    } else if hasRoom {
      receipts.append(Heard(stamp: stamp, stages: stages, hasContext: hasContext))
    }
  }
}

extension ArrivedReceipt {
  /// The stages without those that the device says were before it received the notification: its clock was set in between.
  var validStages: ReceiptStages {
    var valid = stages
    if let shown = valid.shownAt, shown < receivedAt { valid.shownAt = nil }
    if let opened = valid.openedAt, opened < receivedAt { valid.openedAt = nil }
    return valid
  }
}

extension Sample {
  /// Adds stages and circumstances of the notification's first receipt. What is known keeps its first value.
  /// - Parameters:
  ///   - deadline: µs from planned.
  ///   - isCounted: whether it counts for what the device shows: not a notification of an earlier run, of which those that were not
  ///     shown are not counted either.
  /// - Returns: `false` where the device says that it showed the notification later than its receipt came: that time is left out.
  mutating func apply(
    _ receipt: ArrivedReceipt, deadline: Int64?, context: DeviceContextID?, isCounted: Bool
  ) -> Bool {
    if self.context == nil { self.context = context }
    guard shownLatency == nil, let latency = deliveryLatency, let shown = receipt.validStages.shownAt else {
      return true
    }
    let whole = latency.addingClamped(
      shown.microseconds.subtractingClamped(receipt.receivedAt.microseconds))
    let latest = receipt.arrivedAt.microseconds.subtractingClamped(plannedMonotonic)
      .addingClamped(max(0, deliveryError ?? 0)).addingClamped(DeliveryRange.stageError)
    guard whole <= latest else { return false }
    shownLatency = whole
    if state == .delivered, isCounted || display != nil {
      display = deadline.map { whole > $0 } ?? false ? .shownLate : .shown
    }
    return true
  }
}
