import Configuration
import TestKit

/// A web server that answers everything with one text, as no engine does.
final class FixedAnswer {
  private let process: RunningProcess
  let fleet: FleetConfiguration

  private static let script = """
    import http.server, sys

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers.get("content-length", 0)))
            body = sys.argv[2].encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *values): pass

    http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
    """

  init(_ answer: String) throws {
    let port = try FreePort.take()
    process = try RunningProcess(Programs.python, ["-c", Self.script, "\(port)", answer], input: .open)
    try FreePort.waitUntilTaken(port, by: process)
    fleet = FleetConfiguration(
      urls: [Endpoint(scheme: .http, host: "127.0.0.1", port: port)], writer: .init(name: "w"),
      reader: .init(name: "r"))
  }

  deinit { try? process.kill() }
}
