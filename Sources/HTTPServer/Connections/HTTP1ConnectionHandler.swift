import Measurement
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2
import NIOWebSocket

/// One HTTP/1.1 connection. NIO's handlers parse, keep pipelined requests in order and answer invalid HTTP.
final class HTTP1ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum Phase {
    case idle
    case arriving(HTTPRequestHead, ByteBuffer, since: NIODeadline)
    /// Complete. NIO reads nothing more from the peer until the response.
    case unanswered(keepAlive: Bool)
    /// The response is streamed.
    case outgoing(keepAlive: Bool, unwritten: Int, ended: @Sendable () -> Void)
    /// It is a WebSocket's; what is read is passed on.
    case upgraded(WebSocket)
    /// The last response is being sent; further input is discarded.
    case closing
  }

  private let id: Int
  private let table: ConnectionTable
  /// NIO's handlers of HTTP/1.1, which a WebSocket has no use for.
  private let codec: [any RemovableChannelHandler]
  private var context: ChannelHandlerContext?
  private var connection: HTTPConnection?
  private var phase = Phase.idle
  /// Number of the request, so that a late response cannot answer the next one.
  private var current = 0
  private var isLast = false
  private var lastActivity = NIODeadline.now()
  private let account: MemoryAccount
  /// Memory that the current request has reserved.
  private var cost = 0
  /// A response to HEAD has no body (RFC 9110, section 9.3.2).
  private var isHead = false
  /// A complete request that is held back because the peer does not read its responses.
  private var waiting: HTTPRequest?
  private var isResponding = false

  init(id: Int, table: ConnectionTable, codec: [any RemovableChannelHandler]) {
    self.id = id
    self.table = table
    self.codec = codec
    account = table.makeAccount()
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    connection = table.ready(id, core: self, version: .http1, channel: context.channel)
    if connection == nil { context.channel.closeAbruptly() }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    end()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    respondToWaiting()
    context.fireChannelWritabilityChanged()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // What was not valid HTTP is answered already, and closing waits for the peer: nothing else may be answered meanwhile.
    if case .outgoing = phase {} else { phase = .closing }
    waiting = nil
    context.close(promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .upgraded = phase { return context.fireChannelRead(data) }
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
    isHead = head.method == .HEAD
    if !reserveRequest(MemoryAccount.cost(of: head.headers) + head.uri.utf8.count) {
      refuse(.overloaded)
    } else if let length = head.headers.first(name: "content-length"),
      (Int(length) ?? .max) > table.limits.bodyBytes
    {
      refuse(.bodyTooLarge)
    } else if head.headers["expect"].contains(where: { $0.lowercased() == "100-continue" }) {
      let interim = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(wrapOutboundOut(.head(interim)), promise: nil)
    }
  }

  private func receive(_ bytes: inout ByteBuffer) {
    guard case .arriving(let head, var body, let since) = phase else { return }
    // Cleared here, so that the buffer grows in place.
    phase = .closing
    let count = bytes.readableBytes
    let fits = body.readableBytes + count <= table.limits.bodyBytes
    let isReserved = fits && reserveRequest(count)
    if isReserved { body.writeBuffer(&bytes) }
    phase = .arriving(head, body, since: since)
    if !fits { refuse(.bodyTooLarge) } else if !isReserved { refuse(.overloaded) }
  }

  private func complete() {
    guard case .arriving(let head, let body, _) = phase else { return }
    phase = .unanswered(keepAlive: head.isKeepAlive && !isLast)
    waiting = HTTPRequest(
      method: head.method.rawValue, path: head.uri, headers: HPACKHeaders(httpHeaders: head.headers),
      body: body,
      version: .http1, arrivedAt: table.clock.monotonicNow(),
      isWebSocketUpgrade: WebSocketHandshake.isAsked(head))
    respondToWaiting()
  }

  /// Passes a complete request to the responder, unless the peer does not read its responses: then it is held back with
  /// all that follows.
  ///
  /// An immediate response releases the next pipelined request during this call; the loop handles it, not the stack.
  private func respondToWaiting() {
    guard !isResponding else { return }
    isResponding = true
    defer { isResponding = false }
    while let connection, let context, context.channel.isWritable, let request = waiting {
      waiting = nil
      table.responder.respond(to: HTTPExchange(request: request, connection: connection, stream: current))
    }
  }

  private func reserveRequest(_ bytes: Int) -> Bool {
    guard table.reserveRequest(bytes, account) else { return false }
    cost += bytes
    return true
  }

  private func releaseRequest() {
    account.releaseRequest(cost)
    cost = 0
    waiting = nil
  }

  private func refuse(_ violation: HTTPViolation) {
    var path = ""
    if case .arriving(let head, _, _) = phase { path = head.uri }
    answer(table.responder.answer(to: violation, path: path), to: current)
  }

  private func end() {
    guard context != nil else { return }
    context = nil
    // Breaks a reference cycle with this handler.
    connection = nil
    account.close()
    waiting = nil
    let last = phase
    phase = .closing
    if case .outgoing(_, _, let ended) = last { ended() }
  }
}

