import Measurement
import NIOCore
import NIOWebSocket

/// What takes a WebSocket's messages. Called on the server's event loop, in order of events; must not block.
public protocol WebSocketResponder: AnyObject {
  /// The connection has been upgraded.
  func opened(_ socket: WebSocket)
  func received(_ text: String, on socket: WebSocket)
  /// The peer has answered a Ping.
  func receivedPong(on socket: WebSocket)
  /// Nothing more is received or sent.
  func closed(_ socket: WebSocket)
}

/// A WebSocket (RFC 6455) of one of a server's connections: whole text messages in both directions. Used on the server's event loop.
///
/// Pings are answered. Binary messages end it with 1003, what a client may not send with 1002, text that is no UTF-8 with 1007, and more
/// than ``HTTPServerLimits/bodyBytes`` or ``maximumFragments`` in a message with 1009.
public final class WebSocket {
  /// Frames of a message.
  static let maximumFragments = 1024
  /// What a frame that waits takes beside its content.
  private static let frameBytes = 512

  private let limits: HTTPServerLimits
  private let responder: any WebSocketResponder
  private var context: ChannelHandlerContext?
  /// Bytes that the socket has not taken yet.
  private var unwritten = 0
  private var unwrittenSince = NIODeadline.now()
  private var isClosing = false

  init(limits: HTTPServerLimits, responder: any WebSocketResponder) {
    self.limits = limits
    self.responder = responder
  }

  /// Sends a text message. A peer that leaves more than ``HTTPServerLimits/streamedBytes`` unread, answers to its Pings
  /// included, is disconnected.
  public func send(_ text: String) {
    put(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)))
  }

  /// Writes a frame that waits for the peer to read.
  private func put(_ frame: WebSocketFrame) {
    guard !isClosing, let context else { return }
    let count = frame.data.readableBytes + Self.frameBytes
    guard unwritten + count <= limits.streamedBytes else { return disconnect() }
    if unwritten == 0 { unwrittenSince = .now() }
    unwritten += count
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.whenComplete { _ in bound.value.wrote(count) }
    write(frame, promise: written)
  }

  /// Sends a Ping without a body.
  public func ping() {
    guard !isClosing else { return }
    write(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()))
  }

  /// Sends a Close frame and closes the connection.
  /// - Parameters:
  ///   - code: one that ``WebSocketCloseCode/maySend(_:)``.
  ///   - reason: at most 123 bytes.
  public func close(_ code: Int, reason: String) {
    guard !isClosing, let context else { return }
    isClosing = true
    var bytes = ByteBuffer()
    bytes.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: code))
    bytes.writeString(reason)
    write(WebSocketFrame(fin: true, opcode: .connectionClose, data: bytes))
    context.close(promise: nil)
  }

  /// Closes the TCP connection at once, without a Close frame.
  public func disconnect() {
    isClosing = true
    context?.channel.closeAbruptly()
  }

  /// Whether the peer has read nothing for ``HTTPServerLimits/writeTimeout``.
  func isStalled(at now: NIODeadline) -> Bool {
    unwritten > 0 && now - unwrittenSince > TimeAmount(limits.writeTimeout)
  }

  private func wrote(_ count: Int) {
    unwritten -= count
    unwrittenSince = .now()
  }

  private func write(_ frame: WebSocketFrame, promise: EventLoopPromise<Void>? = nil) {
    context?.writeAndFlush(wrapOutboundOut(frame), promise: promise)
  }
}

extension WebSocket: ChannelInboundHandler {
  public typealias InboundIn = WebSocketFrame
  public typealias OutboundOut = WebSocketFrame

  public func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    responder.opened(self)
  }

  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else { return }
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text:
      guard let text = String(validating: frame.unmaskedData.readableBytesView, as: UTF8.self) else {
        return close(1007, reason: "")
      }
      responder.received(text, on: self)
    case .ping: put(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
    case .pong: responder.receivedPong(on: self)
    case .connectionClose:
      end(with: WebSocketEnd(answering: frame.unmaskedData))
    default: close(1003, reason: "UnsupportedMessage")
    }
  }

  public func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let end = WebSocketEnd(error) else { return context.close(promise: nil) }
    self.end(with: end)
  }

  private func end(with end: WebSocketEnd) { close(end.code, reason: end.reason) }

  public func handlerRemoved(context: ChannelHandlerContext) { end() }

  public func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  private func end() {
    guard context != nil else { return }
    context = nil
    isClosing = true
    responder.closed(self)
  }
}
