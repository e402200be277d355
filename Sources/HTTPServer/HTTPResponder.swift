/// What a service makes of its connections and requests. Called on the server's one event loop, in the order in
/// which things happen: it must not block.
public protocol HTTPResponder: Sendable {
  func opened(_ connection: HTTPConnection)
  /// Nothing said to this connection from now on has any effect.
  func closed(_ connection: HTTPConnection)
  func respond(to exchange: HTTPExchange)
  /// Words the answer to a request that the server turns away.
  func answer(to violation: HTTPViolation) -> HTTPResponse
  /// The same for a service that words its answers by the path that was asked for.
  func answer(to violation: HTTPViolation, path: String) -> HTTPResponse
}

extension HTTPResponder {
  public func opened(_ connection: HTTPConnection) {}
  public func closed(_ connection: HTTPConnection) {}
  public func answer(to violation: HTTPViolation, path: String) -> HTTPResponse { answer(to: violation) }
}
