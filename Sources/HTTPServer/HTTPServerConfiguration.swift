/// Where and how a server listens.
public struct HTTPServerConfiguration: Sendable {
  /// An address, not a name, so that it is clear what is reachable from where.
  public var host: String
  /// 0: any free port; ``HTTPServer/port`` tells which.
  public var port: Int
  public var identity: ServerIdentity
  /// What is offered in ALPN, best first. A peer that offers none of it gets HTTP/1.1 when that is among them.
  public var protocols: [ApplicationProtocol]
  public var limits: HTTPServerLimits
  /// PEM of the authority whose certificates clients may show (``HTTPConnection/hasCertificate``); `nil`: none is asked
  /// for.
  public var clientAuthorityFile: String?

  public enum ApplicationProtocol: String, Sendable, Hashable {
    case http2 = "h2"
    case http1 = "http/1.1"
  }

  public init(
    host: String = "127.0.0.1", port: Int, identity: ServerIdentity,
    protocols: [ApplicationProtocol] = [.http2, .http1], limits: HTTPServerLimits = HTTPServerLimits(),
    clientAuthorityFile: String? = nil
  ) {
    self.host = host
    self.port = port
    self.identity = identity
    self.protocols = protocols
    self.limits = limits
    self.clientAuthorityFile = clientAuthorityFile
  }
}
