import HTTPServer
import NIOCore

/// Passes the server's calls, which come on its event loop, to the service that lives there.
struct ReceiptResponder: HTTPResponder {
  let service: NIOLoopBound<ReceiptService>

  func respond(to exchange: HTTPExchange) { service.value.respond(to: exchange) }

  func answer(to violation: HTTPViolation) -> HTTPResponse { service.value.answer(to: violation) }
}
