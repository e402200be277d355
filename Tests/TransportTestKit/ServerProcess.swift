import HTTPTestKit
import Synchronization
import TestKit
import Testing

/// A server in a process of its own, killed at the latest when the test releases it.
public final class ServerProcess: Sendable {
  public let port: Int
  private let process: RunningProcess
  /// Its files, removed with it.
  private let directory: TemporaryDirectory?
  /// Whether a test has sent it a signal.
  private let isSignalled = Atomic(false)

  private init(process: RunningProcess, port: Int, directory: TemporaryDirectory? = nil) {
    self.process = process
    self.port = port
    self.directory = directory
  }

  /// Without the reason of its end a test would only say that nobody answered.
  deinit {
    guard !isSignalled.load(ordering: .relaxed), let status = process.status() else { return }
    Issue.record(
      "the server on port \(port) ended by itself with \(status): \(process.standardError.suffix(2_000))")
  }

  /// Starts a program that listens on a given port, and waits until it does.
  private convenience init(
    _ program: String, _ arguments: [String], port: Int, directory: TemporaryDirectory? = nil
  ) throws {
    let process = try RunningProcess(program, arguments)
    try FreePort.waitUntilTaken(port, by: process)
    self.init(process: process, port: port, directory: directory)
  }

  /// nghttpd of Debian's nghttp2-server; it serves `/` and answers anything else with 404.
  public static func nghttpd(port: Int? = nil, options: [String] = []) throws -> ServerProcess {
    guard let certificate = TestCertificate.good else { throw Missing() }
    let port = try port ?? FreePort.take()
    try certificate.directory.write("index.html", "ok")
    return try ServerProcess(
      "nghttpd",
      ["--address=127.0.0.1", "-d", certificate.directory.path] + options + [
        String(port), certificate.key, certificate.certificate,
      ], port: port)
  }

  /// `Tests/Support/h2_server.py`, which fails by script.
  public static func scripted(_ options: [String]) throws -> ServerProcess {
    try python("h2_server.py", options, isEncrypted: true)
  }

  /// `Tests/Support/http1_server.py`.
  public static func http1(_ options: [String], isEncrypted: Bool) throws -> ServerProcess {
    try python("http1_server.py", options, isEncrypted: isEncrypted)
  }

  /// `Tests/Support/ntfy_server.py`.
  public static func ntfy(_ options: [String] = [], isEncrypted: Bool = true) throws -> ServerProcess {
    try python("ntfy_server.py", options, isEncrypted: isEncrypted)
  }

  /// `Tests/Support/autopush_server.py`.
  public static func autopush(_ options: [String] = []) throws -> ServerProcess {
    try python("autopush_server.py", options, isEncrypted: true)
  }

  /// `Tests/Support/fcm_server.py`.
  public static func fcm(_ options: [String]) throws -> ServerProcess {
    try python("fcm_server.py", options, isEncrypted: true)
  }

  /// `Tests/Support/prosody_device.py`: Prosody as a push service, and a device that is logged in.
  /// - Returns: the server, and the device's subscription in the form of a browser's.
  public static func prosody() throws -> (server: ServerProcess, subscription: [UInt8]) {
    let directory = try TemporaryDirectory("prosody")
    let server = try python(
      "prosody_device.py", [directory.path, "--ports"] + FreePort.arguments(2), isEncrypted: false,
      directory: directory)
    return (server, Array(try directory.bytes("subscription.json")))
  }

  /// `Tests/Support/hostile_server.py`, without TLS.
  public static func hostile(_ options: [String]) throws -> ServerProcess {
    try python("hostile_server.py", options, isEncrypted: false)
  }

  private static func python(
    _ script: String, _ options: [String], isEncrypted: Bool, directory: TemporaryDirectory? = nil
  ) throws -> ServerProcess {
    guard let certificate = TestCertificate.good else { throw Missing() }
    let identity = isEncrypted ? ["--cert", certificate.certificate, "--key", certificate.key] : []
    let process = try RunningProcess(
      Programs.python, ["-u", "\(Programs.scripts)/\(script)"] + identity + options)
    let port = try eventually("\(script) listens", seen: { process.standardError }) { () throws -> Int? in
      let line = process.lines.first { $0.hasPrefix("listening ") }
      if line == nil, process.status() != nil { throw Missing() }
      return line.flatMap { Int($0.dropFirst(10)) }
    }
    return ServerProcess(process: process, port: port, directory: directory)
  }

  /// Debian's nginx in the foreground, with one server over TLS and HTTP/2.
  /// - Parameters:
  ///   - lines: the content of the `server` block.
  ///   - modules: Debian's modules to load.
  public static func nginx(_ lines: String, modules: [String] = []) throws -> ServerProcess {
    guard let certificate = TestCertificate.good else { throw Missing() }
    let port = try FreePort.take()
    let directory = try TemporaryDirectory("nginx")
    let text = Nginx.configuration(
      port: port, folder: directory.path, certificate: certificate.certificate, key: certificate.key,
      modules: modules,
      lines: lines)
    let file = try directory.write("nginx.conf", text)
    return try ServerProcess("nginx", ["-c", file, "-p", directory.path], port: port, directory: directory)
  }

  /// nghttpx, which adds HTTP/2 over TLS to a server without it.
  public static func nghttpx(before backend: ServerProcess) throws -> ServerProcess {
    guard let certificate = TestCertificate.good else { throw Missing() }
    let port = try FreePort.take()
    return try ServerProcess(
      "nghttpx",
      Nghttpx.arguments(
        port: port, backend: backend.port, certificate: certificate.certificate, key: certificate.key),
      port: port)
  }

  public struct Missing: Error {}

  /// The server's output so far.
  public var lines: [String] { process.lines }

  /// The numbers of lines like `request 1 3 2 /`. Output arrives through the pipe with a delay: waits for `count` of them, for
  /// a limited time.
  public func numbers(after word: String, atLeast count: Int = 0) -> [[Int]] {
    let found = { self.lines.filter { $0.hasPrefix(word + " ") } }
    _ = try? eventually { found().count >= count || process.status() != nil }
    return found().map { $0.split(separator: " ").compactMap { Int($0) } }
  }

  public func signal(_ number: Int32) {
    isSignalled.store(true, ordering: .relaxed)
    process.signal(number)
  }

  /// Sends SIGKILL and waits for the end.
  public func kill() {
    isSignalled.store(true, ordering: .relaxed)
    try? process.kill()
  }
}
