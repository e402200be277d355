import Foundation
import Glibc
import TestKit
import Testing

/// A directory with everything for a run against the loopback service: credentials, configuration, store.
final class Station: Sendable {
  let directory: TemporaryDirectory
  let loopbackPort: Int
  let receiptsPort: Int

  var store: String { directory.file("pushscope.sqlite") }
  var configuration: String { directory.file("pushscope.yaml") }

  /// - Parameters:
  ///   - target: further lines of the target, as YAML.
  init(rate: String = "50/s", target: [String] = [], endpointPort: Int? = nil, provider: String = "loopback")
    throws
  {
    directory = try TemporaryDirectory()
    receiptsPort = try FreePort.take()
    loopbackPort = try endpointPort ?? FreePort.take()
    try directory.write("receipts.secret", "0123456789abcdef0123456789abcdef\n")
    let lines =
      [
        "collector:",
        "  receipts: { listen: 127.0.0.1:\(receiptsPort), certificate_file: loopback/server.pem, key_file: loopback/server.key,"
          + " secret_file: receipts.secret }",
        "targets:",
        "  - name: loopback",
        "    provider: \(provider)",
        "    endpoint: https://127.0.0.1:\(loopbackPort)",
        "    ca_file: loopback/ca.pem",
        "    schedule: { arrivals: constant, rate: \(rate) }",
      ] + target.map { "    " + $0 }
    try directory.write("pushscope.yaml", lines.joined(separator: "\n") + "\n")
  }

  /// Starts the loopback service with a scenario and waits until it listens.
  func startLoopback(scenario: String? = nil, extra: [String] = []) throws -> RunningProcess {
    var arguments = [
      "loopback", "--port", "\(loopbackPort)", "--credentials", directory.file("loopback"),
      "--receipts", "https://127.0.0.1:\(receiptsPort)",
    ]
    if let scenario { arguments += ["--scenario", try directory.write("scenario.yaml", scenario)] }
    let service = try RunningProcess(Programs.pushscope, arguments + extra)
    try eventually("the loopback service listens", seen: { service.standardError }) {
      service.standardOutput.contains("https://") ? true : nil
    }
    return service
  }

  func collect(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProcess {
    try RunningProcess(
      Programs.pushscope, ["collect", "--config", configuration, "--store", store] + arguments,
      environment: environment)
  }

  /// Rows of a query, read by the sqlite3 shell, which is independent of this project.
  /// - Parameter store: another one than the station's own.
  func query(_ sql: String, in store: String? = nil) throws -> [[String]] {
    guard let sqlite = Programs.find("sqlite3") else {
      throw NeverHappened(what: "sqlite3 is installed", seen: "")
    }
    let result = try run(
      sqlite, ["-readonly", "-cmd", ".timeout 5000", "-separator", "\t", store ?? self.store, sql])
    guard result.status == 0 else { throw NeverHappened(what: sql, seen: result.error) }
    return result.output.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// Counts of notifications per state; empty while there is no store.
  func states() throws -> [String: Int] {
    var states: [String: Int] = [:]
    guard FileManager.default.fileExists(atPath: store) else { return states }
    for row in (try? query("SELECT state, count(*) FROM sample_view GROUP BY state")) ?? []
    where row.count == 2 {
      states[row[0]] = Int(row[1])
    }
    return states
  }
}

/// Free TCP ports of the loopback address.
enum FreePort {
  /// Waits until a process listens on the port.
  static func waitUntilTaken(_ port: Int, by process: RunningProcess) throws {
    try eventually("something listens on port \(port)", seen: { process.standardError }) {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let answer = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
      }
      return answer == 0 ? true : nil
    }
  }

  static func take() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return try bind(descriptor)
  }

  /// Binds a socket to a port of the system's choice on the loopback address.
  static func bind(_ descriptor: Int32) throws -> Int {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port: UInt16? = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        guard Glibc.bind(descriptor, generic, length) == 0, getsockname(descriptor, generic, &length) == 0
        else {
          return nil
        }
        return pointer.pointee.sin_port.bigEndian
      }
    }
    guard let port else { throw NeverHappened(what: "a free port", seen: "errno \(errno)") }
    return Int(port)
  }
}

extension Station {
  /// A store with finished runs, one after the other, of notifications that all arrived.
  static func recorded(runs: [String] = ["before", "after"], count: Int = 200) throws -> Station {
    let station = try Station(rate: "\(count)/s", target: ["receipt_deadline: 1s"])
    let service = try station.startLoopback(scenario: "deliveries: { delay: 30ms }\n")
    for name in runs {
      let collector = try station.collect(["--count", "\(count)", "--run-name", name])
      #expect(try collector.waitForExit() == 0)
    }
    service.signal(SIGTERM)
    try service.waitForExit()
    return station
  }
}
