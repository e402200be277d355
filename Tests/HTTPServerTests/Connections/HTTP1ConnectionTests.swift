import Measurement
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPServer

@Suite("One HTTP/1.1 connection") struct HTTP1ConnectionTests {
  private struct Refusing: HTTPResponder {
    func respond(to exchange: HTTPExchange) { exchange.answer(HTTPResponse(status: 200, json: "{}")) }
    func answer(to violation: HTTPViolation) -> HTTPResponse { HTTPResponse(status: violation.status) }
  }

  /// Keeps the connection open, as TLS does while it waits for the peer's close_notify.
  private final class UnansweredClose: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {}
  }

  /// NIO answers what is not valid HTTP. A second answer, as to a request that takes too long, would be one too many for it.
  @Test func aRequestThatTurnsInvalidIsAnsweredOnce() throws {
    let loop = EmbeddedEventLoop()
    let channel = EmbeddedChannel(loop: loop)
    let table = ConnectionTable(
      limits: HTTPServerLimits(), clock: SystemClock(), responder: Refusing(),
      reserve: DescriptorReserve(0) { _ in }, eventLoop: loop)
    let id = try #require(table.admit(channel, descriptor: -1))
    try channel.pipeline.syncOperations.addHandler(UnansweredClose())
    try HTTPServer.addHTTP1(to: channel, id: id, table: table)
    try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    let request = "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n"
    _ = try? channel.writeInbound(ByteBuffer(string: request))
    let handler = try channel.pipeline.syncOperations.handler(type: HTTP1ConnectionHandler.self)
    handler.sweep(now: .now() + .hours(1))
    var answers = ""
    while let part = try channel.readOutbound(as: ByteBuffer.self) { answers += String(buffer: part) }
    #expect(answers.hasPrefix("HTTP/1.1 400"), "\(answers)")
    #expect(answers.split(separator: "HTTP/1.1").count == 1, "\(answers)")
  }
}
