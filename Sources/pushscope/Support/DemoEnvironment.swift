import Foundation
import Glibc
import Measurement

/// The files and ports of a demonstration: a directory with credentials, a configuration and a store, and a free port. The
/// user's own files are not touched.
struct DemoEnvironment {
  let directory: String
  private let receipts: ReservedPort
  private let page: ReservedPort

  var receiptsPort: Int { receipts.number }

  var store: String { directory + "/demo.sqlite" }
  var credentials: String { directory + "/loopback" }
  var configuration: String { directory + "/pushscope.yaml" }

  /// - Throws: ``CommandFailure`` when the directory cannot be created or no port is free.
  init() throws {
    directory = try Self.makeDirectory()
    receipts = try ReservedPort()
    page = try ReservedPort()
  }

  func log(of child: String) -> String { "\(directory)/\(child).log" }

  /// Writes the collector's configuration once the loopback service's address is known.
  /// - Parameter withDevices: whether a browser on this host may join.
  func writeConfiguration(
    endpoint: String, rate: String, arrivals: String = "poisson", withDevices: Bool = false
  ) throws {
    // Few, or people and browsers revoke the right to show them.
    let devices =
      withDevices
      ? """
      devices:
        subject: mailto:demo@pushscope.example
        listen: 127.0.0.1:\(page.number)
        schedule: { every: 15s }
        ttl: 60s

      """ : ""
    try write(
      "pushscope.yaml",
      devices + """
        collector:
          receipts:
            listen: 127.0.0.1:\(receiptsPort)
            certificate_file: loopback/server.pem
            key_file: loopback/server.key
            secret_file: loopback/receipts.secret
        targets:
          - name: loopback
            provider: loopback
            endpoint: \(endpoint)
            ca_file: loopback/ca.pem
            schedule: { arrivals: \(arrivals), rate: \(rate) }
            receipt_deadline: 5s
        """)
  }

  /// Writes the loopback service's scenario.
  /// - Returns: the file.
  func writeScenario(_ text: String) throws -> String {
    try write("scenario.yaml", text)
    return directory + "/scenario.yaml"
  }

  func remove() { try? FileManager.default.removeItem(atPath: directory) }

  private func write(_ name: String, _ text: String) throws {
    let path = directory + "/" + name
    guard
      FileManager.default.createFile(
        atPath: path, contents: Data((text + "\n").utf8), attributes: [.posixPermissions: 0o600])
    else {
      throw CommandFailure(
        "cannot write \(path); check the free space and this user's permissions", exitStatus: .cannotCreate)
    }
  }

  private static func makeDirectory() throws -> String {
    let base = ProcessEnvironment.all["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    var template = Array((base + "/pushscope-demo-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CommandFailure(
        "cannot create a directory in \(base): \(String(cString: strerror(errno))); set TMPDIR to one you may write to",
        exitStatus: .cannotCreate)
    }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// Another pushscope process, started by this one. It ends with this one, however this one ends: its standard input is a pipe
/// that only this process holds, and with `--until-input-ends` it stops when the pipe closes.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  let name: String
  let logFile: String

  /// - Parameters:
  ///   - arguments: the subcommand and its options.
  ///   - logFile: where the child's stderr goes.
  init(name: String, arguments: [String], logFile: String) throws {
    self.name = name
    self.logFile = logFile
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments + ["--until-input-ends"]
    process.standardInput = input
    process.standardOutput = output
    guard
      FileManager.default.createFile(atPath: logFile, contents: nil, attributes: [.posixPermissions: 0o600]),
      let log = FileHandle(forWritingAtPath: logFile)
    else {
      throw CommandFailure(
        "cannot write \(logFile); check the free space of its file system", exitStatus: .cannotCreate)
    }
    process.standardError = log
    try process.run()
  }

  var isRunning: Bool { process.isRunning }

  /// The first line that the child prints, when it is ready.
  /// - Throws: ``CommandFailure`` with the end of its log when it ends before that.
  func firstLine() throws -> String {
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), let value = byte.first {
      if value == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(value)
    }
    throw CommandFailure(
      "the \(name) of the demonstration did not start: \(logTail)", exitStatus: .failed)
  }

  /// Asks it to end and waits until it has.
  func finish() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Waits until it ends by itself.
  func waitUntilExit() { process.waitUntilExit() }

  var exitStatus: Int32 { process.terminationStatus }

  var logTail: String {
    let log = (try? String(contentsOfFile: logFile, encoding: .utf8)) ?? ""
    let lines = log.split(separator: "\n").suffix(3)
    return lines.isEmpty ? "its log is empty (\(logFile))" : lines.joined(separator: " / ")
  }
}

/// A free TCP port of 127.0.0.1, kept for a child of this process: nobody else is given it for as long as this lives.
///
/// The socket is bound and does not listen. Linux gives its port to no socket that asks for any, neither as its own nor for a
/// connection, and lets another one bind it by its number where both have SO_REUSEADDR, as the collector's listener has.
final class ReservedPort: Sendable {
  let number: Int
  private let descriptor: Int32

  /// - Throws: ``CommandFailure`` when no port is free.
  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var isShared: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout.size(ofValue: isShared)))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { generic in
        bind(descriptor, generic.baseAddress, length) == 0
          && getsockname(descriptor, generic.baseAddress, &length) == 0
      }
    }
    guard descriptor >= 0, isBound else {
      let reason = String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw CommandFailure(
        "no free port on 127.0.0.1: \(reason); see what else is running", exitStatus: .unavailable)
    }
    self.descriptor = descriptor
    number = Int(address.sin_port.bigEndian)
  }

  deinit { close(descriptor) }
}
