import Foundation
import HTTPTestKit
import Synchronization
import TestKit

/// A server in a process of its own, killed at the latest when the test releases it.
final class ServerProcess: Sendable {
  let port: Int
  private let process: Mutex<Process>
  private let output: OutputLines
  /// Its files, removed with it.
  private let directory: TemporaryDirectory?

  private init(process: Process, port: Int, output: OutputLines, directory: TemporaryDirectory? = nil) {
    self.process = Mutex(process)
    self.port = port
    self.output = output
    self.directory = directory
  }

  deinit { kill() }

  /// nghttpd of Debian's nghttp2-server; it serves `/` and answers anything else with 404.
  static func nghttpd(port: Int? = nil, options: [String] = []) throws -> ServerProcess {
    guard let certificate = TestCertificate.good, let program = Tool.find("nghttpd") else { throw Missing() }
    let port = try port ?? freePort()
    try certificate.directory.write("index.html", "ok")
    let (process, output) = try launch(
      program,
      ["--address=127.0.0.1", "-d", certificate.directory.path] + options + [
        String(port), certificate.key, certificate.certificate,
      ])
    let server = ServerProcess(process: process, port: port, output: output)
    guard server.waitUntilItListens() else { throw Missing() }
    return server
  }

  /// `Tests/Support/h2_server.py`, which fails by script.
  static func scripted(_ options: [String]) throws -> ServerProcess {
    try python("h2_server.py", options, isEncrypted: true)
  }

  /// `Tests/Support/http1_server.py`.
  static func http1(_ options: [String], isEncrypted: Bool) throws -> ServerProcess {
    try python("http1_server.py", options, isEncrypted: isEncrypted)
  }

  /// `Tests/Support/ntfy_server.py`.
  static func ntfy(_ options: [String] = [], isEncrypted: Bool = true) throws -> ServerProcess {
    try python("ntfy_server.py", options, isEncrypted: isEncrypted)
  }

  /// `Tests/Support/fcm_server.py`.
  static func fcm(_ options: [String]) throws -> ServerProcess {
    try python("fcm_server.py", options, isEncrypted: true)
  }

  /// `Tests/Support/prosody_device.py`: Prosody as a push service, and a device that is logged in.
  /// - Returns: the server, and the device's subscription in the form of a browser's.
  static func prosody() throws -> (server: ServerProcess, subscription: [UInt8]) {
    let directory = try TemporaryDirectory("prosody")
    let server = try python("prosody_device.py", [directory.path], isEncrypted: false, directory: directory)
    return (server, Array(try directory.bytes("subscription.json")))
  }

  /// `Tests/Support/hostile_server.py`, without TLS.
  static func hostile(_ options: [String]) throws -> ServerProcess {
    try python("hostile_server.py", options, isEncrypted: false)
  }

  private static func python(
    _ script: String, _ options: [String], isEncrypted: Bool, directory: TemporaryDirectory? = nil
  ) throws -> ServerProcess {
    guard let certificate = TestCertificate.good else { throw Missing() }
    let identity = isEncrypted ? ["--cert", certificate.certificate, "--key", certificate.key] : []
    let (process, output) = try launch(Tool.python, ["-u", "\(Tool.support)/\(script)"] + identity + options)
    let said = output.wait { lines in lines.contains { $0.hasPrefix("listening ") } }
    guard said, let line = output.all.first(where: { $0.hasPrefix("listening ") }),
      let port = Int(line.dropFirst(10))
    else { throw Missing() }
    return ServerProcess(process: process, port: port, output: output, directory: directory)
  }

  /// Debian's nginx in the foreground, with one server over TLS and HTTP/2.
  /// - Parameters:
  ///   - lines: the content of the `server` block.
  ///   - modules: Debian's modules to load.
  static func nginx(_ lines: String, modules: [String] = []) throws -> ServerProcess {
    guard let certificate = TestCertificate.good, let program = Tool.find("nginx") else { throw Missing() }
    let port = try freePort()
    let directory = try TemporaryDirectory("nginx")
    let text = Nginx.configuration(
      port: port, folder: directory.path, certificate: certificate.certificate, key: certificate.key,
      modules: modules,
      lines: lines)
    let file = try directory.write("nginx.conf", text)
    let (process, output) = try launch(program, ["-c", file, "-p", directory.path])
    let server = ServerProcess(process: process, port: port, output: output, directory: directory)
    guard server.waitUntilItListens() else { throw Missing() }
    return server
  }

  /// nghttpx, which adds HTTP/2 over TLS to a server without it.
  static func nghttpx(before backend: ServerProcess) throws -> ServerProcess {
    guard let certificate = TestCertificate.good, let program = Tool.find("nghttpx") else { throw Missing() }
    let port = try freePort()
    let (process, output) = try launch(
      program,
      Nghttpx.arguments(
        port: port, backend: backend.port, certificate: certificate.certificate, key: certificate.key))
    let server = ServerProcess(process: process, port: port, output: output)
    guard server.waitUntilItListens() else { throw Missing() }
    return server
  }

  struct Missing: Error {}

  /// The server's output so far.
  var lines: [String] { output.all }

  /// The numbers of lines like `request 1 3 2 /`. Output arrives through the pipe with a delay: waits for `count` of them, for
  /// a limited time.
  func numbers(after word: String, atLeast count: Int = 0) -> [[Int]] {
    _ = output.wait { lines in lines.count { $0.hasPrefix(word + " ") } >= count }
    return lines.filter { $0.hasPrefix(word + " ") }.map { $0.split(separator: " ").compactMap { Int($0) } }
  }

  func signal(_ number: Int32) {
    process.withLock { process in
      if process.isRunning { Foundation.kill(process.processIdentifier, number) }
    }
  }

  /// Sends SIGKILL and waits for the end.
  func kill() {
    process.withLock { process in
      guard process.isRunning else { return }
      Foundation.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  private static func launch(_ program: String, _ arguments: [String]) throws -> (Process, OutputLines) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    let output = OutputLines(pipe)
    try process.run()
    return (process, output)
  }

  private func waitUntilItListens() -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      if LoopbackSocket.connects(to: port) { return true }
      usleep(2000)
    }
    return false
  }

  private static func freePort() throws -> Int {
    guard let port = LoopbackSocket.freePort() else { throw Missing() }
    return port
  }
}

/// Collects the lines of a pipe.
final class OutputLines: Sendable {
  private struct Content {
    var lines: [String] = []
    var rest = ""
    var isOver = false
  }

  private let content = Mutex(Content())
  private let news = DispatchSemaphore(value: 0)

  init(_ pipe: Pipe) {
    pipe.fileHandleForReading.readabilityHandler = { [self] handle in
      let data = handle.availableData
      if data.isEmpty {
        handle.readabilityHandler = nil
        content.withLock { $0.isOver = true }
        news.signal()
        return
      }
      content.withLock { content in
        content.rest += String(decoding: data, as: UTF8.self)
        var lines = content.rest.components(separatedBy: "\n")
        content.rest = lines.removeLast()
        content.lines += lines
      }
      news.signal()
    }
  }

  var all: [String] { content.withLock { $0.lines } }

  /// Waits until the condition holds; `false` if the output ends before, or after 30 s.
  func wait(until areEnough: ([String]) -> Bool) -> Bool {
    let deadline = DispatchTime.now() + .seconds(30)
    repeat {
      let isOver = content.withLock { $0.isOver }
      if areEnough(all) { return true }
      if isOver { return false }
    } while news.wait(timeout: deadline) == .success
    return false
  }
}
