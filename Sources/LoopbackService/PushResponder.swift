import HTTPServer
import NIOCore

/// Passes the server's calls, which come on its event loop, to the service that lives there.
struct PushResponder: HTTPResponder {
  let service: NIOLoopBound<PushService>

  func opened(_ connection: HTTPConnection) { service.value.opened(connection) }

  func closed(_ connection: HTTPConnection) { service.value.closed(connection) }

  func respond(to exchange: HTTPExchange) { service.value.respond(to: exchange) }

  func answer(to violation: HTTPViolation) -> HTTPResponse { answer(to: violation, path: "") }

  func answer(to violation: HTTPViolation, path: String) -> HTTPResponse {
    service.value.answer(to: violation, path: path)
  }
}
