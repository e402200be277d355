import Measurement
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One HTTP/2 connection on raw frames. A channel for each stream would cost nearly half of the throughput without a
/// benefit for requests of a few hundred bytes. NIO's handler keeps the protocol state, validates and acknowledges;
/// this one assembles requests, writes responses and updates the connection's flow-control window.
///
/// Streams need no window updates: the initial stream window is larger than the largest body.
final class HTTP2ConnectionHandler: ChannelInboundHandler, NIOHTTP2FrameDelegate {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  /// A streamed response.
  private struct OutgoingBody {
    /// Bytes that NIO buffers for lack of flow-control window or socket buffer.
    var unwritten = 0
    var isFinished = false
    let ended: @Sendable () -> Void
  }

  /// Connection flow-control window in bytes (RFC 9113, section 6.9).
  private static let windowBytes = 1 << 20
  /// Responses beyond this size are flushed during a read, so that a peer that does not read them is noticed in time.
  private static let unflushedBytes = 32 * 1024

  private let id: Int
  private let table: ConnectionTable
  private var context: ChannelHandlerContext?
  private var connection: HTTPConnection?
  private var requests = HTTP2Requests()
  private var isResponding = false
  private var outgoing: [HTTP2StreamID: OutgoingBody] = [:]
  private let account: MemoryAccount
  private var unflushed = 0
  private var highestStream = HTTP2StreamID.rootStream
  private var lastActivity = NIODeadline.now()
  private var isReading = false
  private var isFlushScheduled = false
  /// GOAWAY was sent: no new requests, and close after the last response.
  private var isClosing = false
  /// GOAWAY frames from this handler that NIO has not written yet; any other one reports a protocol error of the peer.
  private var ownGoAways = 0

  init(id: Int, table: ConnectionTable) {
    self.id = id
    self.table = table
    account = table.makeAccount()
  }

  // MARK: Channel

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { begin(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReading = true
    let frame = unwrapInboundIn(data)
    switch frame.payload {
    case .headers(let headers): receive(headers, on: frame.streamID)
    case .data(let data): receive(data, on: frame.streamID)
    default: break
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // A flush may end the last stream; closing waits until the bytes are written.
    flush(context)
    isReading = false
    closeIfDone()
    context.fireChannelReadComplete()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case let update as NIOHTTP2WindowUpdatedEvent where update.streamID == .rootStream:
      if let window = update.inboundWindowSize { credit(window) }
    case let closed as StreamClosedEvent:
      forget(closed.streamID)
    default: break
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    // Nothing is read from a peer that does not read its responses.
    try? context.channel.syncOptions?.setOption(.autoRead, value: context.channel.isWritable)
    respondToWaiting()
    context.fireChannelWritabilityChanged()
  }

  /// NIO answers stream errors with RST_STREAM and connection errors with GOAWAY, which ``wroteFrame(_:)`` handles; any
  /// other error is of TLS or the socket and ends the connection.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if !(error is any NIOHTTP2Error) { context.close(promise: nil) }
  }

  func wroteFrame(_ frame: HTTP2Frame) {
    guard case .goAway = frame.payload, let context else { return }
    if ownGoAways > 0 {
      ownGoAways -= 1
      return
    }
    // The peer violated the protocol. Close in the next tick, after NIO has flushed its GOAWAY.
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.eventLoop.execute { bound.value.close(promise: nil) }
  }

  private func begin(_ context: ChannelHandlerContext) {
    guard connection == nil else { return }
    connection = table.ready(id, core: self, version: .http2, channel: context.channel)
    guard connection != nil else { return context.channel.closeAbruptly() }
    credit(65_535)
  }

  private func end() {
    guard context != nil else { return }
    context = nil
    // Breaks a reference cycle with this handler.
    connection = nil
    account.close()
    requests = HTTP2Requests()
    let cutOff = outgoing.values
    outgoing = [:]
    for body in cutOff { body.ended() }
  }

  // MARK: Requests

  private func receive(_ frame: HTTP2Frame.FramePayload.Headers, on stream: HTTP2StreamID) {
    if requests.isArriving(stream) {
      // Trailers are ignored.
      if frame.endStream { complete(stream) }
      return
    }
    guard !isClosing, stream > highestStream else { return }
    highestStream = stream
    lastActivity = .now()
    let cost = MemoryAccount.cost(of: frame.headers)
    let hasRoom = table.reserveRequest(cost, account)
    let length = requests.begin(stream, frame.headers, cost: hasRoom ? cost : 0, at: lastActivity)
    if let length, (Int(length) ?? .max) > table.limits.bodyBytes {
      refuse(stream, .bodyTooLarge)
    } else if !hasRoom {
      refuse(stream, .overloaded)
    } else if frame.endStream {
      complete(stream)
    }
  }

  private func receive(_ frame: HTTP2Frame.FramePayload.Data, on stream: HTTP2StreamID) {
    guard case .byteBuffer(let bytes) = frame.data, requests.isArriving(stream) else { return }
    let count = bytes.readableBytes
    if requests.bodyLength(of: stream) + count > table.limits.bodyBytes {
      return refuse(stream, .bodyTooLarge)
    }
    guard table.reserveRequest(count, account) else { return refuse(stream, .overloaded) }
    requests.append(bytes, to: stream, isLast: frame.endStream)
    if frame.endStream { complete(stream) }
  }

  private func complete(_ stream: HTTP2StreamID) {
    requests.complete(stream, at: table.clock.monotonicNow())
    respondToWaiting()
  }

  /// Passes complete requests to the responder, unless the peer does not read its responses: then they are held back.
  /// Their streams stay open, so their count is limited.
  private func respondToWaiting() {
    guard !isResponding else { return }
    isResponding = true
    defer { isResponding = false }
    while let connection, let context, requests.isWaiting {
      if unflushed > Self.unflushedBytes { flush(context) }
      guard context.channel.isWritable, let next = requests.next() else { return }
      table.responder.respond(
        to: HTTPExchange(request: next.request, connection: connection, stream: Int(next.stream)))
    }
  }

  private func refuse(_ stream: HTTP2StreamID, _ violation: HTTPViolation) {
    answer(
      table.responder.answer(to: violation, path: requests.path(of: stream) ?? ""), to: Int(stream))
  }

  /// The stream is closed by either side: a later response is dropped.
  private func forget(_ stream: HTTP2StreamID) {
    if let dropped = requests.drop(stream) {
      account.releaseRequest(dropped.cost)
      if dropped.isComplete { lastActivity = .now() }
    }
    if let body = outgoing.removeValue(forKey: stream) {
      lastActivity = .now()
      body.ended()
    }
    if !isReading { closeIfDone() }
  }

  // MARK: Writing

  private func write(
    _ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID, promise: EventLoopPromise<Void>? = nil
  ) {
    guard let context else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    // Before the write, which may end the stream and with it the connection.
    scheduleFlush(context)
    context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: promise)
  }

