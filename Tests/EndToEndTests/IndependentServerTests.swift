import Foundation
import TestKit
import TestTraits
import Testing

@Suite(
  "A run against nghttpd, which shares no code with us", .ownThread, .serialized,
  .enabled(if: Programs.has("nghttpd", "openssl")))
struct IndependentServerTests {
  @Test(
    "answers are timed over one connection; a kill and a restart in the middle are recorded",
    .timeLimit(.minutes(10)))
  func nghttpd() throws {
    let port = try FreePort.take()
    let installation = try Installation(
      rate: "100/s", target: ["timeout: 2s", "headers: { x-probe: \"1\" }"], endpointPort: port,
      provider: "http")
    let certificates = try Certificates(in: installation.directory)
    let first = try certificates.startServer(port: port)
    let collector = try installation.collect(["--run-name", "nghttpd"])
    try installation.waitFor("accepted", over: 50, by: collector)
    try first.kill()
    try installation.waitFor("failed", over: 0)
    let before = try installation.states()["accepted"] ?? 0
    let second = try certificates.startServer(port: port)
    try installation.waitFor("accepted", over: before + 50)
    #expect(try collector.stop() == 0)
    second.signal(SIGTERM)
    _ = try? second.waitForExit()

    let rows = try installation.query(
      """
      SELECT count(*), count(DISTINCT connection_id), sum(status = 200), sum(service_us > 0), sum(fresh_connection = 'true')
      FROM sample_view WHERE state = 'accepted'
      """)
    let row = try #require(rows.first)
    #expect(row[1] == "2", "one connection before and one after")
    #expect(row[2] == row[0])
    #expect(row[3] == row[0])
    #expect(row[4] == "2")
    #expect(
      try installation.query("SELECT count(*) FROM sample_view WHERE state IN ('planned', 'in_flight')") == [
        ["0"]
      ]
    )
    #expect(try installation.query("SELECT name FROM run") == [["nghttpd"]])
  }

  @Test("a certificate from an authority that is not trusted is a recorded failure", .timeLimit(.minutes(10)))
  func untrusted() throws {
    let port = try FreePort.take()
    let installation = try Installation(endpointPort: port, provider: "http")
    let certificates = try Certificates(in: installation.directory)
    let server = try certificates.startServer(port: port)
    try certificates.replaceAuthority()
    let collector = try installation.collect(["--count", "3"])
    #expect(try collector.waitForExit() == 0)
    server.signal(SIGTERM)
    _ = try? server.waitForExit()
    let states = try installation.states()
    #expect((states["failed"] ?? 0) > 0)
    #expect(
      try installation.query("SELECT DISTINCT reason FROM sample_view WHERE state = 'failed'") == [["tls"]])
  }
}

/// A temporary certificate authority and a server certificate made by openssl, and nghttpd that uses them.
struct Certificates {
  private let directory: TemporaryDirectory
  private let folder: String

  init(in directory: TemporaryDirectory) throws {
    self.directory = directory
    folder = directory.file("loopback")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=test authority", "-keyout", "\(folder)/ca.key", "-out", "\(folder)/ca.pem")
    try openssl(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
      "-keyout", "\(folder)/server.key", "-out", "\(folder)/server.csr")
    try directory.write("extensions", "subjectAltName = DNS:localhost, IP:127.0.0.1\n")
    try openssl(
      "x509", "-req", "-in", "\(folder)/server.csr", "-CA", "\(folder)/ca.pem", "-CAkey", "\(folder)/ca.key",
      "-CAcreateserial", "-days", "2", "-extfile", directory.file("extensions"), "-out",
      "\(folder)/server.pem")
    try FileManager.default.createDirectory(atPath: directory.file("www"), withIntermediateDirectories: true)
    try directory.write("www/index.html", "ok\n")
  }

  func startServer(port: Int) throws -> RunningProcess {
    let server = try RunningProcess(
      "nghttpd",
      [
        "--address=127.0.0.1", "-m", "100", "-d", directory.file("www"), "\(port)", "\(folder)/server.key",
        "\(folder)/server.pem",
      ])
    try FreePort.waitUntilTaken(port, by: server)
    return server
  }

  /// Replaces the authority that signed the server's certificate by another one.
  func replaceAuthority() throws {
    try openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=another authority", "-keyout", "\(folder)/ca.key", "-out", "\(folder)/ca.pem")
  }

  private func openssl(_ arguments: String...) throws {
    let result = try run("openssl", arguments)
    guard result.status == 0 else { throw NeverHappened(what: "openssl \(arguments[0])", seen: result.error) }
  }
}
