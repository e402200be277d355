import CCurl
import CLinux
import HTTPClient
import Measurement
import Providers
import Transport

/// A topic of an ntfy server, whose messages come as a stream of events.
struct NtfyTopic: SubscribableService {
  var subscription: NtfySubscription
  /// A connection without an event for so long, keepalives included, is dead.
  var silence = NtfyDialect.keepaliveInterval * 2

  func makeListener(on loop: SubscriptionLoop) -> any SubscriptionListener { NtfyListener(self, on: loop) }
}

/// Reads the stream of a topic. A connection without keepalives is taken for dead; the next one asks for the messages that the
/// server kept meanwhile.
private final class NtfyListener: SubscriptionListener {
  private let topic: NtfyTopic
  private unowned let loop: SubscriptionLoop
  private var stream: NtfyStream
  private var socket: CorkedSocket?
  private var window: ReceiveWindow?
  private var heard: [ReceivedNotification] = []
  /// The body of an error answer.
  private var complaint: [UInt8] = []

  private static let longestComplaint = 4096

  init(_ topic: NtfyTopic, on loop: SubscriptionLoop) {
    self.topic = topic
    self.loop = loop
    stream = NtfyStream(authenticator: loop.subject.authenticator)
  }

  func listen() -> SubscriptionLoss {
    guard let multi = curl_multi_init() else { return .noHandle }
    defer { curl_multi_cleanup(multi) }
    guard let handle = EasyHandle() else { return .noHandle }
    stream.restart()
    complaint = []
    socket = nil
    handle.prepare(topic.subscription.request(since: since), caFile: loop.subject.caFile)
    handle.onSocket = { [unowned self] fd in
      _ = clinux_stamp_received(fd)
      socket = CorkedSocket(fd: fd)
    }
    handle.onBody = { [unowned self, unowned handle] bytes in receive(bytes, status: handle.status) }
    curl_multi_add_handle(multi, handle.easy)
    defer { curl_multi_remove_handle(multi, handle.easy) }
    var running: Int32 = 1
    curl_multi_perform(multi, &running)
    while !loop.isStopping {
      var code = CURLE_OK
      if ccurl_multi_next_done(multi, &code) != nil { return end(of: handle, code) }
      if let loss = loop.timeoutLoss(after: topic.silence, missing: "a keepalive") { return loss }
      if loop.isFull {
        loop.restForStore()
        continue
      }
      loop.wait(on: multi)
      window = socket?.peek(at: loop.clock.monotonicNow(), offset: loop.offset)
      curl_multi_perform(multi, &running)
      window = nil
      loop.refuse(forged: stream.drainForged(), from: "the topic of \(loop.subject.name)")
      loop.pass(heard)
      heard.removeAll(keepingCapacity: true)
    }
    return .stopped
  }

  private var since: NtfySubscription.Since {
    if let time = stream.lastTime { return .time(time) }
    // Nothing was published before the first connection.
    return loop.isUnbroken ? .now : .time(loop.beganOn.seconds)
  }

  private func end(of handle: EasyHandle, _ code: CURLcode) -> SubscriptionLoss {
    // Only the beginning of an error answer is read.
    let isRefusal = handle.status != 200 && complaint.count >= Self.longestComplaint
    guard code == CURLE_OK || isRefusal else { return SubscriptionLoss(reason: handle.complaint(code)) }
    guard handle.status != 200 else { return SubscriptionLoss(reason: "the server ended the stream") }
    let response = PushResponse(
      status: handle.status, headers: handle.headers, body: complaint, receivedAt: loop.clock.wallNow())
    let secrets = RequestSecrets(of: topic.subscription.request())
    let said = secrets.hidden(in: String(decoding: complaint.prefix(200), as: UTF8.self))
    return SubscriptionLoss(
      reason: "the server answers \(handle.status) \(said.debugDescription)", status: handle.status,
      retryAfter: RetryAfter.pause(response))
  }

  /// - Returns: whether to read on.
  private func receive(_ bytes: UnsafeRawBufferPointer, status: Int) -> Bool {
    let now = loop.clock.monotonicNow()
    guard status == 200 else {
      complaint.append(contentsOf: bytes.prefix(Self.longestComplaint - complaint.count))
      return complaint.count < Self.longestComplaint
    }
    let wasOpen = stream.isOpen
    let events = stream.events
    heard += stream.receive(bytes, at: window?.stamp(callback: now, sent: .zero).time ?? now)
    if stream.isOpen, stream.events != events { loop.recordHeard() }
    if stream.isOpen, !wasOpen { loop.opened() }
    return true
  }
}
