import CCurl
import HTTPClient
import Measurement
import Providers
import Threads
import Transport

/// A push service that the collector can subscribe to.
protocol SubscribableService: Sendable {
  func makeListener(on loop: SubscriptionLoop) -> any SubscriptionListener
  /// Whether it sends again what was not acknowledged when a connection ended.
  var repeatsUnacknowledged: Bool { get }
}

extension SubscribableService {
  var repeatsUnacknowledged: Bool { false }
}

/// Speaks a service's protocol on one connection after another. Confined to the subscriber's thread.
protocol SubscriptionListener: AnyObject {
  /// Runs one connection to its end, or until the subscriber is stopped.
  func listen() -> SubscriptionLoss
}

/// The work of a ``Subscriber``, confined to its thread: has the service's listener run one connection after another, with pauses
/// between them, and makes events, log lines and receipts of what it hears.
final class SubscriptionLoop {
  let subject: Subscriber.Subject
  let clock: any HostClock
  /// Where the first subscription starts.
  let beganOn: WallTime
  private let subscriber: Subscriber
  private let beganAt: MonotonicTime
  private var history: SubscriptionHistory
  private(set) var offset: RealtimeOffset
  private var offsetDue: MonotonicTime
  /// When the service was last heard; before the subscription is open, when the connection was started.
  private var heardAt = MonotonicTime.zero

  init(_ subscriber: Subscriber) {
    self.subscriber = subscriber
    subject = subscriber.subject
    clock = subscriber.clock
    beganAt = clock.monotonicNow()
    history = SubscriptionHistory(seed: subject.seed, at: beganAt)
    offset = RealtimeOffset(reading: clock)
    beganOn = offset.wall(beganAt)
    offsetDue = beganAt + RealtimeOffset.interval
  }

  func run() {
    let listener = subject.service.makeListener(on: self)
    while !isStopping {
      recordHeard()
      let loss = listener.listen()
      subscriber.record(isOpen: false)
      if isStopping { break }
      lost(loss)
      rest(until: history.earliest(at: clock.monotonicNow()))
    }
  }

  private func lost(_ loss: SubscriptionLoss) {
    let now = clock.monotonicNow()
    if history.isOpen { post(.disconnected, "subscription: \(loss.reason)", at: now) }
    if let line = history.lose(loss, heardAt: heardAt, at: now) { log(line) }
    if loss.isRefusal || now - beganAt > subscriber.timeout {
      subscriber.finishFirstOpen(
        .failure(
          CollectorError(
            loss.isRefusal ? .refused : .unreachable,
            "the subscription of target \(subject.name) failed: \(loss.reason)")))
    }
  }

  /// Waits until an instant, ``Subscriber/stop()`` or ``Subscriber/hurry()``.
  private func rest(until instant: MonotonicTime) {
    var end = instant
    if history.canBeHurried { subscriber.beginRest() }
    defer { subscriber.endRest() }
    while !isStopping {
      if subscriber.consumeHurry() {
        end = min(end, history.hurry())
        continue
      }
      let left = end - clock.monotonicNow()
      guard left > .zero else { return }
      subscriber.wake.wait(atMost: left)
    }
  }

  private func post(_ kind: EventKind, _ detail: String, at now: MonotonicTime) {
    subscriber.post([.event(Event(at: offset.wall(now), kind: kind, target: subject.target, detail: detail))])
  }

  // MARK: For the listener

  var isStopping: Bool { subscriber.isStopping }
  /// Whether nothing more is to be read, because so much waits for the store.
  var isFull: Bool { subscriber.isFull }
  /// Whether no connection was lost since one that lasted.
  var isUnbroken: Bool { history.isUnbroken }
  /// How long the service has not been heard.
  var silence: Duration { clock.monotonicNow() - heardAt }

  /// The service was heard.
  func recordHeard() { heardAt = clock.monotonicNow() }

  /// Why a connection ends on which nothing was heard for so long; `nil` for none.
  /// - Parameters:
  ///   - longest: the limit once the subscription is open.
  ///   - missing: what should have been heard, for people.
  func timeoutLoss(after longest: Duration, missing: String) -> SubscriptionLoss? {
    let silence = silence
    if history.isOpen {
      guard silence > longest else { return nil }
      return SubscriptionLoss(
        reason: "nothing was heard for \(LengthText.text(silence)), not even \(missing)")
    }
    guard silence > subscriber.timeout else { return nil }
    return SubscriptionLoss(reason: "the server did not open the stream within \(LengthText.text(silence))")
  }

  /// Waits until libcurl has something to do, or the subscriber is woken; at most a second.
  func wait(on multi: UnsafeMutableRawPointer) {
    var extra = curl_waitfd(fd: subscriber.wake.descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0)
    var ready: Int32 = 0
    curl_multi_poll(multi, &extra, 1, 1000, &ready)
    if extra.revents != 0 { subscriber.wake.clear() }
    renewOffset()
  }

  /// Waits until a socket is ready, or the subscriber is woken.
  /// - Returns: whether the socket is ready, or has an error.
  func wait(for socket: Int32?, events: Int16, atMost time: Duration) -> Bool {
    defer { renewOffset() }
    return subscriber.wake.wait(for: socket, events: events, atMost: time)
  }

  /// Ends the wait of the subscriber's thread; may be called from any thread.
  var wakeUp: @Sendable () -> Void { { [wake = subscriber.wake] in wake.raise() } }

  /// Lets the store catch up. Meanwhile data waits in the kernel, which stamps it, and then at the server.
  func restForStore() {
    let begun = clock.monotonicNow()
    subscriber.wake.wait(atMost: .milliseconds(10))
    // While nothing is read, the server is not silent.
    heardAt = heardAt + (clock.monotonicNow() - begun)
  }

  private func renewOffset() {
    let now = clock.monotonicNow()
    guard now >= offsetDue else { return }
    offset = RealtimeOffset(reading: clock)
    offsetDue = now + RealtimeOffset.interval
  }

  /// The service delivers from now on.
  func opened() {
    let now = clock.monotonicNow()
    history.open(at: now)
    subscriber.record(isOpen: true)
    post(.connected, "subscription", at: now)
    subscriber.finishFirstOpen(.success(()))
  }

  func log(_ message: String, level: LogLine.Level = .warning) {
    subscriber.post([
      .log(
        LogLine(
          at: clock.wallNow(), level: level, target: subject.target, label: "subscription", message: message))
    ])
  }

  /// Makes receipts of notifications that came back.
  /// - Parameter onStored: told from any thread whether they are stored.
  func pass(_ received: [ReceivedNotification], onStored: @escaping @Sendable (Bool) -> Void = { _ in }) {
    guard !received.isEmpty else { return }
    subscriber.pass(
      received.map {
        var receipt = ArrivedReceipt(
          id: $0.id, device: subject.name, arrivedAt: $0.at, receivedAt: offset.wall($0.at),
          bootID: subject.bootID, receivedMonotonic: $0.at)
        receipt.gap = history.gap
        receipt.mayBeRepeated = subject.service.repeatsUnacknowledged
        return receipt
      }, onStored: onStored)
  }

  /// Counts messages with our format and a wrong MAC.
  func refuse(forged count: Int, from source: String) {
    guard count > 0 else { return }
    subscriber.sink.refused(ReceiptRefusal(.wrongMAC, count: count, source: source))
  }
}