  /// Responses of the same tick are sent in one segment.
  private func scheduleFlush(_ context: ChannelHandlerContext) {
    guard !isReading, !isFlushScheduled else { return }
    isFlushScheduled = true
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.execute { bound.value.flushScheduled() }
  }

  private func flush(_ context: ChannelHandlerContext) {
    unflushed = 0
    context.flush()
  }

  private func flushScheduled() {
    if let context { flush(context) }
    isFlushScheduled = false
    closeIfDone()
  }

  private func credit(_ window: Int) {
    guard window <= Self.windowBytes / 2 else { return }
    write(.windowUpdate(windowSizeIncrement: Self.windowBytes - window), on: .rootStream)
  }

  private func closeIfDone() {
    guard isClosing, requests.isEmpty, outgoing.isEmpty, account.unread == 0,
      !isFlushScheduled, let context
    else { return }
    context.close(promise: nil)
  }
}

extension HTTP2ConnectionHandler: ConnectionCore {
  func answer(_ response: HTTPResponse, to stream: Int) {
    let stream = HTTP2StreamID(stream)
    guard let request = requests.remove(stream) else { return }
    account.releaseRequest(request.cost)
    lastActivity = .now()
    var headers = HPACKHeaders()
    headers.reserveCapacity(response.headers.count + 2)
    headers.add(name: ":status", value: String(response.status))
    headers.add(contentsOf: response.headers)
    let length = response.body.readableBytes
    if length > 0 { headers.add(name: "content-length", value: String(length)) }
    let size = MemoryAccount.cost(of: headers) + (request.isHead ? 0 : length)
    table.reserveAnswer(size, account)
    guard let written = releasePromise(size) else { return }
    if length > 0, !request.isHead {
      write(.headers(.init(headers: headers)), on: stream)
      write(.data(.init(data: .byteBuffer(response.body), endStream: true)), on: stream, promise: written)
    } else {
      write(.headers(.init(headers: headers, endStream: true)), on: stream, promise: written)
    }
    unflushed += size
    // Answered before the request was complete: the rest is rejected (RFC 9113, section 8.1). A reset discards data
    // that NIO buffers for the stream, so the response must be written first.
    if !request.isComplete, let context {
      flush(context)
      write(.rstStream(.noError), on: stream)
    }
  }

