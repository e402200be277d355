import Configuration
import HTTPServer
import Measurement
import NIOCore
import NIOPosix

/// The built-in push service: speaks the dialects of APNs, FCM, Web Push and ntfy on one port over TLS, behaves as its
/// scenario says, and plays the devices. Everything happens on one thread of its own.
public final class LoopbackServer: Sendable {
  /// The real port when 0 was asked for.
  public let port: Int
  /// What clients are pointed at.
  public let credentials: LocalCredentials
  /// What clients prove themselves with.
  public let clients: LoopbackCredentials
  private let group: MultiThreadedEventLoopGroup
  private let server: HTTPServer
  private let service: NIOLoopBound<PushService>

  private init(
    credentials: LoopbackCredentials, group: MultiThreadedEventLoopGroup, server: HTTPServer,
    service: NIOLoopBound<PushService>
  ) {
    port = server.port
    self.credentials = credentials.local
    clients = credentials
    self.group = group
    self.server = server
    self.service = service
  }

  /// Serves from the moment this returns.
  ///
  /// - Throws: ``HTTPServerError`` or ``LoopbackError``, both with what to do.
  public static func start(
    _ options: LoopbackOptions, clock: any HostClock = SystemClock()
  ) async throws -> LoopbackServer {
    let credentials = try LoopbackCredentials.open(in: options.credentialsDirectory, now: clock.wallNow())
    let files = credentials.local
    let identity = try ServerIdentity(certificateFile: files.certificateFile, keyFile: files.keyFile)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let eventLoop = group.next()
    do {
      let service = try await eventLoop.submit {
        NIOLoopBound(
          try makeService(options, credentials, clock: clock, eventLoop: eventLoop), eventLoop: eventLoop)
      }.get()
      let configuration = HTTPServerConfiguration(
        host: options.host, port: options.port, identity: identity, limits: limits,
        clientAuthorityFile: files.authorityFile)
      let server = try await HTTPServer.start(
        configuration, on: eventLoop, clock: clock, responder: PushResponder(service: service))
      try await eventLoop.submit { service.value.listen(on: server.port) }.get()
      try credentials.writeClientFiles(port: server.port, receipts: options.receipts)
      return LoopbackServer(credentials: credentials, group: group, server: server, service: service)
    } catch {
      // Nothing runs on the loop any more that could keep it from ending.
      try? await group.shutdownGracefully()
      throw error
    }
  }

  private static func makeService(
    _ options: LoopbackOptions, _ credentials: LoopbackCredentials, clock: any HostClock,
    eventLoop: any EventLoop
  ) throws -> PushService {
    let script = try ScriptRecorder(room: options.scriptRoom, path: options.scriptFile)
    return PushService(
      scenario: options.scenario,
      services: DialectServices(
        credentials, scenario: options.scenario, clock: clock, eventLoop: eventLoop),
      clock: clock, eventLoop: eventLoop, script: script,
      poster: poster(options, clock: clock, eventLoop: eventLoop, script: script))
  }

  private static func poster(
    _ options: LoopbackOptions, clock: any HostClock, eventLoop: any EventLoop, script: ScriptRecorder
  ) -> ReceiptPoster? {
    guard let destination = options.receipts else { return nil }
    let link = options.remote.map {
      RemoteLink($0, name: options.device, clock: clock, eventLoop: eventLoop, seed: options.scenario.seed)
    }
    let poster = ReceiptPoster(
      destination: destination, device: options.device, bootID: BootID.current(), seed: options.scenario.seed,
      eventLoop: eventLoop, link: link)
    poster.limit = options.receiptLimit
    poster.whenReceived = { receipt, instant in
      guard script.isRecording else { return }
      script.record(
        .reception(
          ScriptedReception(id: receipt.id, receivedAt: instant, deviceTime: receipt.receivedAt)))
    }
    return poster
  }

  /// The service must take whatever load a test makes, so its limits are wide where libcurl needs it: 7.88 resets
  /// each stream whose answer has no body, and APNs' 200 has none.
  private static var limits: HTTPServerLimits {
    var limits = HTTPServerLimits()
    limits.concurrentStreams = 1
    limits.requestTimeout = .seconds(30)
    limits.writeTimeout = .seconds(300)
    limits.idleTimeout = .seconds(3600)
    limits.unauthenticatedIdleTimeout = .seconds(3600)
    limits.unauthenticatedPerSource = limits.connections
    limits.bufferedBytes = 256 * 1024 * 1024
    limits.resetsPerTenth = 20_000
    limits.streamErrors = .max
    limits.controlFramesPerSecond = 1000
    return limits
  }

  public func statistics() async -> LoopbackStatistics {
    let service = service
    // Fails only when the loop has ended, and then there is nothing to tell.
    return (try? await service.eventLoop.submit { service.value.statistics }.get()) ?? LoopbackStatistics()
  }

  /// What was done so far, as far as ``LoopbackOptions/scriptRoom`` reaches.
  public func script() async -> [ScriptEntry] {
    let service = service
    return (try? await service.eventLoop.submit { service.value.recordedEntries }.get()) ?? []
  }

  /// Returns when all answers are given, all deliveries made and all receipts answered for by the collector, or when
  /// `patience` is over.
  public func settle(within patience: Duration) async {
    await settle(mindingDeliveries: true, within: patience)
  }

  private func settle(mindingDeliveries: Bool, within patience: Duration) async {
    let service = service
    let settled = service.eventLoop.flatSubmit { service.value.settle(mindingDeliveries: mindingDeliveries) }
    let timeout = service.eventLoop.scheduleTask(in: TimeAmount(patience)) {}
    try? await service.eventLoop.flatSubmit {
      EventLoopFuture<Void>.race(settled, timeout.futureResult, on: service.eventLoop)
    }.get()
    timeout.cancel()
  }

  /// Stops listening, gives open requests `grace` to be answered and then as long again to the receipts of what has
  /// reached the device, and ends its thread. Deliveries that are not due by then do not happen.
  public func shutdown(within grace: Duration = .seconds(2)) async {
    await server.shutdown(within: grace)
    await settle(mindingDeliveries: false, within: grace)
    let service = service
    try? await service.eventLoop.submit { service.value.close() }.get()
    try? await group.shutdownGracefully()
  }
}

extension EventLoopFuture where Value == Void {
  /// Succeeds with the first of two, whatever its outcome.
  fileprivate static func race(
    _ a: EventLoopFuture<Void>, _ b: EventLoopFuture<Void>, on eventLoop: any EventLoop
  ) -> EventLoopFuture<Void> {
    let promise = eventLoop.makePromise(of: Void.self)
    a.whenComplete { _ in promise.succeed() }
    b.whenComplete { _ in promise.succeed() }
    return promise.futureResult
  }
}
