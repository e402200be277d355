import Configuration
import HTTPServer
import HTTPTestKit
import LoopbackService
import Measurement
import TestKit

/// A loopback service of a test's own and clients that know it.
final class LoopbackFixture: Sendable {
  let server: LoopbackServer
  let directory: TemporaryDirectory

  static let token = String(repeating: "70757368", count: 8)
  static let headers = [["authorization", "bearer loopback"], ["apns-topic", "com.example.app"]]

  init(
    _ scenario: Scenario, receipts: ReceiptDestination? = nil, scriptCapacity: Int = 100_000,
    scriptFile: String? = nil
  ) async throws {
    directory = try TemporaryDirectory()
    server = try await LoopbackServer.start(
      LoopbackOptions(
        port: 0, credentialsDirectory: directory.path, scenario: scenario, receipts: receipts,
        device: "tester \"1\"",
        scriptCapacity: scriptCapacity, scriptFile: scriptFile))
  }

  var h2: H2Client { H2Client(port: server.port, authorityFile: server.credentials.authorityFile) }

  var curl: Curl { Curl(port: server.port, authorityFile: server.credentials.authorityFile) }

  /// A step for the client: one notification with a number of its own as id.
  ///
  /// - Parameter device: the name of the device that it is for; `nil`: that of ``token``.
  static func push(_ number: Int, to device: String? = nil) -> String {
    let id = id(number)
    let token = device.map(LoopbackDevice.token) ?? token
    return #"{"request": {"path": "/3/device/\#(token)", "headers": [["authorization", "bearer loopback"], "#
      + #"["apns-topic", "com.example.app"], ["apns-id", "\#(id)"]], "#
      + #""body": "{\"aps\":{},\"pushscope\":{\"v\":1,\"id\":\"\#(id)\",\"mac\":\"mac-\#(number)\",\"at\":1}}"}}"#
  }

  static func id(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "00000000-0000-8000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  /// Sends notifications 0 to `count - 1` over one connection, the first alone, and waits for all answers.
  func pushAll(_ count: Int, waitingFor done: Int? = nil) async throws -> [H2Client.Event] {
    let rest = (1..<count).map { ",\(Self.push($0))" }.joined()
    return try await h2.run(
      "[{\"until\": {\"max_streams\": 1}}, \(Self.push(0)), {\"until\": {\"done\": 1}}"
        + ", {\"until\": {\"max_streams\": 1000}}\(rest), {\"until\": {\"done\": \(done ?? count)}}]")
  }
}

/// Runs a test against a loopback service of its own and takes it down after.
func withLoopback(
  _ scenario: Scenario, receipts: ReceiptDestination? = nil, scriptFile: String? = nil,
  _ body: (LoopbackFixture) async throws -> Void
) async throws {
  let fixture = try await LoopbackFixture(scenario, receipts: receipts, scriptFile: scriptFile)
  do {
    try await body(fixture)
  } catch {
    await fixture.server.shutdown(within: .milliseconds(100))
    throw error
  }
  await fixture.server.shutdown(within: .milliseconds(100))
}
