import CCurl
import CLinux
import Configuration
import Glibc
import HTTPClient
import Measurement
import Providers
import Transport

/// A WebSocket's client over libcurl's connection: libcurl looks the name up, connects and checks the peer; the kernel stamps what
/// comes. Confined to one thread.
final class WebSocketConnection {
  private let handle: EasyHandle
  private let multi: UnsafeMutableRawPointer
  private let loop: SubscriptionLoop
  private var socket: CorkedSocket?
  private var reader: WebSocketReader
  private let chunk: UnsafeMutableRawBufferPointer

  /// How much is read before the caller looks at its own work, in chunks: a peer that sends without a pause keeps nothing waiting.
  private static let chunksAtOnce = 16
  /// How long the peer may leave no room for what is sent.
  private static let sendTimeout = Duration.seconds(10)

  /// `nil` when libcurl cannot make a handle.
  /// - Parameter maximumBytes: of a message.
  init?(_ loop: SubscriptionLoop, maximumBytes: Int) {
    guard let handle = EasyHandle(), let multi = curl_multi_init() else { return nil }
    self.handle = handle
    self.multi = multi
    self.loop = loop
    reader = WebSocketReader(maximumBytes: maximumBytes)
    chunk = .allocate(byteCount: 16 * 1024, alignment: 1)
  }

  deinit {
    curl_multi_remove_handle(multi, handle.easy)
    curl_multi_cleanup(multi)
    chunk.deallocate()
  }

  // MARK: Opening

