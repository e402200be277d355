import Measurement
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// One HTTP/1.1 connection. NIO's handlers below parse, keep pipelined requests in order and answer what is no HTTP.
final class HTTP1ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum Phase {
    case idle
    case arriving(HTTPRequestHead, ByteBuffer, since: NIODeadline)
    case unanswered(keepAlive: Bool)
    /// The answer has begun and goes on.
    case outgoing(keepAlive: Bool, unwritten: Int, ended: @Sendable () -> Void)
    /// The last answer is on its way; whatever still comes is thrown away.
    case closing
  }

  private let id: Int
  private let table: ConnectionTable
  private var context: ChannelHandlerContext?
  private var connection: HTTPConnection?
  private var phase = Phase.idle
  /// Counts requests, so that a late answer cannot go to the next one.
  private var current = 0
  private var isLast = false
  private var lastActivity = NIODeadline.now()

  init(id: Int, table: ConnectionTable) {
    self.id = id
    self.table = table
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    connection = table.ready(id, core: self, version: .http1, channel: context.channel)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): receive(head, context)
    case .body(var bytes): receive(&bytes)
    case .end: complete()
    }
  }

  private func receive(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    guard case .idle = phase else { return }
    current += 1
    lastActivity = .now()
    phase = .arriving(head, ByteBuffer(), since: lastActivity)
    if let length = head.headers.first(name: "content-length"), (Int(length) ?? .max) > table.limits.bodyBytes
    {
      refuse(.bodyTooLarge)
    } else if head.headers["expect"].contains(where: { $0.lowercased() == "100-continue" }) {
      let interim = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(wrapOutboundOut(.head(interim)), promise: nil)
    }
  }

  private func receive(_ bytes: inout ByteBuffer) {
    guard case .arriving(let head, var body, let since) = phase else { return }
    // Dropped here, so that the buffer grows in place.
    phase = .closing
    let count = bytes.readableBytes
    let fits = body.readableBytes + count <= table.limits.bodyBytes
    let isReserved = fits && table.reserve(count)
    if isReserved { body.writeBuffer(&bytes) }
    phase = .arriving(head, body, since: since)
    if !fits { refuse(.bodyTooLarge) } else if !isReserved { refuse(.overloaded) }
  }

  private func complete() {
    guard case .arriving(let head, let body, _) = phase, let connection else { return }
    table.release(body.readableBytes)
    phase = .unanswered(keepAlive: head.isKeepAlive && !isLast)
    let request = HTTPRequest(
      method: head.method.rawValue, path: head.uri, headers: HPACKHeaders(httpHeaders: head.headers),
      body: body,
      version: .http1, arrivedAt: table.clock.monotonicNow())
    table.responder.respond(to: HTTPExchange(request: request, connection: connection, stream: current))
  }

  private func refuse(_ violation: HTTPViolation) {
    var path = ""
    if case .arriving(let head, _, _) = phase { path = head.uri }
    answer(table.responder.answer(to: violation, path: path), to: current)
  }

  private func end() {
    guard context != nil else { return }
    context = nil
    // It holds this handler.
    connection = nil
    releaseBody()
    let last = phase
    phase = .closing
    if case .outgoing(_, _, let ended) = last { ended() }
  }

  private func releaseBody() {
    if case .arriving(_, let body, _) = phase { table.release(body.readableBytes) }
  }
}

extension HTTP1ConnectionHandler: ConnectionCore {
  func answer(_ response: HTTPResponse, to stream: Int) {
    guard stream == current, let context else { return }
    let keepAlive: Bool
    switch phase {
    case .idle, .outgoing, .closing: return
    case .arriving: keepAlive = false
    case .unanswered(let asked): keepAlive = asked && !isLast
    }
    releaseBody()
    lastActivity = .now()
    phase = keepAlive ? .idle : .closing
    var headers = HTTPHeaders()
    for (name, value, _) in response.headers { headers.add(name: name, value: value) }
    headers.add(name: "content-length", value: String(response.body.readableBytes))
    if !keepAlive { headers.add(name: "connection", value: "close") }
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if response.body.readableBytes > 0 {
      context.write(wrapOutboundOut(.body(.byteBuffer(response.body))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    // TLS says goodbye first and waits for the peer's, so that an unread rest of the request loses no answer.
    if !keepAlive { context.close(promise: nil) }
  }

  func begin(_ response: HTTPResponse, on stream: Int, ended: @escaping @Sendable () -> Void) {
    guard stream == current, let context, case .unanswered(let keepAlive) = phase else { return ended() }
    lastActivity = .now()
    phase = .outgoing(keepAlive: keepAlive, unwritten: 0, ended: ended)
    var headers = HTTPHeaders()
    for (name, value, _) in response.headers { headers.add(name: name, value: value) }
    headers.add(name: "transfer-encoding", value: "chunked")
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
    context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    if response.body.readableBytes > 0 { send(response.body, on: stream) }
  }

  func send(_ bytes: ByteBuffer, on stream: Int) {
    guard stream == current, let context, case .outgoing(let keepAlive, let unwritten, let ended) = phase
    else {
      return
    }
    let count = bytes.readableBytes
    guard unwritten + count <= table.limits.streamedBytes else { return disconnect() }
    lastActivity = .now()
    phase = .outgoing(keepAlive: keepAlive, unwritten: unwritten + count, ended: ended)
    let written = context.eventLoop.makePromise(of: Void.self)
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    written.futureResult.whenComplete { _ in bound.value.wrote(count, on: stream) }
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: written)
  }

  private func wrote(_ count: Int, on stream: Int) {
    guard stream == current, case .outgoing(let keepAlive, let unwritten, let ended) = phase else { return }
    phase = .outgoing(keepAlive: keepAlive, unwritten: unwritten - count, ended: ended)
  }

  func finish(_ stream: Int) {
    guard stream == current, let context, case .outgoing(let asked, _, let ended) = phase else { return }
    let keepAlive = asked && !isLast
    phase = keepAlive ? .idle : .closing
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    ended()
    if !keepAlive { context.close(promise: nil) }
  }

  func finishAll() { finish(current) }

  func goAwayUnprocessed(_ stream: Int, debugData: String?) {
    if stream == current { disconnect() }
  }

  func reset(_ code: HTTP2ErrorCode, stream: Int) {
    if stream == current { disconnect() }
  }

  func setMaximumConcurrentStreams(_ count: Int) {}

  func goAway(_ code: HTTP2ErrorCode, debugData: String?) {
    isLast = true
    if case .idle = phase { context?.close(promise: nil) }
  }

  func disconnect() {
    context?.closeAbruptly()
  }

  func sweep(now: NIODeadline) {
    switch phase {
    case .arriving(_, _, let since):
      if now - since > TimeAmount(table.limits.requestTimeout) { refuse(.requestTimedOut) }
    case .idle:
      if now - lastActivity > TimeAmount(table.limits.idleTimeout) { context?.close(promise: nil) }
    case .unanswered, .outgoing, .closing: break
    }
  }
}