  /// Releases the memory of a response when the socket has accepted it.
  ///
  /// - Parameter stream: whose ``outgoing`` body it is a part of, if any.
  private func releasePromise(_ size: Int, of stream: HTTP2StreamID? = nil) -> EventLoopPromise<Void>? {
    guard let context else { return nil }
    let promise = context.eventLoop.makePromise(of: Void.self)
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    promise.futureResult.whenComplete { _ in bound.value.wrote(size, of: stream) }
    return promise
  }

  private func wrote(_ size: Int, of stream: HTTP2StreamID?) {
    account.releaseAnswer(size)
    if let stream { outgoing[stream]?.unwritten -= size }
    if !isReading { closeIfDone() }
  }

  func begin(_ response: HTTPResponse, on stream: Int, ended: @escaping @Sendable () -> Void) {
    let number = HTTP2StreamID(stream)
    guard let isHead = requests.isUnansweredHead(number) else { return ended() }
    if isHead {
      answer(HTTPResponse(status: response.status, headers: response.headers), to: stream)
      return ended()
    }
    account.releaseRequest(requests.removeUnanswered(number)?.cost ?? 0)
    outgoing[number] = OutgoingBody(ended: ended)
    var headers = HPACKHeaders()
    headers.add(name: ":status", value: String(response.status))
    headers.add(contentsOf: response.headers)
    write(.headers(.init(headers: headers)), on: number)
    if response.body.readableBytes > 0 { send(response.body, on: stream) }
  }

  func send(_ bytes: ByteBuffer, on stream: Int) {
    let number = HTTP2StreamID(stream)
    guard var body = outgoing[number], !body.isFinished else { return }
    let count = bytes.readableBytes
    guard body.unwritten + count <= table.limits.streamedBytes else {
      return reset(.enhanceYourCalm, stream: stream)
    }
    body.unwritten += count
    outgoing[number] = body
    lastActivity = .now()
    table.reserveAnswer(count, account)
    guard let written = releasePromise(count, of: number) else { return }
    write(.data(.init(data: .byteBuffer(bytes))), on: number, promise: written)
  }

  func finish(_ stream: Int) {
    let number = HTTP2StreamID(stream)
    guard outgoing[number]?.isFinished == false else { return }
    outgoing[number]?.isFinished = true
    write(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)), on: number)
  }

  func finishAll() {
    for stream in outgoing.keys { finish(Int(stream)) }
  }

  func reset(_ code: HTTP2ErrorCode, stream: Int) {
    let stream = HTTP2StreamID(stream)
    let body = outgoing.removeValue(forKey: stream)
    let request = requests.removeUnanswered(stream)
    guard request != nil || body != nil else { return }
    account.releaseRequest(request?.cost ?? 0)
    write(.rstStream(code), on: stream)
    body?.ended()
  }

  func upgrade(_ request: HTTPRequest, on stream: Int, to responder: any WebSocketResponder) {}

  func goAwayUnprocessed(_ stream: Int, debugData: String?) {
    guard stream == Int(highestStream), !isClosing else { return reset(.refusedStream, stream: stream) }
    guard let request = requests.removeUnanswered(highestStream) else { return }
    account.releaseRequest(request.cost)
    isClosing = true
    ownGoAways += 1
    write(
      .goAway(
        lastStreamID: HTTP2StreamID(max(0, stream - 2)), errorCode: .noError,
        opaqueData: debugData.map { ByteBuffer(string: $0) }), on: .rootStream)
  }

  func setMaximumConcurrentStreams(_ count: Int) {
    write(
      .settings(.settings([HTTP2Setting(parameter: .maxConcurrentStreams, value: count)])), on: .rootStream)
  }

  func goAway(_ code: HTTP2ErrorCode, debugData: String?) {
    guard !isClosing else { return }
    isClosing = true
    ownGoAways += 1
    write(
      .goAway(
        lastStreamID: highestStream, errorCode: code, opaqueData: debugData.map { ByteBuffer(string: $0) }),
      on: .rootStream)
  }

  func disconnect() {
    isClosing = true
    context?.channel.closeAbruptly()
  }

  func evict() {
    if !isClosing { goAway(.noError, debugData: nil) }
    if let context { flush(context) }
    disconnect()
    end()
  }

  var idleSince: NIODeadline? {
    requests.isEmpty && outgoing.isEmpty ? lastActivity : nil
  }

  var unreadBytes: Int { account.unread }

  func setAuthenticated() { table.setAuthenticated(id) }

  func sweep(now: NIODeadline) {
    let timeout = TimeAmount(table.limits.requestTimeout)
    for stream in requests.unfinished(since: now - timeout) { refuse(stream, .requestTimedOut) }
    if let stall = account.stall(at: now), stall > TimeAmount(table.limits.writeTimeout) {
      disconnect()
    } else if let idleSince, now - idleSince > table.idleTimeout(of: id) {
      isClosing ? disconnect() : goAway(.noError, debugData: nil)
    }
  }
}
