import CCurl
import Glibc
import Measurement
import Providers
import Synchronization

/// Listens to a topic on a connection and a thread of its own, and hands on each of our notifications that comes back
/// as a receipt on this host's clock: true delivery latency with no device and no error of clocks.
///
/// It opens before the first notification is sent, tells a dead connection by the keepalives that do not come, and comes
/// back with what it heard last.
final class NtfySubscriber: Sendable {
  struct Subject: Sendable {
    var target: TargetID
    /// The target's name, which stands in receipts as the device's.
    var name: String
    var subscription: NtfySubscription
    var authenticator: ReceiptAuthenticator
    var caFile: String?
    /// This host's boot, to which the stamps belong.
    var bootID: String
    /// Nothing heard for so long, keepalives included: the connection is dead.
    var silence = NtfyDialect.keepaliveInterval * 2
    var seed: UInt64
  }

  private struct State {
    var isStopping = false
    var first: FirstOpen = .waiting(nil)
  }

  private enum FirstOpen {
    case waiting(CheckedContinuation<Void, any Error>?)
    case done(Result<Void, any Error>)
  }

  fileprivate let subject: Subject
  fileprivate let clock: any HostClock
  /// How long an `open` may take.
  fileprivate let patience: Duration
  fileprivate let sink: any ReceiptSink
  fileprivate let post: @Sendable ([Observation]) -> Void
  private let state = Mutex(State())
  /// Readable when there is something new in the state.
  fileprivate let wake: Int32

  /// Begins to listen.
  /// - Parameters:
  ///   - patience: how long an `open` may take, and the first one is waited for.
  ///   - sink: takes receipts, on the subscriber's thread.
  ///   - post: takes events and log lines, on the same.
  init(
    _ subject: Subject, clock: any HostClock, patience: Duration, sink: any ReceiptSink,
    post: @escaping @Sendable ([Observation]) -> Void
  ) throws(TransportError) {
    wake = clinux_eventfd()
    guard wake >= 0, TimingThread.isLibraryReady else {
      throw TransportError(.system, target: subject.target, "no descriptor or library for a subscription")
    }
    self.subject = subject
    self.clock = clock
    self.patience = patience
    self.sink = sink
    self.post = post
    DedicatedThread.start(name: "subscriber") { [self] in
      NtfyConnectionLoop(self).run()
    }
  }

  deinit { close(wake) }

  /// Waits for the server's `open`.
  /// - Throws: ``CollectorError`` when it does not come in time, or the server refuses.
  func opened() async throws {
    try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
      let done: Result<Void, any Error>? = state.withLock { state in
        if case .done(let result) = state.first { return result }
        state.first = .waiting(waiter)
        return nil
      }
      if let done { waiter.resume(with: done) }
    }
  }

  /// Ends it; what was heard is handed on, and whoever waits for the first `open` waits no longer.
  func stop() {
    state.withLock { $0.isStopping = true }
    var one: UInt64 = 1
    _ = write(wake, &one, 8)
    finishFirst(
      .failure(CollectorError(.unreachable, "stopped before \(subject.name) could be listened to")))
  }

  fileprivate var isStopping: Bool { state.withLock { $0.isStopping } }

  fileprivate func finishFirst(_ result: Result<Void, any Error>) {
    let waiter: CheckedContinuation<Void, any Error>? = state.withLock { state in
      guard case .waiting(let waiter) = state.first else { return nil }
      state.first = .done(result)
      return waiter
    }
    waiter?.resume(with: result)
  }
}

/// The subscriber's work, confined to its thread: connect, listen, come back.
private final class NtfyConnectionLoop {
  private let subscriber: NtfySubscriber
  private let subject: NtfySubscriber.Subject
  private let clock: any HostClock
  private var stream: NtfyStream
  private var backoff: ReconnectBackoff
  private var offset: RealtimeOffset
  private var offsetDue: MonotonicTime
  /// When the first connection's `open` came: what was published after that and not heard is asked for again.
  private var listeningSince: WallTime?
  private let beganAt: MonotonicTime

  private var connection: Connection?
  private var window: ReceiveWindow?
  private var heardAt = MonotonicTime.zero
  private var heard: [NtfyStream.Heard] = []
  /// What an error answer says.
  private var complaint: [UInt8] = []

  init(_ subscriber: NtfySubscriber) {
    self.subscriber = subscriber
    subject = subscriber.subject
    clock = subscriber.clock
    stream = NtfyStream(authenticator: subject.authenticator)
    backoff = ReconnectBackoff(seed: subject.seed)
    beganAt = clock.monotonicNow()
    offset = RealtimeOffset(reading: clock)
    offsetDue = beganAt + RealtimeOffset.interval
  }

  func run() {
    while !subscriber.isStopping {
      let loss = listen()
      if subscriber.isStopping { break }
      lost(loss)
      rest(until: backoff.earliest ?? clock.monotonicNow())
    }
  }

  /// Why a connection is over.
  private struct Loss {
    var reason: String
    /// The server's answer was no stream.
    var status: Int?
    var retryAfter: Duration?

    /// The server will say the same again: it does not take the credentials, or has no such topic.
    var isRefusal: Bool { status.map { (400..<500).contains($0) && $0 != 408 && $0 != 429 } ?? false }
  }

