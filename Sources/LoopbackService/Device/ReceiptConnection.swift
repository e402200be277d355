import Configuration
import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS

/// HTTP/2 connection to a collector's receipt listener, on raw frames.
final class ReceiptConnection: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  /// Result of a batch.
  enum Outcome {
    case stored(Counts)
    /// 4xx: the collector will not accept this batch.
    case rejected
    /// No response, 429 or 5xx, with the delay of `retry-after`.
    case later(TimeAmount?)
  }

  struct Counts: Decodable {
    var accepted: Int
    var duplicate: Int
    var unknown: Int
    var refused: Int
  }

  /// A response.
  private struct Answer {
    var status = 0
    var retryAfter: Int64?
    var body = ByteBuffer()
  }

  private struct Exchange {
    var answer = Answer()
    let timeout: Scheduled<Void>
    /// `nil` without a response.
    let completion: (Answer?) -> Void
  }

  private static let connectTimeout = TimeAmount.seconds(5)
  private static let answerTimeout = TimeAmount.seconds(15)
  private static let maximumAnswerBytes = 16 * 1024
  /// Highest stream number before a new connection is opened.
  private static let lastStream = 1 << 30

  private let authority: String
  private let path: String
  private var context: ChannelHandlerContext?
  private var exchanges: [HTTP2StreamID: Exchange] = [:]
  private var nextStream = 1
  private var isGoingAway = false
  private let ready: EventLoopPromise<Void>

  private init(destination: ReceiptDestination, ready: EventLoopPromise<Void>) {
    authority = destination.endpoint.authority
    path = ["", "/"].contains(destination.endpoint.target) ? "/v1/receipts" : destination.endpoint.target
    self.ready = ready
  }

  /// Connects over TLS, verifies the certificate and requires HTTP/2.
  static func open(
    to destination: ReceiptDestination, on eventLoop: any EventLoop
  ) -> EventLoopFuture<NIOLoopBound<ReceiptConnection>> {
    let ready = eventLoop.makePromise(of: Void.self)
    let connection = NIOLoopBound(
      ReceiptConnection(destination: destination, ready: ready), eventLoop: eventLoop)
    let bootstrap = ClientBootstrap(group: eventLoop)
      .connectTimeout(connectTimeout)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try prepare(channel, for: destination, connection.value)
        }
      }
    let endpoint = destination.endpoint
    let timeout = eventLoop.scheduleTask(in: connectTimeout * 2) {
      ready.fail(ChannelError.connectTimeout(connectTimeout))
    }
    bootstrap.connect(host: endpoint.host, port: endpoint.port).whenComplete { result in
      switch result {
      case .success(let channel): channel.closeFuture.whenComplete { _ in ready.fail(ChannelError.eof) }
      case .failure(let error): ready.fail(error)
      }
    }
    return ready.futureResult.always { result in
      timeout.cancel()
      if case .failure = result { connection.value.close() }
    }.map { connection }
  }

  private static func prepare(
    _ channel: any Channel, for destination: ReceiptDestination, _ connection: ReceiptConnection
  ) throws {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.applicationProtocols = ["h2"]
    tls.minimumTLSVersion = .tlsv12
    if let file = destination.authorityFile { tls.trustRoots = .file(file) }
    let host = destination.endpoint.host
    // Without a name the certificate must contain the peer's address.
    let name = isAddress(host) ? nil : host
    let handler = try NIOSSLClientHandler(context: NIOSSLContext(configuration: tls), serverHostname: name)
    let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
    let negotiation = ApplicationProtocolNegotiationHandler { (result, channel) -> EventLoopFuture<Void> in
      channel.eventLoop.makeCompletedFuture {
        guard result == .negotiated("h2") else { throw NIOHTTP2Errors.invalidALPNToken() }
        try channel.pipeline.syncOperations.addHandlers([NIOHTTP2Handler(mode: .client), bound.value])
      }.flatMapErrorThrowing { error in
        channel.close(promise: nil)
        throw error
      }
    }
    try channel.pipeline.syncOperations.addHandlers([handler, negotiation])
  }

  private static func isAddress(_ host: String) -> Bool {
    (try? SocketAddress(ipAddress: host, port: 0)) != nil
  }

  var isUsable: Bool { context != nil && !isGoingAway && nextStream < Self.lastStream }

  /// Posts a body. `completion` is called exactly once, immediately when the connection is closed.
  func post(_ body: ByteBuffer, completion: @escaping (Outcome) -> Void) {
    send(body, to: path) { completion(Self.outcome($0)) }
  }

  /// Posts to another path of the listener. `completion` receives the body, empty for any status but 200, or `nil`
  /// without a response.
  func ask(_ call: String, _ body: ByteBuffer, completion: @escaping (ByteBuffer?) -> Void) {
    send(body, to: call) { answer in
      completion(answer.map { $0.status == 200 ? $0.body : ByteBuffer() })
    }
  }

  private func send(_ body: ByteBuffer, to path: String, completion: @escaping (Answer?) -> Void) {
    guard let context else { return completion(nil) }
    let stream = HTTP2StreamID(nextStream)
    nextStream += 2
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    let timeout = context.eventLoop.scheduleTask(in: Self.answerTimeout) { bound.value.close() }
    exchanges[stream] = Exchange(timeout: timeout, completion: completion)
    let headers: HPACKHeaders = [
      ":method": "POST", ":scheme": "https", ":authority": authority, ":path": path,
      "content-type": "application/json", "content-length": String(body.readableBytes),
    ]
    write(.headers(.init(headers: headers)), on: stream, context)
    write(.data(.init(data: .byteBuffer(body), endStream: true)), on: stream, context)
    context.flush()
  }

  func close() {
    context?.close(promise: nil)
  }

  private func write(
    _ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID, _ context: ChannelHandlerContext
  ) {
    context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
  }

  // MARK: Channel

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    ready.succeed()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if !(error is any NIOHTTP2Error) { context.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.payload {
    case .headers(let headers): receive(headers, on: frame.streamID)
    case .data(let data): receive(data, on: frame.streamID, context)
    case .goAway: isGoingAway = true
    default: break
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let closed = event as? StreamClosedEvent, exchanges[closed.streamID] != nil, closed.reason != nil {
      finish(closed.streamID)
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func end() {
    guard context != nil else { return }
    context = nil
    for stream in exchanges.keys.sorted() { finish(stream) }
  }

  // MARK: Answers

  private func receive(_ frame: HTTP2Frame.FramePayload.Headers, on stream: HTTP2StreamID) {
    guard exchanges[stream] != nil else { return }
    if let status = frame.headers.first(name: ":status").flatMap({ Int($0) }), status >= 200 {
      exchanges[stream]?.answer.status = status
      exchanges[stream]?.answer.retryAfter = frame.headers.first(name: "retry-after").flatMap { Int64($0) }
    }
    if frame.endStream { complete(stream) }
  }

  private func receive(
    _ frame: HTTP2Frame.FramePayload.Data, on stream: HTTP2StreamID, _ context: ChannelHandlerContext
  ) {
    guard case .byteBuffer(var bytes) = frame.data else { return }
    let count = bytes.readableBytes + (frame.paddingBytes.map { $0 + 1 } ?? 0)
    if count > 0 {
      write(.windowUpdate(windowSizeIncrement: count), on: .rootStream, context)
      context.flush()
    }
    guard let exchange = exchanges[stream] else { return }
    guard exchange.answer.body.readableBytes + count <= Self.maximumAnswerBytes else { return close() }
    exchanges[stream]?.answer.body.writeBuffer(&bytes)
    if frame.endStream { complete(stream) }
  }

  private func complete(_ stream: HTTP2StreamID) {
    finish(stream, exchanges[stream]?.answer)
  }

  private static func outcome(_ answer: Answer?) -> Outcome {
    guard let answer else { return .later(nil) }
    switch answer.status {
    case 202:
      let data = answer.body.withUnsafeReadableBytes { Data($0) }
      let counts = try? JSONDecoder().decode(Counts.self, from: data)
      return counts.map { .stored($0) } ?? .rejected
    case 429, 500...599:
      return .later(answer.retryAfter.map { .seconds(min(max($0, 1), 60)) })
    default:
      return .rejected
    }
  }

  private func finish(_ stream: HTTP2StreamID, _ answer: Answer? = nil) {
    guard let exchange = exchanges.removeValue(forKey: stream) else { return }
    exchange.timeout.cancel()
    exchange.completion(answer)
  }
}
