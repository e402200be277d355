import Measurement
import NIOCore

/// Posts a device's receipts in batches over one HTTP/2 connection, and keeps them while the collector is away.
///
/// Several batches are under way at a time, since a batch is answered only when the collector has stored it. A batch
/// whose answer did not come is posted again: the collector takes each receipt once. Lives on one event loop.
final class ReceiptPoster {
  /// What the collector takes in one body.
  private static let batchSize = 100
  private static let maximumInFlight = 32
  /// How long a receipt may wait for company.
  private static let linger = TimeAmount.milliseconds(10)
  private static let shortestBackOff = TimeAmount.milliseconds(100)
  private static let longestBackOff = TimeAmount.seconds(5)

  private enum Link {
    case none
    case opening
    case open(ReceiptConnection)
    /// Nothing is tried before this is over.
    case pausing
  }

  private let destination: ReceiptDestination
  private let encoder: ReceiptEncoder
  private let eventLoop: any EventLoop
  /// How many receipts are kept while the collector is away; the oldest go first.
  private let room: Int
  private var generator: SeededGenerator
  private var connection = Link.none
  private var queue = CircularBuffer<DeviceReceipt>()
  private var inFlight = 0
  private var failuresInARow = 0
  private var isLingering = false
  private var isClosed = false
  private(set) var statistics = ReceiptStatistics()
  /// What is between the device and everybody else, when it is a remote one.
  private let link: RemoteLink?
  /// Notifications on their way to it.
  private var traveling = 0
  private var isExchanging = false
  /// Called for each notification that reaches a remote device, with the instant on this host's clock.
  var whenReceived: (DeviceReceipt, MonotonicTime) -> Void = { _, _ in }
  var limit: ReceiptLimit?
  /// Called whenever the last receipt is answered for.
  var whenIdle: () -> Void = {}

  init(
    destination: ReceiptDestination, device: String, bootID: String?, seed: UInt64, eventLoop: any EventLoop,
    link: RemoteLink? = nil, room: Int = 200_000
  ) {
    self.destination = destination
    // A remote device has another boot, which it does not tell.
    encoder = ReceiptEncoder(device: device, bootID: link == nil ? bootID : nil)
    self.link = link
    generator = SeededGenerator(seed: seed, stream: .max)
    self.eventLoop = eventLoop
    self.room = room
  }

  var isIdle: Bool { queue.isEmpty && inFlight == 0 && traveling == 0 }

  /// Takes a notification that has come to the device, or to the network it hangs on.
  func add(_ receipt: DeviceReceipt) {
    guard !isClosed else { return }
    guard let link else { return enqueue(receipt) }
    traveling += 1
    link.carry(receipt) { [weak self] stamped, instant in
      guard let self else { return }
      traveling -= 1
      whenReceived(stamped, instant)
      enqueue(stamped)
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
      // A post may find the connection dead and answer at once; then the batch is back in the queue and we pause.
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
    let exchanges = link.takeExchanges()
    link.afterWayBack { [weak self] in
      guard let self else { return }
      open.post(ByteBuffer(string: encoder.body(batch, clock: exchanges))) { [weak self] outcome in
        if case .later = outcome { self?.link?.giveBack(exchanges) }
        self?.finish(batch, outcome)
      }
    }
  }

  /// - Returns: whether a remote device asks for the time first; what is to be posted goes after that.
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
    case .turnedAway:
      statistics.turnedAway += batch.count
      post()
    case .later(let pauseFor):
      statistics.retries += 1
      for receipt in batch.reversed() { queue.prepend(receipt) }
      trim()
      pause(pauseFor)
    }
    if isIdle { whenIdle() }
  }

  /// Waits for as long as the collector asked, or twice as long as the last time, with jitter so that many devices
  /// would not come back at once.
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
    while queue.count > room {
      queue.removeFirst()
      statistics.dropped += 1
    }
  }
}
