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
  private var backoff: ReconnectBackoff
  /// The delays between refused connections.
  private var refusals: ExponentialDelay
  /// No connection before this, at the server's request.
  private var silentUntil = MonotonicTime.zero
  /// Whether ``NtfySubscriber/hurry()`` has not been used since the last stream that lasted.
  private var canBeHurried = true
  private var offset: RealtimeOffset
  private var offsetDue: MonotonicTime
  /// Where the first subscription starts, until the server has told its own time.
  private let beganOn: WallTime
  private let beganAt: MonotonicTime

  private var socket: CorkedSocket?
  private var window: ReceiveWindow?
  /// When the last event came; before the stream is open, when the connection was started.
  private var heardAt = MonotonicTime.zero
  private var openedAt = MonotonicTime.zero
  /// The time without a stream before the current one.
  private var gap: ListeningGap
  /// When a loss was last logged, and how many there were since.
  private var loggedAt: MonotonicTime?
  private var unlogged = 0
  private var heard: [NtfyStream.ReceivedNotification] = []
  /// The body of an error answer.
  private var complaint: [UInt8] = []

  init(_ subscriber: NtfySubscriber) {
    self.subscriber = subscriber
    subject = subscriber.subject
    clock = subscriber.clock
    stream = NtfyStream(authenticator: subject.authenticator)
    backoff = ReconnectBackoff(seed: subject.seed)
    refusals = ExponentialDelay(
      first: CredentialSchedule.firstPause, longest: CredentialSchedule.longestPause, seed: subject.seed)
    beganAt = clock.monotonicNow()
    gap = ListeningGap(from: beganAt, to: beganAt)
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
      rest(until: backoff.earliest ?? clock.monotonicNow())
    }
  }

  /// Why a connection has ended.
  private struct Loss {
    var reason: String
    /// The status of an answer that was not a stream.
    var status: Int?
    var retryAfter: Duration?

    /// A retry will get the same answer: the server does not accept the credentials, or has no such topic.
    var isRefusal: Bool { status.map { (400..<500).contains($0) && $0 != 408 && $0 != 429 } ?? false }
  }

  private func lost(_ loss: Loss) {
    let now = clock.monotonicNow()
    let wasOpen = stream.isOpen
    if wasOpen { refusals.reset() }
    // The backoff grows for a server that ends each stream at once, too.
    if wasOpen, now - openedAt >= ReconnectBackoff.longest {
      backoff.noteSuccess()
      canBeHurried = true
      // A shorter stream may not have delivered everything that waited, so its gap goes on.
      gap.from = heardAt
    }
    backoff.noteFailure(at: now)
    // Servers count wrong passwords, and then refuse the right one too.
    let silence = loss.isRefusal ? refusals.next() : loss.status == nil ? .zero : .seconds(10)
    silentUntil = now + max(loss.retryAfter ?? .zero, silence)
    backoff.hold(until: silentUntil)
    if wasOpen {
      subscriber.post([
        .event(
          Event(
            at: offset.wall(now), kind: .disconnected, target: subject.target,
            detail: "subscription: \(loss.reason)"))
      ])
    }
    if wasOpen || backoff.failures == 1 { log(loss, at: now) }
    if loss.isRefusal || now - beganAt > subscriber.timeout {
      subscriber.finishFirstOpen(
        .failure(
          CollectorError(
            loss.isRefusal ? .refused : .unreachable,
            "the subscription of target \(subject.name) failed: \(loss.reason)")))
    }
  }

  /// Logs a loss, at most once a minute, so that a server that ends every stream does not fill the store.
  private func log(_ loss: Loss, at now: MonotonicTime) {
    if let loggedAt, now - loggedAt < Self.logInterval {
      unlogged += 1
      return
    }
    let others =
      unlogged == 0
      ? "" : "; \(CountText.text(unlogged, "more loss", plural: "more losses")) since the last line"
    loggedAt = now
    unlogged = 0
    subscriber.post([
      .log(
        LogLine(
          at: offset.wall(now), level: .warning, target: subject.target, label: "subscription",
          message: "the subscription is lost: \(loss.reason)\(others)"))
    ])
  }

  private static let logInterval = Duration.seconds(60)

  /// Runs one connection to its end.
  private func listen() -> Loss {
    guard let multi = curl_multi_init() else { return Loss(reason: "libcurl could not create a handle") }
    defer { curl_multi_cleanup(multi) }
    guard let handle = EasyHandle() else { return Loss(reason: "libcurl could not create a handle") }
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
    return Loss(reason: "stopped")
  }

  private func timeoutLoss() -> Loss? {
    let now = clock.monotonicNow()
    let silence = now - heardAt
    if stream.isOpen {
      guard silence > subject.silence else { return nil }
      return Loss(reason: "nothing was heard for \(LengthText.text(silence)), not even a keepalive")
    }
    guard silence > subscriber.timeout else { return nil }
    return Loss(reason: "the server did not open the stream within \(LengthText.text(silence))")
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
    return backoff.failures == 0 ? .now : .time(beganOn.seconds)
  }

  private func end(of handle: EasyHandle, _ code: CURLcode) -> Loss {
    // Only the beginning of an error answer is read.
    let isRefusal = handle.status != 200 && complaint.count >= Self.longestComplaint
    guard code == CURLE_OK || isRefusal else { return Loss(reason: handle.complaint(code)) }
    guard handle.status != 200 else { return Loss(reason: "the server ended the stream") }
    let response = PushResponse(
      status: handle.status, headers: handle.headers, body: complaint, receivedAt: clock.wallNow())
    let secrets = RequestSecrets(of: subject.subscription.request())
    let said = secrets.hidden(in: String(decoding: complaint.prefix(200), as: UTF8.self))
    return Loss(
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
    openedAt = now
    gap.to = now
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
      receipt.gap = gap
      return receipt
    }
    heard.removeAll(keepingCapacity: true)
    subscriber.pass(receipts)
  }

  /// Waits until an instant, ``NtfySubscriber/stop()`` or ``NtfySubscriber/hurry()``.
  private func rest(until instant: MonotonicTime) {
    var end = instant
    if canBeHurried { subscriber.beginRest() }
    defer { subscriber.endRest() }
    while !subscriber.isStopping {
      if subscriber.takeHurry() {
        canBeHurried = false
        end = min(end, silentUntil)
        continue
      }
      let left = end - clock.monotonicNow()
      guard left > .zero else { return }
      subscriber.wake.wait(atMost: left)
    }
  }
}