extension HTTP1ConnectionHandler: ConnectionCore {
  func answer(_ response: HTTPResponse, to stream: Int) {
    guard stream == current, let context else { return }
    let keepAlive: Bool
    switch phase {
    case .idle, .outgoing, .upgraded, .closing: return
    case .arriving: keepAlive = false
    case .unanswered(let asked): keepAlive = asked && !isLast
    }
    releaseRequest()
    lastActivity = .now()
    let length = response.body.readableBytes
    var headers = HTTPHeaders()
    for (name, value, _) in response.headers { headers.add(name: name, value: value) }
    headers.add(name: "content-length", value: String(length))
    if !keepAlive { headers.add(name: "connection", value: "close") }
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
    let written = reserveAnswer(MemoryAccount.cost(of: headers) + (isHead ? 0 : length))
    // This connection itself was closed to free memory.
    guard let written else { return }
    phase = keepAlive ? .idle : .closing
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if length > 0, !isHead {
      context.write(wrapOutboundOut(.body(.byteBuffer(response.body))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    // TLS exchanges close_notify first, so that an unread rest of the request does not discard the response.
    if !keepAlive { context.close(promise: nil) }
  }

  /// - Returns: to be fulfilled when the socket has taken the answer; `nil` when the connection is gone.
  private func reserveAnswer(_ bytes: Int, partOf stream: Int? = nil) -> EventLoopPromise<Void>? {
    table.reserveAnswer(bytes, account)
    guard let context else { return nil }
    let promise = context.eventLoop.makePromise(of: Void.self)
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    promise.futureResult.whenComplete { _ in bound.value.wrote(bytes, partOf: stream) }
    return promise
  }

  private func wrote(_ bytes: Int, partOf stream: Int?) {
    account.releaseAnswer(bytes)
    guard stream == current, case .outgoing(let keepAlive, let unwritten, let ended) = phase else { return }
    phase = .outgoing(keepAlive: keepAlive, unwritten: unwritten - bytes, ended: ended)
  }

  func begin(_ response: HTTPResponse, on stream: Int, ended: @escaping @Sendable () -> Void) {
    guard stream == current, let context, case .unanswered(let keepAlive) = phase else { return ended() }
    if isHead {
      answer(HTTPResponse(status: response.status, headers: response.headers), to: stream)
      return ended()
    }
    releaseRequest()
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
    guard let written = reserveAnswer(count, partOf: stream) else { return }
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: written)
  }

  func finish(_ stream: Int) {
    guard stream == current, let context, case .outgoing(let asked, _, let ended) = phase else { return }
    let keepAlive = asked && !isLast
    phase = keepAlive ? .idle : .closing
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    ended()
    if !keepAlive { context.close(promise: nil) }
  }

  func finishAll() {
    if case .upgraded(let socket) = phase { return socket.close(1001, reason: "") }
    finish(current)
  }

  func upgrade(_ request: HTTPRequest, on stream: Int, to responder: any WebSocketResponder) {
    guard stream == current, let context, case .unanswered = phase else { return }
    if let refusal = WebSocketHandshake.refusal(of: request.headers) { return answer(refusal, to: stream) }
    let limits = table.limits
    let socket = NIOLoopBound(WebSocket(limits: limits, responder: responder), eventLoop: context.eventLoop)
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: limits.bodyBytes, automaticErrorHandling: false,
      shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            WebSocketFrameCheck(),
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: WebSocket.maximumFragments,
              maxAccumulatedFrameSize: limits.bodyBytes), socket.value,
          ])
        }
      })
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: request.path,
      headers: HTTPHeaders(request.headers.map { ($0.name, $0.value) }))
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    upgrader.buildUpgradeResponse(channel: context.channel, upgradeRequest: head, initialResponseHeaders: [:])
      .whenComplete { result in
        let (handler, context) = bound.value
        switch result {
        case .success(let headers):
          handler.releaseRequest()
          handler.phase = .upgraded(socket.value)
          handler.switchProtocols(headers, context)
          upgrader.upgrade(context: context, upgradeRequest: head).whenFailure { _ in
            bound.value.handler.disconnect()
          }
        case .failure: handler.answer(HTTPResponse(status: 400), to: stream)
        }
      }
  }

  /// Answers 101 and takes HTTP's handlers out of the pipeline.
  private func switchProtocols(_ headers: HTTPHeaders, _ context: ChannelHandlerContext) {
    var headers = headers
    headers.replaceOrAdd(name: "connection", value: "upgrade")
    headers.replaceOrAdd(name: "upgrade", value: "websocket")
    let head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
    context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    for handler in codec { context.pipeline.syncOperations.removeHandler(handler, promise: nil) }
  }

  func goAwayUnprocessed(_ stream: Int, debugData: String?) {
    if stream == current { disconnect() }
  }

  func reset(_ code: HTTP2ErrorCode, stream: Int) {
    if stream == current { disconnect() }
  }

  func setMaximumConcurrentStreams(_ count: Int) {}

  func goAway(_ code: HTTP2ErrorCode, debugData: String?) {
    isLast = true
    switch phase {
    case .idle: context?.close(promise: nil)
    case .upgraded(let socket): socket.close(1001, reason: "")
    case .arriving, .unanswered, .outgoing, .closing: break
    }
  }

  func disconnect() {
    context?.channel.closeAbruptly()
  }

  func evict() {
    disconnect()
    end()
  }

  var idleSince: NIODeadline? {
    if case .idle = phase { lastActivity } else { nil }
  }

  var unreadBytes: Int { account.unread }

  func setAuthenticated() { table.setAuthenticated(id) }

  func sweep(now: NIODeadline) {
    if let stall = account.stall(at: now), stall > TimeAmount(table.limits.writeTimeout) {
      return disconnect()
    }
    switch phase {
    case .arriving(_, _, let since):
      if now - since > TimeAmount(table.limits.requestTimeout) { refuse(.requestTimedOut) }
    case .idle:
      if now - lastActivity > table.idleTimeout(of: id) { context?.close(promise: nil) }
    case .upgraded(let socket): if socket.isStalled(at: now) { disconnect() }
    case .unanswered, .outgoing, .closing: break
    }
  }
}
