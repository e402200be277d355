import Configuration
import Foundation
import Measurement
import TestKit

@testable import Fleet

/// ClickHouse's engine in a process of its own, behind the part of its HTTP interface that is used
/// (Tests/Support/clickhouse_front.py).
final class TestEngine {
  let port: Int
  private let folder: TemporaryDirectory
  private var process: RunningProcess?

  static let isUsable = Python.has("chdb")

  init() throws {
    port = try FreePort.take()
    folder = try TemporaryDirectory("engine")
    try start()
  }

  /// - Parameters:
  ///   - faults: a seed; about one request in four then goes wrong.
  ///   - tls: files of a certificate and its key.
  func start(faults: Int? = nil, users: [String] = [], tls: (certificate: String, key: String)? = nil) throws
  {
    let script = Programs.repository + "/Tests/Support/clickhouse_front.py"
    process = try FreePort.listening(on: port) {
      try RunningProcess(
        Programs.python,
        ["-X", "utf8", script, folder.file("data"), "\(port)"] + users.flatMap { ["--user", $0] }
          + (faults.map { ["--faults", "\($0)"] } ?? [])
          + (tls.map { ["--certificate", $0.certificate, "--key", $0.key] } ?? []), input: .open)
    }
  }

  /// SIGKILL.
  func kill() throws {
    try process?.kill()
    process = nil
  }

  var configuration: FleetConfiguration { configuration(ports: [port]) }

  func configuration(ports: [Int], passwordFile: String? = nil) -> FleetConfiguration {
    FleetConfiguration(
      urls: ports.map { Endpoint(scheme: .http, host: "127.0.0.1", port: $0) }, database: "push`scope",
      writer: .init(name: "writer", passwordFile: passwordFile.map { SecretFile(path: $0) }),
      reader: .init(name: "reader"))
  }

  @discardableResult
  func setUp() throws -> FleetSetup.Outcome {
    try FleetSetup(
      configuration, administrator: .init(name: "default"), cluster: nil, clock: SystemClock()
    ).run(makesUsers: false)
  }

  /// - Parameter query: `DB.` stands for the database.
  func rows(_ query: String) throws -> [[String]] {
    let client = try EngineClient(configuration, as: .init(name: "default"))
    return try client.rows(
      query.replacingOccurrences(of: "DB.", with: EngineText.identifier("push`scope") + "."))
  }

  func count(_ query: String) throws -> Int { try rows(query).first?.first.flatMap { Int($0) } ?? -1 }
}
