import Configuration
import HTTPServer
import Measurement
import NIOCore
import NIOPosix

/// The built-in push service: APNs, FCM, Web Push and ntfy on one TLS port, with the behavior of a scenario, and
/// simulated devices. Runs on a thread of its own.
public final class LoopbackServer: Sendable {
  /// The actual port when 0 was configured.
  public let port: Int
  /// Files of the certificate authority, for clients.
  public let credentials: LocalCredentials
  /// Credentials of clients.
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

  /// Starts the service.
  ///
  /// - Throws: ``HTTPServerError`` or ``LoopbackError``.
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
      var configuration = HTTPServerConfiguration(
        host: options.host, port: options.port, identity: identity, limits: limits,
        clientAuthorityFile: files.authorityFile)
      configuration.onShortage = options.onShortage
      if options.scenario.delaysConnections {
        configuration.prepareTransport = { channel, id in
          try channel.pipeline.syncOperations.addHandler(DelayedPath(connection: id, service: service.value))
        }
      }
      let server = try await HTTPServer.start(
        configuration, on: eventLoop, clock: clock, responder: PushResponder(service: service))
      try await eventLoop.submit { service.value.listen(on: server.port) }.get()
      try credentials.writeClientFiles(
        host: options.host, port: server.port, receipts: options.receipts)
      return LoopbackServer(credentials: credentials, group: group, server: server, service: service)
    } catch {
      // Nothing on the loop keeps it from ending.
      try? await group.shutdownGracefully()
      throw error
    }
  }

  private static func makeService(
    _ options: LoopbackOptions, _ credentials: LoopbackCredentials, clock: any HostClock,
    eventLoop: any EventLoop
  ) throws -> PushService {
    let script = try ScriptRecorder(capacity: options.scriptCapacity, path: options.scriptFile)
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
    poster.onReception = { receipt, instant in
      guard script.isRecording else { return }
      script.record(
        .reception(
          ScriptedReception(id: receipt.id, receivedAt: instant, deviceTime: receipt.receivedAt)))
    }
    return poster
  }

  /// Limits are wide, since tests generate arbitrary load. libcurl 7.88 resets each stream whose response has no body,
  /// as APNs' 200.
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

  /// What the service has counted since it began.
  public func statistics() async -> LoopbackStatistics {
    let service = service
    // Fails only after the loop has ended.
    return (try? await service.eventLoop.submit { service.value.statistics }.get()) ?? LoopbackStatistics()
  }

  /// The recorded script, up to ``LoopbackOptions/scriptCapacity`` entries.
  public func script() async -> [ScriptEntry] {
    let service = service
    return (try? await service.eventLoop.submit { service.value.recordedEntries }.get()) ?? []
  }

  /// Waits until all responses, deliveries and receipts are complete, for at most `timeout`.
  public func settle(within timeout: Duration) async {
    await settle(mindingDeliveries: true, within: timeout)
  }

  private func settle(mindingDeliveries: Bool, within timeout: Duration) async {
    let service = service
    let settled = service.eventLoop.flatSubmit { service.value.settle(mindingDeliveries: mindingDeliveries) }
    let timeout = service.eventLoop.scheduleTask(in: TimeAmount(timeout)) {}
    try? await service.eventLoop.flatSubmit {
      EventLoopFuture<Void>.race(settled, timeout.futureResult, on: service.eventLoop)
    }.get()
    timeout.cancel()
  }

  /// Stops listening, waits at most `grace` for open requests and then for outstanding receipts, and ends the thread.
  /// Later deliveries are discarded.
  public func shutdown(within grace: Duration = .seconds(2)) async {
    await server.shutdown(within: grace)
    await settle(mindingDeliveries: false, within: grace)
    let service = service
    try? await service.eventLoop.submit { service.value.close() }.get()
    try? await group.shutdownGracefully()
  }
}

extension EventLoopFuture where Value == Void {
  /// Succeeds when the first of two futures completes.
  fileprivate static func race(
    _ a: EventLoopFuture<Void>, _ b: EventLoopFuture<Void>, on eventLoop: any EventLoop
  ) -> EventLoopFuture<Void> {
    let promise = eventLoop.makePromise(of: Void.self)
    a.whenComplete { _ in promise.succeed() }
    b.whenComplete { _ in promise.succeed() }
    return promise.futureResult
  }
}

/// Counts of the service since its start.
public struct LoopbackStatistics: Sendable, Equatable {
  public var connections = 0
  public var requests = 0
  /// Responses 200, or 201 for Web Push.
  public var accepted = 0
  /// Error responses by reason: violations and the scenario's errors.
  public var refused: [String: Int] = [:]
  /// Faults by kind.
  public var faults: [String: Int] = [:]
  /// Deliveries, duplicates included.
  public var deliveries = 0
  public var lost = 0
  public var duplicated = 0
  /// Issued access tokens and refused assertions.
  public var tokens = 0
  public var refusedAssertions = 0
  /// Open ntfy subscriptions.
  public var subscribers = 0
  public var receipts = ReceiptStatistics()

  public init() {}
}

/// Counts of the device's receipts.
public struct ReceiptStatistics: Sendable, Equatable {
  /// Notifications without a valid `pushscope` member.
  public var unreportable = 0
  /// Queued for posting.
  public var queued = 0
  /// The number of receipts in batches answered 202, with the collector's counts.
  public var posted = 0
  public var accepted = 0
  public var duplicate = 0
  public var unknown = 0
  public var refused = 0
  /// The number of receipts in batches answered 4xx.
  public var rejected = 0
  /// Dropped from a full queue.
  public var dropped = 0
  /// Repeated posts: no connection, no response, 429 or 5xx.
  public var retries = 0

  public init() {}
}
