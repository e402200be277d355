import Measurement
import NIOCore

/// Posts a device's receipts in batches over one HTTP/2 connection, and queues them while the collector is unreachable.
///
/// Several batches are in flight, since the collector responds only after it has stored a batch. A batch without a
/// response is posted again; the collector ignores duplicates. Used on one event loop.
final class ReceiptPoster {
  /// The collector's limit for one body.
  private static let batchSize = 100
  private static let maximumInFlight = 32
  /// Maximum delay of a receipt before its batch is sent.
  private static let linger = TimeAmount.milliseconds(10)
  /// The longest time that a receipt waits for the display.
  private static let longestHold = Duration.seconds(1)
  private static let shortestBackOff = TimeAmount.milliseconds(100)
  private static let longestBackOff = TimeAmount.seconds(5)

  private enum Link {
    case none
    case opening
    case open(ReceiptConnection)
    /// No attempt until the pause is over.
    case pausing
  }

  private let destination: ReceiptDestination
  private let encoder: ReceiptEncoder
  private let eventLoop: any EventLoop
  /// Limit of queued receipts; the oldest are dropped first.
  private let capacity: Int
  private var generator: SeededGenerator
  private var connection = Link.none
  private var queue = CircularBuffer<DeviceReceipt>()
  private var inFlight = 0
  private var failuresInARow = 0
  private var isLingering = false
  private var isClosed = false
  private(set) var statistics = ReceiptStatistics()
  /// Network of a remote device.
  private let link: RemoteLink?
  /// Notifications in transit to a remote device.
  private var traveling = 0
  private var isExchanging = false
  /// Called for each notification that reaches a remote device, with the time on this host's clock.
  var onReception: (DeviceReceipt, MonotonicTime) -> Void = { _, _ in }
  var limit: ReceiptLimit?
  /// Called whenever no receipt is outstanding.
  var onIdle: () -> Void = {}

  init(
    destination: ReceiptDestination, device: String, bootID: String?, seed: UInt64, eventLoop: any EventLoop,
    link: RemoteLink? = nil, capacity: Int = 200_000
  ) {
    self.destination = destination
    // A remote device has another boot id, which it does not report.
    encoder = ReceiptEncoder(device: device, bootID: link == nil ? bootID : nil)
    self.link = link
    generator = SeededGenerator(seed: seed, stream: .max)
    self.eventLoop = eventLoop
    self.capacity = capacity
  }

  var isIdle: Bool { queue.isEmpty && inFlight == 0 && traveling == 0 }

  /// Adds a notification that has reached the device or its network.
  func add(_ receipt: DeviceReceipt) {
    guard !isClosed else { return }
    guard let link else { return enqueueWhenShown(receipt) }
    traveling += 1
    link.carry(receipt) { [weak self] stamped, instant in
      guard let self else { return }
      traveling -= 1
      onReception(stamped, instant)
      enqueueWhenShown(stamped)
    }
  }

  /// Waits for the display of what the device has received. Where that takes long, the receipt is posted at once, and again with
  /// the display.
  private func enqueueWhenShown(_ receipt: DeviceReceipt) {
    guard let after = receipt.stages.shownAfter else { return enqueue(receipt) }
    if after > Self.longestHold { enqueue(receipt) }
    var shown = receipt
    shown.shownAt = receipt.receivedAt + after
    traveling += 1
    let held = NIOLoopBound((self, shown), eventLoop: eventLoop)
    eventLoop.scheduleTask(in: .nanoseconds(after.nanoseconds)) {
      held.value.0.traveling -= 1
      held.value.0.enqueue(held.value.1)
    }
  }

  private func enqueue(_ receipt: DeviceReceipt) {
    guard !isClosed else { return }
    statistics.queued += 1
    queue.append(receipt)
    trim()
    if queue.count >= Self.batchSize {
      post()
    } else if !isLingering {
      isLingering = true
      let bound = NIOLoopBound(self, eventLoop: eventLoop)
      eventLoop.scheduleTask(in: Self.linger) {
        bound.value.isLingering = false
        bound.value.post()
      }
    }
  }

  func close() {
    isClosed = true
    if case .open(let open) = connection { open.close() }
    connection = .none
  }

  private func post() {
    guard !isClosed, !queue.isEmpty else { return }
    switch connection {
    case .opening, .pausing: return
    case .none: connect()
    case .open(let open):
      guard open.isUsable else {
        connection = .none
        return connect()
      }
      guard !exchangeClocks(over: open) else { return }
      // A post on a closed connection completes immediately: the batch is back in the queue and a pause starts.
      while !queue.isEmpty, inFlight < Self.maximumInFlight, isOpen {
        let batch = Array(queue.prefix(Self.batchSize))
        queue.removeFirst(batch.count)
        inFlight += 1
        send(batch, over: open)
      }
    }
  }

  private func send(_ batch: [DeviceReceipt], over open: ReceiptConnection) {
    guard let link else {
      return open.post(ByteBuffer(string: encoder.body(batch))) { [weak self] outcome in
        self?.finish(batch, outcome)
      }
    }
    let exchanges = link.drainExchanges()
    link.afterWayBack { [weak self] in
      guard let self else { return }
      open.post(ByteBuffer(string: encoder.body(batch, clock: exchanges))) { [weak self] outcome in
        if case .later = outcome { self?.link?.giveBack(exchanges) }
        self?.finish(batch, outcome)
      }
    }
  }

