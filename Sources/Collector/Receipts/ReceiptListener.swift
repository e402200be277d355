import HTTPServer
import Measurement
import NIOCore
import NIOPosix
import Providers
import Synchronization

/// Takes devices' receipts over HTTP/2 or HTTP/1.1 with TLS, on an event loop of its own: checks, authenticates and stamps
/// them, passes them to the sink, and answers when the sink has stored them.
final class ReceiptListener: Sendable {
  /// The port, also when 0 was requested.
  let port: Int
  private let group: MultiThreadedEventLoopGroup
  private let loop: EventLoopHandle
  private let server: HTTPServer
  private let service: NIOLoopBound<ReceiptService>

  private init(
    group: MultiThreadedEventLoopGroup, loop: EventLoopHandle, server: HTTPServer,
    service: NIOLoopBound<ReceiptService>
  ) {
    self.service = service
    port = server.port
    self.group = group
    self.loop = loop
    self.server = server
  }

  /// Listens from when this returns.
  /// - Parameter clock: stamps ``ArrivedReceipt/arrivedAt``, when a request is complete.
  /// - Throws: ``HTTPServerError`` when the address or the certificate cannot be used.
  static func start(
    _ options: ReceiptListenerOptions, authenticator: ReceiptAuthenticator, clock: any HostClock,
    sink: any ReceiptSink
  ) async throws -> ReceiptListener {
    let identity = try ServerIdentity(certificateFile: options.certificateFile, keyFile: options.keyFile)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let eventLoop = group.next()
    let loop = EventLoopHandle(eventLoop)
    do {
      let service = try await eventLoop.submit {
        NIOLoopBound(
          ReceiptService(
            authenticator: authenticator, sink: sink, options: options, clock: clock,
            eventLoop: eventLoop, loop: loop),
          eventLoop: eventLoop)
      }.get()
      var configuration = HTTPServerConfiguration(
        host: options.host, port: options.port, identity: identity, limits: options.limits)
      configuration.onShortage = options.onShortage
      let server = try await HTTPServer.start(
        configuration, on: eventLoop, clock: clock, responder: ReceiptResponder(service: service, sink: sink))
      return ReceiptListener(group: group, loop: loop, server: server, service: service)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }

  /// New connections get another certificate.
  /// - Throws: ``HTTPServerError``; the former one stays.
  func replaceIdentity(_ identity: ServerIdentity) throws { try server.replaceIdentity(identity) }

  /// Takes receipts with the MAC of another secret, besides those with the former one.
  func add(_ authenticator: ReceiptAuthenticator) {
    let service = service
    loop.execute { service.value.add(authenticator) }
  }

  /// Stops listening, waits at most `grace` for the sink to answer its batches, and ends the event loop. Later answers of the
  /// sink are dropped.
  func shutdown(within grace: Duration = .seconds(2)) async {
    await server.shutdown(within: grace)
    loop.close()
    try? await group.shutdownGracefully()
  }
}

/// Listener address and limits.
struct ReceiptListenerOptions: Sendable {
  var host: String
  /// 0 for any free port.
  var port: Int
  /// PEM; the listener's own certificate first.
  var certificateFile: String
  /// PEM.
  var keyFile: String
  var limits: HTTPServerLimits
  var sourceLimit: SourceLimit
  /// The number of batches that may wait for the sink; others are answered 503.
  var maximumPending: Int
  /// `/v1/clock` shows only times after this one, even when the wall clock was set back, so that no stamp of an earlier
  /// listener is taken for one of this listener's.
  var showsTimesAfter: WallTime?
  /// Told when no descriptor is left for further connections, with the limit of them.
  var onShortage: (@Sendable (_ limit: UInt64) -> Void)?

  init(host: String, port: Int, certificateFile: String, keyFile: String) {
    self.host = host
    self.port = port
    self.certificateFile = certificateFile
    self.keyFile = keyFile
    limits = HTTPServerLimits()
    limits.bodyBytes = 64 * 1024
    sourceLimit = SourceLimit()
    maximumPending = 1000
  }
}

/// Passes the server's requests, which come on its event loop, to the service on that loop.
struct ReceiptResponder: HTTPResponder {
  let service: NIOLoopBound<ReceiptService>
  let sink: any ReceiptSink

  func handshakeFailed(_ failure: HandshakeFailure, from source: String) {
    sink.handshakeFailed(failure, from: source)
  }

  func respond(to exchange: HTTPExchange) { service.value.respond(to: exchange) }

  func answer(to violation: HTTPViolation) -> HTTPResponse { service.value.answer(to: violation) }
}

/// Lets other threads run tasks on an event loop until it is closed, which is before the loop ends.
final class EventLoopHandle: Sendable {
  private let eventLoop: any EventLoop
  private let isOpen = Mutex(true)

  init(_ eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
  }

  /// Runs `task` on the loop, or drops it after ``close()``.
  func execute(_ task: @escaping @Sendable () -> Void) {
    isOpen.withLock { if $0 { eventLoop.execute(task) } }
  }

  func close() {
    isOpen.withLock { $0 = false }
  }
}
