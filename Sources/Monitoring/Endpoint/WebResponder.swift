import Configuration
import FoundationEssentials
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK
import Synchronization

/// Answers the web endpoint's requests. Everything but the reload is read-only.
struct WebResponder: HTTPResponder {
  let access: WebAccess
  let listen: ListenAddress
  let content: WebContent

  func respond(to exchange: HTTPExchange) {
    let request = exchange.request
    let rules = access.rules
    if let authentication = rules.authentication {
      guard authentication.accepts(request.headers.first(name: "authorization")) else {
        return exchange.answer(
          Self.text(
            401, "authentication is required\n",
            headers: ["www-authenticate": "Basic realm=\"pushscope\", charset=\"UTF-8\""]))
      }
      exchange.connection.setAuthenticated()
    }
    switch String(request.path.prefix { $0 != "?" }) {
    case "/": read(exchange) { Self.page(landingPage) }
    case "/metrics": read(exchange) { metrics(request) }
    case "/-/healthy": read(exchange) { Self.text(200, "healthy\n") }
    case "/-/ready":
      read(exchange) {
        content.isReady() ? Self.text(200, "ready\n") : Self.text(503, "nothing can be sent at the moment\n")
      }
    case "/-/reload": reload(exchange, rules)
    default: exchange.answer(Self.text(404, "not found\n"))
    }
  }

  func answer(to violation: HTTPViolation) -> HTTPResponse {
    switch violation {
    case .bodyTooLarge: Self.text(413, "the body is too large\n")
    case .requestTimedOut: Self.text(408, "the request took too long\n")
    case .overloaded: Self.text(503, "too much at once\n", headers: ["retry-after": "1"])
    }
  }

  private func read(_ exchange: HTTPExchange, _ response: () -> HTTPResponse) {
    guard ["GET", "HEAD"].contains(exchange.request.method) else {
      return exchange.answer(Self.text(405, "use GET\n", headers: ["allow": "GET, HEAD"]))
    }
    exchange.answer(response())
  }

  private func metrics(_ request: HTTPRequest) -> HTTPResponse {
    let format = ExpositionFormat(accept: request.headers["accept"])
    let query = request.path.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let separatesBuckets = query.split(separator: "&").contains("histograms=both")
    return Self.response(
      200, format.contentType,
      ByteBuffer(bytes: format.encode(content.families(), separatesBuckets: separatesBuckets)),
      headers: ["vary": "accept"])
  }

  // MARK: Reload

  /// A page in a browser can neither send the header nor another Host without asking first, which is not answered.
  private func reload(_ exchange: HTTPExchange, _ rules: WebAccess.Rules) {
    guard rules.allowsReload else {
      return exchange.answer(Self.text(404, "reload is not allowed: set service.allow_reload to true\n"))
    }
    let request = exchange.request
    guard request.method == "POST" else {
      return exchange.answer(Self.text(405, "use POST\n", headers: ["allow": "POST"]))
    }
    guard request.headers.contains(name: "x-pushscope-reload") else {
      return exchange.answer(Self.text(403, "the header X-Pushscope-Reload is required\n"))
    }
    guard isOwn(host: request.headers.first(name: "host") ?? "", rules) else {
      return exchange.answer(Self.text(403, "the Host header does not name this listener\n"))
    }
    guard let reload = content.reload() else {
      return exchange.answer(
        Self.text(503, "the configuration cannot be read again now\n", headers: ["retry-after": "5"]))
    }
    reload { problem in
      exchange.answer(
        problem.map { Self.text(400, EscapedText.make($0) + "\n") } ?? Self.text(200, "reloaded\n"))
    }
  }

  /// - Parameter host: as the request has it, with or without a port; HTTP/2 has `:authority`, which the server passes as Host.
  private func isOwn(host: String, _ rules: WebAccess.Rules) -> Bool {
    guard
      let address = try? ListenAddress.parse(
        host.contains(":") && !host.hasSuffix("]") ? host : host + ":443")
    else { return false }
    // An address that stands for all of this host's is known to clients by another name, and there authentication keeps
    // strangers out.
    if ["0.0.0.0", "::"].contains(listen.host) { return rules.authentication != nil }
    return address.host.lowercased() == listen.host.lowercased() || address.isLoopback && listen.isLoopback
  }

  // MARK: Answers

  private var landingPage: String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><title>pushscope</title></head>
    <body><h1>pushscope</h1><p>Version \(content.version)</p>
    <ul><li><a href="/metrics">Metrics</a></li><li><a href="/-/healthy">Healthy</a></li><li><a href="/-/ready">Ready</a></li></ul>
    </body></html>

    """
  }

  private static func page(_ html: String) -> HTTPResponse {
    response(
      200, "text/html; charset=utf-8", ByteBuffer(string: html),
      headers: ["content-security-policy": "default-src 'none'; frame-ancestors 'none'"])
  }

  private static func text(_ status: Int, _ text: String, headers: HPACKHeaders = HPACKHeaders())
    -> HTTPResponse
  {
    response(status, "text/plain; charset=utf-8", ByteBuffer(string: text), headers: headers)
  }

  private static func response(
    _ status: Int, _ type: String, _ body: ByteBuffer, headers: HPACKHeaders
  ) -> HTTPResponse {
    var headers = headers
    headers.add(name: "content-type", value: type)
    headers.add(name: "cache-control", value: "no-store")
    headers.add(name: "x-content-type-options", value: "nosniff")
    return HTTPResponse(status: status, headers: headers, body: body)
  }
}

/// What a request must present, and what it may do. A reload of the configuration replaces it.
final class WebAccess: Sendable {
  struct Rules: Sendable {
    var authentication: BasicAuthentication?
    var allowsReload: Bool

    /// Reads the password.
    init(_ configuration: ServiceConfiguration) throws(FileReadError) {
      allowsReload = configuration.allowsReload
      guard let given = configuration.authentication else { return }
      authentication = BasicAuthentication(
        username: given.username, password: try given.passwordFile.read())
    }
  }

  private let state: Mutex<Rules>

  init(_ rules: Rules) { state = Mutex(rules) }

  var rules: Rules { state.withLock { $0 } }

  func replace(_ rules: Rules) { state.withLock { $0 = rules } }
}

/// A user name and password that requests must present (RFC 7617).
struct BasicAuthentication: Sendable {
  private let expected: [UInt8]

  init(username: String, password: [UInt8]) {
    expected = Array(username.utf8) + [UInt8(ascii: ":")] + password
  }

  /// Takes as long for a wrong password as for a right one.
  func accepts(_ header: String?) -> Bool {
    guard let header, header.lowercased().hasPrefix("basic "), header.utf8.count <= 1024,
      let decoded = Data(base64Encoded: String(header.dropFirst(6).drop { $0 == " " }))
    else { return false }
    let given = [UInt8](decoded)
    var difference = given.count ^ expected.count
    for index in expected.indices {
      difference |= Int((index < given.count ? given[index] : 0) ^ expected[index])
    }
    return difference == 0
  }
}
