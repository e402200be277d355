import Configuration
import HTTPServer
import Measurement
import NIOCore
import NIOPosix
import Providers
import Synchronization

/// Receives devices' receipts over HTTP/2 or HTTP/1.1 with TLS, on an event loop of its own: checks, authenticates and stamps
/// them, passes them to the run that is recorded, and answers when they are stored. Where devices may join it serves their page, also
/// over plain HTTP for browsers on this host.
final class ReceiptListener: Sendable {
  /// The port of the one with TLS, also when 0 was requested; `nil` without it.
  let port: Int?
  /// The port of the one for this host; `nil` without it.
  let plainPort: Int?
  private let group: MultiThreadedEventLoopGroup
  private let loop: EventLoopHandle
  private let secure: HTTPServer?
  private let plain: HTTPServer?
  private let service: NIOLoopBound<ReceiptService>
  private let sink: ReceiptSinkSwitch

  private init(
    group: MultiThreadedEventLoopGroup, loop: EventLoopHandle, secure: HTTPServer?, plain: HTTPServer?,
    service: NIOLoopBound<ReceiptService>, sink: ReceiptSinkSwitch
  ) {
    self.service = service
    self.sink = sink
    port = secure?.port
    plainPort = plain?.port
    self.group = group
    self.loop = loop
    self.secure = secure
    self.plain = plain
  }

  /// Listens from when this returns. No receipt is taken before ``pass(to:)``.
  /// - Parameters:
  ///   - clock: stamps ``ArrivedReceipt/arrivedAt``, when a request is complete.
  ///   - devices: those that joined, and who may; `nil` where none can.
  /// - Throws: ``HTTPServerError`` when the address or the certificate cannot be used.
  static func start(
    _ options: ReceiptListenerOptions, authenticator: ReceiptAuthenticator, clock: any HostClock,
    devices: DeviceRegistry? = nil
  ) async throws -> ReceiptListener {
    let identity = try options.secure.map {
      try ServerIdentity(certificateFile: $0.certificateFile, keyFile: $0.keyFile)
    }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let eventLoop = group.next()
    let loop = EventLoopHandle(eventLoop)
    let sink = ReceiptSinkSwitch()
    var secure: HTTPServer?
    do {
      let service = try await eventLoop.submit {
        NIOLoopBound(
          ReceiptService(
            authenticator: authenticator, sink: sink, devices: devices.map { DeviceService($0, loop: loop) },
            options: options, clock: clock, eventLoop: eventLoop, loop: loop),
          eventLoop: eventLoop)
      }.get()
      func listen(_ address: ListenAddress, _ identity: ServerIdentity?) async throws -> HTTPServer {
        var configuration = HTTPServerConfiguration(
          host: address.host, port: address.port, identity: identity, limits: options.limits)
        configuration.onShortage = options.onShortage
        return try await HTTPServer.start(
          configuration, on: eventLoop, clock: clock,
          responder: ReceiptResponder(service: service, sink: sink, isPlain: identity == nil))
      }
      if let options = options.secure { secure = try await listen(options.address, identity) }
      let plain: HTTPServer? =
        if let address = options.plain { try await listen(address, nil) } else { nil }
      return ReceiptListener(
        group: group, loop: loop, secure: secure, plain: plain, service: service, sink: sink)
    } catch {
      await secure?.shutdown(within: .zero)
      try? await group.shutdownGracefully()
      throw error
    }
  }

  /// Passes receipts to a run's sink from now on, or to none.
  func pass(to sink: (any ReceiptSink)?) { self.sink.set(sink) }

  /// New connections get another certificate.
  /// - Throws: ``HTTPServerError``; the former one stays.
  func replaceIdentity(_ identity: ServerIdentity) throws { try secure?.replaceIdentity(identity) }

  /// Accepts receipts with the MAC of another secret, besides those with the former one.
  func add(_ authenticator: ReceiptAuthenticator) {
    let service = service
    loop.execute { service.value.add(authenticator) }
  }

  /// Stops listening, waits at most `grace` for the sink to answer its batches, and ends the event loop. Later answers of the
  /// sink are dropped.
  func shutdown(within grace: Duration = .seconds(2)) async {
    await secure?.shutdown(within: grace)
    await plain?.shutdown(within: grace)
    loop.close()
    try? await group.shutdownGracefully()
  }
}

/// Listener addresses and limits.
struct ReceiptListenerOptions: Sendable {
  /// A listener with TLS.
  struct Secure: Sendable {
    /// Port 0 for any free one.
    var address: ListenAddress
    /// PEM; the listener's own certificate first.
    var certificateFile: String
    /// PEM.
    var keyFile: String
  }

  var secure: Secure?
  /// A loopback address for plain HTTP; `nil` for none.
  var plain: ListenAddress?
  var limits: HTTPServerLimits
  var sourceLimit: SourceLimit
  /// The number of batches that may wait for the sink; others are answered 503.
  var maximumPending: Int
  /// `/v1/clock` shows only times after this one, even when the wall clock was set back, so that no stamp of an earlier
  /// listener is taken for one of this listener's.
  var showsTimesAfter: WallTime?
  /// Told when no descriptor is left for further connections, with the limit of them.
  var onShortage: (@Sendable (_ limit: UInt64) -> Void)?

  init(_ secure: Secure?, plain: ListenAddress? = nil) {
    self.secure = secure
    self.plain = plain
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
  /// Whether it is the one without TLS.
  let isPlain: Bool

  func handshakeFailed(_ failure: HandshakeFailure, from source: String) {
    sink.handshakeFailed(failure, from: source)
  }

  func respond(to exchange: HTTPExchange) { service.value.respond(to: exchange, isPlain: isPlain) }

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