  /// - Returns: whether a remote device exchanges clocks first; receipts are posted afterwards.
  private func exchangeClocks(over open: ReceiptConnection) -> Bool {
    guard let link else { return false }
    guard !isExchanging else { return true }
    guard link.wantsExchange else { return false }
    isExchanging = true
    link.exchangeClocks(over: open) { [weak self] isAnswered in
      guard let self else { return }
      isExchanging = false
      if isAnswered { return post() }
      statistics.retries += 1
      pause(nil)
    }
    return true
  }

  private var isOpen: Bool {
    guard case .open(let open) = connection else { return false }
    return open.isUsable
  }

  private func connect() {
    connection = .opening
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    ReceiptConnection.open(to: destination, on: eventLoop).whenComplete { result in
      bound.value.opened(result)
    }
  }

  private func opened(_ result: Result<NIOLoopBound<ReceiptConnection>, any Error>) {
    switch result {
    case .success(let open):
      guard !isClosed else { return open.value.close() }
      connection = .open(open.value)
      link?.startOver()
      post()
    case .failure:
      statistics.retries += 1
      pause(nil)
    }
  }

  private func finish(_ batch: [DeviceReceipt], _ outcome: ReceiptConnection.Outcome) {
    inFlight -= 1
    switch outcome {
    case .stored(let counts):
      failuresInARow = 0
      statistics.posted += batch.count
      statistics.accepted += counts.accepted
      statistics.duplicate += counts.duplicate
      statistics.unknown += counts.unknown
      statistics.refused += counts.refused
      if let limit, statistics.posted >= limit.count {
        self.limit = nil
        limit.action()
      }
      post()
    case .rejected:
      statistics.rejected += batch.count
      post()
    case .later(let pauseFor):
      statistics.retries += 1
      for receipt in batch.reversed() { queue.prepend(receipt) }
      trim()
      pause(pauseFor)
    }
    if isIdle { onIdle() }
  }

  /// Pauses for the time that the collector asked for, or twice as long as before, with jitter.
  private func pause(_ asked: TimeAmount?) {
    if case .pausing = connection { return }
    guard !isClosed else { return }
    if case .open(let open) = connection, asked == nil { open.close() }
    failuresInARow += 1
    let doubled = Self.shortestBackOff * (1 << min(failuresInARow - 1, 10))
    let span = min(doubled, Self.longestBackOff).nanoseconds
    let wait = asked ?? .nanoseconds(span / 2 + Int64.random(in: 0...span / 2, using: &generator))
    let next: Link = if case .open(let open) = connection, asked != nil { .open(open) } else { .none }
    connection = .pausing
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    let held = NIOLoopBound(next, eventLoop: eventLoop)
    eventLoop.scheduleTask(in: wait) {
      bound.value.connection = held.value
      bound.value.post()
    }
  }

  private func trim() {
    while queue.count > capacity {
      queue.removeFirst()
      statistics.dropped += 1
    }
  }
}

/// A device's receipt for a notification.
struct DeviceReceipt {
  /// The notification's id, taken from the payload like the MAC; both need no escaping.
  var id: String
  var mac: String
  /// Name of the device; `nil`: the poster's.
  var device: String?
  var receivedAt: WallTime
  var receivedMonotonic: MonotonicTime
  var stages = DeviceStages()
  /// When it was shown, on the device's clock; `nil` until then.
  var shownAt: WallTime?
}

/// What a device does with a notification, and what it says of its circumstances.
struct DeviceStages {
  /// Time from received to shown; `nil` where it does not report that, or does not show it.
  var shownAfter: Duration?
  var context: DeviceContext?

  init() {}

  /// - Parameter isAsleep: whether the notification waited for the device to wake.
  init(_ scripted: ScriptedOutcome, isAsleep: Bool) {
    shownAfter = scripted.shownAfter
    context = scripted.context
    if isAsleep, context != nil { context?[.idle] = "true" }
  }
}

/// Encodes the JSON of `POST /v1/receipts`.
struct ReceiptEncoder {
  private let device: String
  private let bootTail: String?

  /// - Parameter device: name of the device of receipts that name none.
  init(device: String, bootID: String?) {
    self.device = JSONText.quoted(device)
    bootTail = bootID.map { ",\"boot_id\":\(JSONText.quoted($0)),\"monotonic_ns\":" }
  }

  /// - Parameter clock: clock exchanges, as JSON.
  func body(_ receipts: [DeviceReceipt], clock: [String] = []) -> String {
    var text = "{\"receipts\":["
    for (index, receipt) in receipts.enumerated() {
      if index > 0 { text += "," }
      text += "{\"id\":\"\(receipt.id)\",\"mac\":\"\(receipt.mac)\","
      text += "\"received_at_ms\":\(receipt.receivedAt.microseconds / 1000)"
      text += ",\"device\":\(receipt.device.map(JSONText.quoted) ?? device)"
      if let shown = receipt.shownAt { text += ",\"shown_at_ms\":\(shown.microseconds / 1000)" }
      if let context = receipt.stages.context, !context.isEmpty { text += ",\"context\":\(context.text)" }
      if let bootTail { text += "\(bootTail)\(receipt.receivedMonotonic.nanoseconds)" }
      text += "}"
    }
    text += "]"
    if !clock.isEmpty { text += ",\"clock\":[\(clock.joined(separator: ","))]" }
    return text + "}"
  }
}
