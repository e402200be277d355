import CCurl
import CLinux
import Glibc
import HTTPClient
import Measurement
import Providers
import Threads

/// The work of an ``NtfySubscriber``, confined to its thread: connect, read the stream, reconnect.
final class NtfyConnectionLoop {
  private let subscriber: NtfySubscriber
  private let subject: NtfySubscriber.Subject
  private let clock: any HostClock
  private var stream: NtfyStream
  private var history: SubscriptionHistory
  private var offset: RealtimeOffset
  private var offsetDue: MonotonicTime
  /// Where the first subscription starts, until the server has told its own time.
  private let beganOn: WallTime
  private let beganAt: MonotonicTime

  private var socket: CorkedSocket?
  private var window: ReceiveWindow?
  /// When the last event came; before the stream is open, when the connection was started.
  private var heardAt = MonotonicTime.zero
  private var heard: [NtfyStream.ReceivedNotification] = []
  /// The body of an error answer.
  private var complaint: [UInt8] = []

  init(_ subscriber: NtfySubscriber) {
    self.subscriber = subscriber
    subject = subscriber.subject
    clock = subscriber.clock
    stream = NtfyStream(authenticator: subject.authenticator)
    beganAt = clock.monotonicNow()
    history = SubscriptionHistory(seed: subject.seed, at: beganAt)
    offset = RealtimeOffset(reading: clock)
    beganOn = offset.wall(beganAt)
    offsetDue = beganAt + RealtimeOffset.interval
  }

  func run() {
    while !subscriber.isStopping {
      let loss = listen()
      subscriber.note(isOpen: false)
      if subscriber.isStopping { break }
      lost(loss)
      rest(until: history.earliest(at: clock.monotonicNow()))
    }
  }

  private func lost(_ loss: SubscriptionLoss) {
    let now = clock.monotonicNow()
    if history.isOpen {
      subscriber.post([
        .event(
          Event(
            at: offset.wall(now), kind: .disconnected, target: subject.target,
            detail: "subscription: \(loss.reason)"))
      ])
    }
    if let line = history.lose(loss, heardAt: heardAt, at: now) {
      subscriber.post([
        .log(
          LogLine(
            at: offset.wall(now), level: .warning, target: subject.target, label: "subscription",
            message: line))
      ])
    }
    if loss.isRefusal || now - beganAt > subscriber.timeout {
      subscriber.finishFirstOpen(
        .failure(
          CollectorError(
            loss.isRefusal ? .refused : .unreachable,
            "the subscription of target \(subject.name) failed: \(loss.reason)")))
    }
  }

  /// Runs one connection to its end.
  private func listen() -> SubscriptionLoss {
    guard let multi = curl_multi_init() else {
      return SubscriptionLoss(reason: "libcurl could not create a handle")
    }
    defer { curl_multi_cleanup(multi) }
    guard let handle = EasyHandle() else {
      return SubscriptionLoss(reason: "libcurl could not create a handle")
    }
    stream.restart()
    complaint = []
    socket = nil
    handle.prepare(subject.subscription.request(since: since), caFile: subject.caFile)
    handle.onSocket = { [unowned self] fd in
      _ = clinux_stamp_received(fd)
      socket = CorkedSocket(fd: fd)
    }
    handle.onBody = { [unowned self, unowned handle] bytes in take(bytes, status: handle.status) }
    heardAt = clock.monotonicNow()
    curl_multi_add_handle(multi, handle.easy)
    defer { curl_multi_remove_handle(multi, handle.easy) }
    var running: Int32 = 1
    curl_multi_perform(multi, &running)
    while !subscriber.isStopping {
      var code = CURLE_OK
      if ccurl_multi_next_done(multi, &code) != nil { return end(of: handle, code) }
      if let loss = timeoutLoss() { return loss }
      if subscriber.isFull {
        restForStore()
        continue
      }
      wait(on: multi)
      renewOffset()
      window = socket?.look(at: clock.monotonicNow(), offset: offset)
      curl_multi_perform(multi, &running)
      window = nil
      passReceipts()
    }
    return SubscriptionLoss(reason: "stopped")
  }

  private func timeoutLoss() -> SubscriptionLoss? {
    let now = clock.monotonicNow()
    let silence = now - heardAt
    if stream.isOpen {
      guard silence > subject.silence else { return nil }
      return SubscriptionLoss(
        reason: "nothing was heard for \(LengthText.text(silence)), not even a keepalive")
    }
    guard silence > subscriber.timeout else { return nil }
    return SubscriptionLoss(reason: "the server did not open the stream within \(LengthText.text(silence))")
  }

