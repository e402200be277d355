import Configuration
import HTTPServer
import Measurement
import NIOCore
import NIOPosix

/// The listener of the web endpoint, on an event loop of its own.
final class WebEndpoint: Sendable {
  /// The port, also when 0 was configured.
  let port: Int
  private let group: MultiThreadedEventLoopGroup
  private let server: HTTPServer
  private let access: WebAccess

  private init(group: MultiThreadedEventLoopGroup, server: HTTPServer, access: WebAccess) {
    port = server.port
    self.group = group
    self.server = server
    self.access = access
  }

  /// Listens from when this returns.
  /// - Parameter onShortage: told when no descriptor is left for further connections, with the limit of them.
  /// - Throws: ``HTTPServerError`` when the address or the certificate cannot be used, `FileReadError` for the password.
  static func start(
    _ configuration: ServiceConfiguration, clock: any HostClock, content: WebContent,
    onShortage: (@Sendable (_ limit: UInt64) -> Void)? = nil
  ) async throws -> WebEndpoint {
    let identity = try Self.identity(of: configuration)
    let access = WebAccess(try WebAccess.Rules(configuration))
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      // localhost is a name, and the listener's address is not to depend on a resolver.
      let host =
        configuration.listen.host.lowercased() == "localhost" ? "127.0.0.1" : configuration.listen.host
      var options = HTTPServerConfiguration(
        host: host, port: configuration.listen.port, identity: identity, limits: limits)
      options.onShortage = onShortage
      let responder = WebResponder(access: access, listen: configuration.listen, content: content)
      let server = try await HTTPServer.start(options, on: group.next(), clock: clock, responder: responder)
      return WebEndpoint(group: group, server: server, access: access)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }

  /// Adopts certificate, password and rights of a configuration that was read again, for new connections and requests; the
  /// address stays.
  /// - Throws: ``HTTPServerError``, `FileReadError`; the former ones stay.
  func replace(_ configuration: ServiceConfiguration) throws {
    let rules = try WebAccess.Rules(configuration)
    if let identity = try Self.identity(of: configuration) { try server.replaceIdentity(identity) }
    access.replace(rules)
  }

  private static func identity(of configuration: ServiceConfiguration) throws -> ServerIdentity? {
    try configuration.identity.map {
      try ServerIdentity(certificateFile: $0.certificateFile, keyFile: $0.keyFile.path)
    }
  }

  /// A scrape of a thousand targets is some 20 MB.
  private static var limits: HTTPServerLimits {
    var limits = HTTPServerLimits()
    limits.connections = 32
    limits.unauthenticatedPerSource = 16
    limits.concurrentStreams = 4
    limits.headerBytes = 8 * 1024
    limits.bodyBytes = 1024
    limits.bufferedBytes = 64 * 1024 * 1024
    // Prometheus keeps its connection for up to five minutes between scrapes.
    limits.unauthenticatedIdleTimeout = .seconds(300)
    return limits
  }

  /// Stops listening, and waits a moment for answers that are under way.
  func shutdown() async {
    await server.shutdown(within: .seconds(2))
    try? await group.shutdownGracefully()
  }
}

/// What the endpoint shows, and what it can ask for.
struct WebContent: Sendable {
  var version: String
  /// Everything that is measured, now.
  var families: @Sendable () -> [MetricFamily]
  /// Whether notifications can be sent.
  var isReady: @Sendable () -> Bool
  /// Reads the configuration again; calls back with whether it was taken and why not. `nil` while that is not possible.
  var reload: @Sendable () -> ReloadAction?
}

/// Reads the configuration again, and says what came of it: `nil` when it was taken, otherwise what is wrong with it.
public typealias ReloadAction = @Sendable (_ done: @escaping @Sendable (String?) -> Void) -> Void
