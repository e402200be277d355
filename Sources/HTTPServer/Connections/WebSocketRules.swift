import FoundationEssentials
import Measurement
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOWebSocket

/// The opening handshake (RFC 6455, section 4.2).
enum WebSocketHandshake {
  private static let version = "13"
  private static let keyBytes = 16

  /// Whether a request asks for a WebSocket. HTTP/1.0 has no `Upgrade`, and one that `Connection` does not name is not meant
  /// for this server (RFC 9110, section 7.8).
  static func isAsked(_ head: HTTPRequestHead) -> Bool {
    func has(_ token: String, in name: String) -> Bool {
      head.headers[canonicalForm: name].contains { $0.lowercased() == token }
    }
    return head.method == .GET && head.version == .http1_1 && has("upgrade", in: "connection")
      && has("websocket", in: "upgrade")
  }

  /// The answer to a request whose WebSocket cannot be opened: 426 for another version, 400 for a key that is none.
  static func refusal(of headers: HPACKHeaders) -> HTTPResponse? {
    var answer = HTTPResponse(status: 400, headers: ["sec-websocket-version": version])
    guard headers["sec-websocket-version"] == [version] else {
      answer.status = 426
      answer.headers.add(name: "upgrade", value: "websocket")
      answer.headers.add(name: "connection", value: "upgrade")
      return answer
    }
    let keys = headers["sec-websocket-key"]
    guard keys.count == 1, Data(base64Encoded: keys[0])?.count == keyBytes else { return answer }
    return nil
  }
}

/// Why a WebSocket ends, as its Close frame says it.
struct WebSocketEnd: Error, Equatable {
  var code: Int
  var reason = ""

  static func violation(_ reason: String) -> WebSocketEnd { WebSocketEnd(code: 1002, reason: reason) }

  init(code: Int, reason: String = "") {
    self.code = code
    self.reason = reason
  }

  /// The answer to a peer's Close frame: its code, or what is wrong with it.
  init(answering body: ByteBuffer) {
    var body = body
    guard body.readableBytes > 0 else {
      self.init(code: 1000)
      return
    }
    guard let code = body.readInteger(as: UInt16.self) else {
      self = .violation("A Close frame of one byte")
      return
    }
    guard WebSocketCloseCode.maySend(Int(code)) else {
      self = .violation("No code of a Close frame")
      return
    }
    let isText = String(validating: body.readableBytesView, as: UTF8.self) != nil
    self.init(code: isText ? Int(code) : 1007)
  }

  /// What ends a connection after an error of NIO's decoder or aggregator; `nil` for any other error, of which a peer that
  /// is gone cannot be told.
  init?(_ error: any Error) {
    switch error {
    case let end as WebSocketEnd: self = end
    case NIOWebSocketError.invalidFrameLength: self.init(code: 1009)
    case is NIOWebSocketError: self = .violation("An invalid control frame")
    case NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
      NIOWebSocketFrameAggregator.Error.tooManyFragments:
      self.init(code: 1009)
    case is NIOWebSocketFrameAggregator.Error: self = .violation("Fragments out of order")
    default: return nil
    }
  }
}

/// Refuses frames that a client may not send where no extension was agreed on, which NIO's decoder takes.
final class WebSocketFrameCheck: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = WebSocketFrame

  private var isRefused = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    guard let violation = Self.violation(of: unwrapInboundIn(data)) else {
      return context.fireChannelRead(data)
    }
    isRefused = true
    context.fireErrorCaught(violation)
  }

  private static func violation(of frame: WebSocketFrame) -> WebSocketEnd? {
    guard frame.maskKey != nil else { return .violation("A frame without a mask") }
    guard frame.reservedBits.isEmpty else { return .violation("A reserved bit is set") }
    return switch frame.opcode {
    case .continuation, .text, .binary, .connectionClose, .ping, .pong: nil
    default: .violation("A reserved opcode")
    }
  }
}