  /// Meanwhile data waits in the kernel, which stamps it, and then at the server.
  private func restForStore() {
    let begun = clock.monotonicNow()
    subscriber.wake.wait(atMost: .milliseconds(10))
    // While nothing is read, the server is not silent.
    heardAt = heardAt + (clock.monotonicNow() - begun)
  }

  private var since: NtfySubscription.Since {
    if let time = stream.lastTime { return .time(time) }
    // Nothing was published before the first connection.
    return history.isUnbroken ? .now : .time(beganOn.seconds)
  }

  private func end(of handle: EasyHandle, _ code: CURLcode) -> SubscriptionLoss {
    // Only the beginning of an error answer is read.
    let isRefusal = handle.status != 200 && complaint.count >= Self.longestComplaint
    guard code == CURLE_OK || isRefusal else { return SubscriptionLoss(reason: handle.complaint(code)) }
    guard handle.status != 200 else { return SubscriptionLoss(reason: "the server ended the stream") }
    let response = PushResponse(
      status: handle.status, headers: handle.headers, body: complaint, receivedAt: clock.wallNow())
    let secrets = RequestSecrets(of: subject.subscription.request())
    let said = secrets.hidden(in: String(decoding: complaint.prefix(200), as: UTF8.self))
    return SubscriptionLoss(
      reason: "the server answers \(handle.status) \(said.debugDescription)", status: handle.status,
      retryAfter: RetryAfter.pause(response))
  }

  private static let longestComplaint = 4096

  private func wait(on multi: UnsafeMutableRawPointer) {
    var extra = curl_waitfd(fd: subscriber.wake.descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0)
    var ready: Int32 = 0
    curl_multi_poll(multi, &extra, 1, 1000, &ready)
  }

  private func renewOffset() {
    let now = clock.monotonicNow()
    guard now >= offsetDue else { return }
    offset = RealtimeOffset(reading: clock)
    offsetDue = now + RealtimeOffset.interval
  }

  // MARK: Received data

  /// - Returns: whether to read on.
  private func take(_ bytes: UnsafeRawBufferPointer, status: Int) -> Bool {
    let now = clock.monotonicNow()
    guard status == 200 else {
      complaint.append(contentsOf: bytes.prefix(Self.longestComplaint - complaint.count))
      return complaint.count < Self.longestComplaint
    }
    let wasOpen = stream.isOpen
    let events = stream.events
    heard += stream.take(bytes, at: window?.stamp(callback: now, sent: .zero).time ?? now)
    if stream.isOpen, stream.events != events { heardAt = now }
    if stream.isOpen, !wasOpen { opened(at: now) }
    return true
  }

  private func opened(at now: MonotonicTime) {
    history.open(at: now)
    subscriber.note(isOpen: true)
    subscriber.post([
      .event(Event(at: offset.wall(now), kind: .connected, target: subject.target, detail: "subscription"))
    ])
    subscriber.finishFirstOpen(.success(()))
  }

  private func passReceipts() {
    let forged = stream.takeForged()
    if forged > 0 {
      subscriber.sink.refused(
        ReceiptRefusal(.wrongMAC, count: forged, source: "the topic of \(subject.name)"))
    }
    guard !heard.isEmpty else { return }
    let receipts = heard.map { heard in
      var receipt = ArrivedReceipt(
        id: heard.id, device: subject.name, arrivedAt: heard.at, receivedAt: offset.wall(heard.at),
        bootID: subject.bootID, receivedMonotonic: heard.at)
      receipt.gap = history.gap
      return receipt
    }
    heard.removeAll(keepingCapacity: true)
    subscriber.pass(receipts)
  }

  /// Waits until an instant, ``NtfySubscriber/stop()`` or ``NtfySubscriber/hurry()``.
  private func rest(until instant: MonotonicTime) {
    var end = instant
    if history.canBeHurried { subscriber.beginRest() }
    defer { subscriber.endRest() }
    while !subscriber.isStopping {
      if subscriber.takeHurry() {
        end = min(end, history.hurry())
        continue
      }
      let left = end - clock.monotonicNow()
      guard left > .zero else { return }
      subscriber.wake.wait(atMost: left)
    }
  }
}