  private func lost(_ loss: Loss) {
    let now = clock.monotonicNow()
    let wasOpen = stream.isOpen
    backoff.noteFailure(at: now)
    if let pause = loss.retryAfter { backoff.hold(until: now + pause) }
    // A server that does not let us in is not asked again and again.
    if loss.status != nil { backoff.hold(until: now + .seconds(10)) }
    let what = "the subscription is lost: \(loss.reason)"
    if wasOpen {
      subscriber.post([
        .event(
          Event(
            at: offset.wall(now), kind: .disconnected, target: subject.target,
            detail: "subscription: \(loss.reason)"))
      ])
    }
    if wasOpen || backoff.failures == 1 {
      subscriber.post([
        .log(
          LogLine(
            at: offset.wall(now), level: .warning, target: subject.target, label: "subscription",
            message: what))
      ])
    }
    if loss.isRefusal || now - beganAt > subscriber.patience {
      subscriber.finishFirst(
        .failure(
          CollectorError(
            loss.isRefusal ? .refused : .unreachable,
            "\(subject.name) cannot be listened to: \(loss.reason)")))
    }
  }

  /// One connection, from its beginning to its end.
  private func listen() -> Loss {
    guard let multi = curl_multi_init() else { return Loss(reason: "libcurl gave no handle") }
    defer { curl_multi_cleanup(multi) }
    guard let handle = EasyHandle() else { return Loss(reason: "libcurl gave no handle") }
    stream.restart()
    complaint = []
    connection = nil
    handle.prepare(subject.subscription.request(since: since), caFile: subject.caFile)
    handle.onSocket = { [unowned self] fd in
      _ = clinux_stamp_received(fd)
      connection = Connection(fd: fd, maximumStreams: 1)
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
      let now = clock.monotonicNow()
      if now - heardAt > (stream.isOpen ? subject.silence : subscriber.patience) {
        return Loss(
          reason: "nothing was heard for \((now - heardAt).microseconds / 1000) ms, not even a keepalive")
      }
      wait(on: multi)
      renewOffset()
      window = connection?.look(at: clock.monotonicNow(), offset: offset)
      curl_multi_perform(multi, &running)
      window = nil
      handOn()
    }
    return Loss(reason: "stopped")
  }

  private var since: NtfySubscription.Since {
    if let id = stream.lastMessageID { return .message(id: id) }
    return listeningSince.map { .time($0.microseconds / 1_000_000) } ?? .now
  }

  private func end(of handle: EasyHandle, _ code: CURLcode) -> Loss {
    guard code == CURLE_OK else {
      if handle.isTooLarge { return Loss(reason: "the answer is larger than is taken") }
      let text = handle.errorMessage
      return Loss(reason: text.isEmpty ? String(cString: curl_easy_strerror(code)) : text)
    }
    guard handle.status != 200 else { return Loss(reason: "the server ended the stream") }
    let response = PushResponse(
      status: handle.status, headers: handle.headers, body: complaint, receivedAt: clock.wallNow())
    let said = String(decoding: complaint.prefix(200), as: UTF8.self)
    return Loss(
      reason: "the server answers \(handle.status) \(said.debugDescription)", status: handle.status,
      retryAfter: RetryAfter.pause(response))
  }

  private func wait(on multi: UnsafeMutableRawPointer) {
    var extra = curl_waitfd(fd: subscriber.wake, events: Int16(CURL_WAIT_POLLIN), revents: 0)
    var ready: Int32 = 0
    curl_multi_poll(multi, &extra, 1, 1000, &ready)
  }

  private func renewOffset() {
    let now = clock.monotonicNow()
    guard now >= offsetDue else { return }
    offset = RealtimeOffset(reading: clock)
    offsetDue = now + RealtimeOffset.interval
  }

  // MARK: What comes

  /// - Returns: whether there may be more.
  private func take(_ bytes: UnsafeRawBufferPointer, status: Int) -> Bool {
    let now = clock.monotonicNow()
    heardAt = now
    guard status == 200 else {
      complaint.append(contentsOf: bytes.prefix(4096 - min(4096, complaint.count)))
      return complaint.count < 4096
    }
    let wasOpen = stream.isOpen
    heard += stream.take(bytes, at: window?.stamp(callback: now, sent: .zero).time ?? now)
    if stream.isOpen, !wasOpen { opened(at: now) }
    return true
  }

  private func opened(at now: MonotonicTime) {
    backoff.noteSuccess()
    if listeningSince == nil { listeningSince = offset.wall(now) }
    subscriber.post([
      .event(Event(at: offset.wall(now), kind: .connected, target: subject.target, detail: "subscription"))
    ])
    subscriber.finishFirst(.success(()))
  }

  private func handOn() {
    let forged = stream.takeForged()
    if forged > 0 {
      subscriber.sink.refused(
        ReceiptRefusal(.wrongMAC, count: forged, source: "the topic of \(subject.name)"))
    }
    guard !heard.isEmpty else { return }
    let receipts = heard.map {
      ArrivedReceipt(
        id: $0.id, device: subject.name, arrivedAt: $0.at, receivedAt: offset.wall($0.at),
        bootID: subject.bootID, receivedMonotonic: $0.at)
    }
    heard.removeAll(keepingCapacity: true)
    subscriber.sink.receive(receipts) { _ in }
  }

  /// Waits, unless it is to stop.
  private func rest(until instant: MonotonicTime) {
    while !subscriber.isStopping {
      let left = instant - clock.monotonicNow()
      guard left > .zero else { return }
      var wanted = pollfd(fd: subscriber.wake, events: Int16(POLLIN), revents: 0)
      _ = poll(&wanted, 1, Int32(clamping: left.microseconds / 1000 + 1))
    }
  }
}
