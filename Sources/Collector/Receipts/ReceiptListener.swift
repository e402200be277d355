import HTTPServer
import Measurement
import NIOCore
import NIOPosix
import Providers

/// Hears devices' receipts over HTTP/2 or 1.1 with TLS, on one thread of its own: checks, proves, stamps and hands
/// them to the sink, and answers when the sink has stored them.
public final class ReceiptListener: Sendable {
  /// The real port when 0 was asked for.
  public let port: Int
  private let group: MultiThreadedEventLoopGroup
  private let gate: EventLoopHandle
  private let server: HTTPServer

  private init(group: MultiThreadedEventLoopGroup, gate: EventLoopHandle, server: HTTPServer) {
    port = server.port
    self.group = group
    self.gate = gate
    self.server = server
  }

  /// Listens from the moment this returns.
  ///
  /// - Parameter clock: what stamps ``ArrivedReceipt/arrivedAt``, when the request is complete.
  /// - Throws: ``HTTPServerError`` when the address or the certificate cannot be used.
  public static func start(
    _ options: ReceiptListenerOptions, authenticator: ReceiptAuthenticator, clock: any HostClock,
    sink: any ReceiptSink
  ) async throws -> ReceiptListener {
    let identity = try ServerIdentity(certificateFile: options.certificateFile, keyFile: options.keyFile)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let eventLoop = group.next()
    let gate = EventLoopHandle(eventLoop)
    do {
      let service = try await eventLoop.submit {
        NIOLoopBound(
          ReceiptService(
            authenticator: authenticator, sink: sink, options: options, clock: clock,
            eventLoop: eventLoop, gate: gate),
          eventLoop: eventLoop)
      }.get()
      let configuration = HTTPServerConfiguration(
        host: options.host, port: options.port, identity: identity, limits: options.limits)
      let server = try await HTTPServer.start(
        configuration, on: eventLoop, clock: clock, responder: ReceiptResponder(service: service))
      return ReceiptListener(group: group, gate: gate, server: server)
    } catch {
      // Nothing runs on the loop any more that could keep it from ending.
      try? await group.shutdownGracefully()
      throw error
    }
  }

  /// Stops listening, lets batches that are with the sink be answered for at most `grace`, and ends its thread.
  /// Replies that the sink gives later go nowhere.
  public func shutdown(within grace: Duration = .seconds(2)) async {
    await server.shutdown(within: grace)
    gate.close()
    try? await group.shutdownGracefully()
  }
}