  /// Opens it.
  /// - Parameters:
  ///   - service: where; its scheme stands for `wss`.
  ///   - deadline: when it must be open.
  func open(_ service: Endpoint, protocols: [String], by deadline: MonotonicTime) throws(SubscriptionLoss) {
    handle.prepare("GET", service.url, caFile: loop.subject.caFile, bodyLimit: 0)
    ccurl_easy_set_long(handle.easy, CURLOPT_CONNECT_ONLY, 1)
    // An upgrade is HTTP/1.1's, so ALPN may offer nothing else.
    ccurl_easy_set_long(handle.easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    handle.onSocket = { [unowned self] fd in
      _ = clinux_stamp_received(fd)
      socket = CorkedSocket(fd: fd)
    }
    curl_multi_add_handle(multi, handle.easy)
    try connect(by: deadline)
    var opening = WebSocketOpening(nonce: RandomBytes.make(16), protocols: protocols)
    try send(
      opening.request(
        authority: service.authority, target: service.target, userAgent: "pushscope"))
    while true {
      var behind: [UInt8]?
      let isThere = try receive { (bytes) throws(SubscriptionLoss) in
        guard behind == nil else {
          behind? += bytes
          return
        }
        do throws(WebSocketOpening.Failure) {
          behind = try opening.receive(bytes)
        } catch {
          throw loss(error)
        }
      }
      if let behind {
        reader.append(behind)
        return
      }
      if !isThere { try wait(by: deadline) }
    }
  }

  private func connect(by deadline: MonotonicTime) throws(SubscriptionLoss) {
    var running: Int32 = 1
    curl_multi_perform(multi, &running)
    var code = CURLE_OK
    while ccurl_multi_next_done(multi, &code) == nil {
      try check(deadline)
      loop.wait(on: multi)
      curl_multi_perform(multi, &running)
    }
    guard code == CURLE_OK else { throw SubscriptionLoss(reason: handle.complaint(code)) }
    // Of several addresses the first that answers is taken; the others' sockets are closed.
    let fd = ccurl_easy_get_socket(handle.easy)
    guard fd != -1 else { throw SubscriptionLoss(reason: "the server ended the connection") }
    socket = CorkedSocket(fd: fd)
  }

  private func wait(by deadline: MonotonicTime) throws(SubscriptionLoss) {
    try check(deadline)
    _ = waitForBytes(atMost: min(.seconds(1), deadline - loop.clock.monotonicNow()))
  }

  private func check(_ deadline: MonotonicTime) throws(SubscriptionLoss) {
    if loop.isStopping { throw .stopped }
    guard loop.clock.monotonicNow() < deadline else {
      throw SubscriptionLoss(reason: "the server did not open a WebSocket in time")
    }
  }

  private func loss(_ failure: WebSocketOpening.Failure) -> SubscriptionLoss {
    let response = PushResponse(
      status: failure.status ?? 0, headers: failure.headers, body: [], receivedAt: loop.clock.wallNow())
    return SubscriptionLoss(
      reason: failure.reason, status: failure.status, retryAfter: RetryAfter.pause(response))
  }

  // MARK: Messages

  /// Waits until bytes are there, or the subscriber is woken.
  /// - Returns: whether bytes are there.
  func waitForBytes(atMost time: Duration) -> Bool {
    loop.wait(for: socket?.fd, events: Int16(POLLIN), atMost: max(.zero, time))
  }

  /// Reads what is there, up to a limit.
  /// - Parameter body: called with each message and when it came.
  /// - Returns: whether there may be more.
  func read(_ body: (WebSocketReader.Message, MonotonicTime) throws(SubscriptionLoss) -> Void)
    throws(SubscriptionLoss) -> Bool
  {
    // Those that came with the answer to the opening are stamped when they are read.
    try messages(nil, body)
    for _ in 0..<Self.chunksAtOnce {
      let window = socket?.peek(at: loop.clock.monotonicNow(), offset: loop.offset)
      let isThere = try receive { (bytes) throws(SubscriptionLoss) in
        reader.append(bytes)
        try messages(window, body)
      }
      if !isThere { return false }
    }
    return true
  }

  private func messages(
    _ window: ReceiveWindow?,
    _ body: (WebSocketReader.Message, MonotonicTime) throws(SubscriptionLoss) -> Void
  ) throws(SubscriptionLoss) {
    while true {
      let message: WebSocketReader.Message?
      do throws(WebSocketReader.Violation) {
        message = try reader.next()
      } catch {
        close(error.code)
        throw SubscriptionLoss(reason: "the server breaks the WebSocket protocol: \(error.reason)")
      }
      guard let message else { return }
      let now = loop.clock.monotonicNow()
      let instant = window?.stamp(callback: now, sent: .zero).time ?? now
      switch message {
      case .ping(let payload): try send(.pong, payload)
      case .close(let code, _): close(code ?? 1000)
      case .text, .pong: break
      }
      try body(message, instant)
    }
  }

  /// Reads once what libcurl has.
  /// - Returns: whether there was something.
  private func receive(_ body: (UnsafeRawBufferPointer) throws(SubscriptionLoss) -> Void)
    throws(SubscriptionLoss) -> Bool
  {
    var count = 0
    switch curl_easy_recv(handle.easy, chunk.baseAddress, chunk.count, &count) {
    case CURLE_OK where count > 0:
      try body(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
      return true
    case CURLE_AGAIN: return false
    case CURLE_OK: throw SubscriptionLoss(reason: "the server ended the connection")
    case let code: throw SubscriptionLoss(reason: handle.complaint(code))
    }
  }

  func send(_ text: String) throws(SubscriptionLoss) { try send(.text, Array(text.utf8)) }

  func ping() throws(SubscriptionLoss) { try send(.ping, []) }

  /// Says that the connection ends, if there is room for it.
  func close(_ code: Int) {
    let frame = WebSocketWriter.frame(.close, WebSocketWriter.closePayload(code), mask: RandomBytes.make(4))
    var count = 0
    _ = frame.withUnsafeBytes { curl_easy_send(handle.easy, $0.baseAddress, $0.count, &count) }
  }

  private func send(_ opcode: WebSocketOpcode, _ payload: [UInt8]) throws(SubscriptionLoss) {
    try send(WebSocketWriter.frame(opcode, payload, mask: RandomBytes.make(4)))
  }

  private func send(_ bytes: [UInt8]) throws(SubscriptionLoss) {
    let deadline = loop.clock.monotonicNow() + Self.sendTimeout
    var rest = bytes[...]
    while !rest.isEmpty {
      var count = 0
      let code = rest.withUnsafeBytes { curl_easy_send(handle.easy, $0.baseAddress, $0.count, &count) }
      switch code {
      case CURLE_OK: rest = rest.dropFirst(count)
      case CURLE_AGAIN:
        if loop.isStopping { throw .stopped }
        guard loop.clock.monotonicNow() < deadline else {
          throw SubscriptionLoss(reason: "the server takes nothing any more")
        }
        _ = loop.wait(for: socket?.fd, events: Int16(POLLOUT), atMost: .milliseconds(100))
      default: throw SubscriptionLoss(reason: handle.complaint(code))
      }
    }
  }
}
