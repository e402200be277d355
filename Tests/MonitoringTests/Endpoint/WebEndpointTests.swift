import Foundation
import HTTPServer
import HTTPTestKit
import Measurement
import Synchronization
import TestKit
import TestTraits
import Testing

@testable import Configuration
@testable import Monitoring

@Suite(.ownThread) struct WebEndpointTests {
  private final class Counter: Sendable {
    let reloads = Mutex(0)
  }

  private func content(isReady: Bool = true, reload: ReloadAction? = nil) -> WebContent {
    WebContent(
      version: "1.2.3",
      families: { MetricsState().families(labels: [], version: "1.2.3", at: WallTime(microseconds: 0)) },
      isReady: { isReady }, reload: { reload })
  }

  private func ask(
    _ endpoint: WebEndpoint, _ path: String, _ arguments: [String] = [], origin: String? = nil
  ) async throws -> (status: Int, body: String) {
    let outcome = try await Programs.run(
      "curl",
      ["-sS", "--max-time", "20", "-w", "\n%{http_code}"] + arguments
        + ["\(origin ?? "http://127.0.0.1:\(endpoint.port)")\(path)"])
    let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
    return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
  }

  private func start(_ configuration: ServiceConfiguration, _ content: WebContent) async throws -> WebEndpoint
  {
    try await WebEndpoint.start(configuration, clock: SystemClock(), content: content)
  }

  private func loopback(allowsReload: Bool = false) -> ServiceConfiguration {
    ServiceConfiguration(listen: ListenAddress(host: "localhost", port: 0), allowsReload: allowsReload)
  }

  @Test func pagesAreReadOnly() async throws {
    let endpoint = try await start(loopback(), content())
    #expect(try await ask(endpoint, "/-/healthy").status == 200)
    #expect(try await ask(endpoint, "/-/ready").status == 200)
    #expect(try await ask(endpoint, "/").body.contains("Version 1.2.3"))
    #expect(try await ask(endpoint, "/metrics?x=1").body.contains("pushscope_ready 0"))
    for method in ["POST", "PUT", "DELETE"] {
      #expect(try await ask(endpoint, "/metrics", ["-X", method]).status == 405)
    }
    #expect(try await ask(endpoint, "/../etc/passwd", ["--path-as-is"]).status == 404)
    #expect(
      try await ask(endpoint, "/metrics", ["--data-binary", String(repeating: "x", count: 5000)]).status
        == 413)
    await endpoint.shutdown()
  }

  @Test func notReadyIs503() async throws {
    let endpoint = try await start(loopback(), content(isReady: false))
    #expect(try await ask(endpoint, "/-/ready").status == 503)
    #expect(try await ask(endpoint, "/-/healthy").status == 200)
    await endpoint.shutdown()
  }

  @Test func otherRightsHoldForTheNextRequest() async throws {
    let directory = try TemporaryDirectory()
    func guarded(_ password: String, allowsReload: Bool) throws -> ServiceConfiguration {
      ServiceConfiguration(
        listen: ListenAddress(host: "localhost", port: 0),
        authentication: .init(
          username: "a", passwordFile: SecretFile(path: try directory.write("password", password + "\n"))),
        allowsReload: allowsReload)
    }
    let post = ["-X", "POST", "-H", "X-Pushscope-Reload: 1"]
    let endpoint = try await start(
      guarded("first-password", allowsReload: false), content(reload: { $0(nil) }))
    #expect(try await ask(endpoint, "/metrics").status == 401)
    #expect(try await ask(endpoint, "/metrics", ["-u", "a:first-password"]).status == 200)
    #expect(try await ask(endpoint, "/-/reload", post + ["-u", "a:first-password"]).status == 404)
    try endpoint.replace(try guarded("second-password", allowsReload: true))
    #expect(try await ask(endpoint, "/metrics", ["-u", "a:first-password"]).status == 401)
    #expect(try await ask(endpoint, "/-/reload", post + ["-u", "a:second-password"]).status == 200)
    // What cannot be read changes nothing.
    var missing = try guarded("third-password", allowsReload: false)
    missing.authentication?.passwordFile = SecretFile(path: directory.file("nowhere"))
    #expect(throws: FileReadError.self) { try endpoint.replace(missing) }
    #expect(try await ask(endpoint, "/-/reload", post + ["-u", "a:second-password"]).status == 200)
    await endpoint.shutdown()
  }

  @Test func reloadNeedsPermissionHeaderAndHost() async throws {
    let counter = Counter()
    let reload: ReloadAction = { done in
      let number = counter.reloads.withLock { count in
        count += 1
        return count
      }
      done(number == 1 ? nil : "pushscope.yaml:3:1: targets: is empty")
    }
    let closed = try await start(loopback(), content(reload: reload))
    let post = ["-X", "POST", "-H", "X-Pushscope-Reload: 1"]
    #expect(try await ask(closed, "/-/reload", post).status == 404)
    await closed.shutdown()

    let endpoint = try await start(loopback(allowsReload: true), content(reload: reload))
    #expect(try await ask(endpoint, "/-/reload").status == 405)
    #expect(try await ask(endpoint, "/-/reload", ["-X", "POST"]).status == 403)
    #expect(try await ask(endpoint, "/-/reload", post + ["-H", "Host: evil.example.com"]).status == 403)
    #expect(counter.reloads.withLock { $0 } == 0)
    #expect(try await ask(endpoint, "/-/reload", post).status == 200)
    let refused = try await ask(endpoint, "/-/reload", post)
    #expect(refused.status == 400)
    #expect(refused.body.contains("targets: is empty"))
    await endpoint.shutdown()

    let early = try await start(loopback(allowsReload: true), content(reload: nil))
    #expect(try await ask(early, "/-/reload", post).status == 503)
    await early.shutdown()
  }

  @Test func passwordAndTLS() async throws {
    let directory = try TemporaryDirectory()
    let key = directory.file("service.key")
    let certificate = directory.file("service.pem")
    let made = try await Programs.run(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-subj",
        "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2",
      ])
    #expect(made.status == 0, "\(made.error)")
    let password = try directory.write("password", "correct horse\n")
    let endpoint = try await start(
      ServiceConfiguration(
        listen: ListenAddress(host: "127.0.0.1", port: 0),
        identity: .init(certificateFile: certificate, keyFile: SecretFile(path: key)),
        authentication: .init(username: "prometheus", passwordFile: SecretFile(path: password)),
        allowsReload: true),
      content(reload: { $0(nil) }))
    let origin = "https://127.0.0.1:\(endpoint.port)"
    let trust = ["--cacert", certificate]
    for version in ["--http1.1", "--http2"] {
      let arguments = trust + [version]
      #expect(try await ask(endpoint, "/metrics", arguments, origin: origin).status == 401)
      for wrong in ["prometheus:wrong", "prometheus:", "x:correct horse", "prometheus:correct horse "] {
        #expect(
          try await ask(endpoint, "/-/healthy", arguments + ["-u", wrong], origin: origin).status == 401)
      }
      let right = arguments + ["-u", "prometheus:correct horse"]
      #expect(try await ask(endpoint, "/metrics", right, origin: origin).status == 200)
      let post = ["-X", "POST", "-H", "X-Pushscope-Reload: 1"]
      #expect(try await ask(endpoint, "/-/reload", right + post, origin: origin).status == 200)
    }
    // Without TLS nothing is said there.
    let plain = try await Programs.run(
      "curl", ["-sS", "--max-time", "5", "http://127.0.0.1:\(endpoint.port)/"])
    #expect(plain.status != 0)
    await endpoint.shutdown()
  }

  @Test func addressInUseIsSaid() async throws {
    let first = try await start(loopback(), content())
    let error = await #expect(throws: HTTPServerError.self) {
      try await start(
        ServiceConfiguration(listen: ListenAddress(host: "127.0.0.1", port: first.port)), content())
    }
    #expect(error?.code == .bind)
    await first.shutdown()
  }

  /// Peers that connect and say nothing, or read nothing, do not keep others out.
  @Test func idleConnectionsKeepNobodyOut() async throws {
    let endpoint = try await start(loopback(), content())
    let script = """
      import socket, sys
      sockets = []
      for i in range(100):
          s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
          if i % 2: s.sendall(b"GET /metrics HTTP/1.1\\r\\nHost: x\\r\\n")
          sockets.append(s)
      print("open", flush=True)
      s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      s.sendall(b"GET /-/healthy HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
      print(s.recv(100).split()[1].decode())
      """
    let outcome = try await Programs.run(Programs.python, ["-c", script, "\(endpoint.port)"])
    #expect(outcome.output == "open\n200\n", "\(outcome.error)")
    await endpoint.shutdown()
  }
}
