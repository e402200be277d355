import Configuration
import Foundation
import HTTPTestKit
import Measurement
import Providers
import TestKit
import TestTraits
import Testing

@testable import Collector

/// The page and the calls of devices, over the network.
@Suite("Calls of devices", .ownThread, .timeLimit(.minutes(5)))
struct DeviceServiceTests {
  private let devices: DeviceFixture
  private let listener: ListenerFixture

  init() async throws {
    devices = try DeviceFixture()
    try devices.open()
    listener = try await ListenerFixture(devices: devices.registry) {
      $0.plain = ListenAddress(host: "127.0.0.1", port: 0)
    }
  }

  private static let json = "content-type: application/json"

  private func body(_ token: String, _ endpoint: String = "https://fcm.googleapis.com/fcm/send/a") throws
    -> String
  {
    let subscription = String(
      decoding: try JSONEncoder().encode(DeviceFixture.subscription(endpoint)), as: UTF8.self)
    return #"{"token":"\#(token)","subscription":\#(subscription),"platform":"Firefox on Linux"}"#
  }

  private func join(_ name: String) async throws -> String {
    let answer = try await listener.curl.ask(
      "/v1/devices", headers: [Self.json], body: try body(try await devices.invite(name)))
    #expect(answer.status == 201, "\(answer.body)")
    struct Joined: Decodable {
      var name: String
      var device_key: String
    }
    let joined = try JSONDecoder().decode(Joined.self, from: Data(answer.body.utf8))
    #expect(joined.name == name)
    return joined.device_key
  }

  @Test("the page has the key, and headers that keep other sites away") func page() async throws {
    let answer = try await listener.curl.ask("/device/")
    #expect(answer.status == 200 && answer.headers["content-type"] == "text/html; charset=utf-8")
    #expect(answer.body.contains(devices.registry.applicationServerKey))
    #expect(!answer.body.contains("APPLICATION_SERVER_KEY"))
    for name in ["device/device.js", "device/worker.js", "device/device.css", "device/icon.png", "device/"] {
      let headers = try await listener.curl.ask("/\(name)", arguments: ["-o", "/dev/null"]).headers
      #expect(headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true, "\(name)")
      #expect(headers["x-content-type-options"] == "nosniff" && headers["referrer-policy"] == "no-referrer")
      #expect(headers["cache-control"] == "no-store")
      #expect(headers["access-control-allow-origin"] == nil)
    }
    let redirect = try await listener.curl.ask("/device")
    #expect(redirect.status == 308 && redirect.headers["location"] == "/device/")
    #expect(try await listener.curl.ask("/device/../device/x").status == 404)
    #expect(try await listener.curl.ask("/device/", body: "x").status == 405)
  }

  @Test("the manifest begins with an open invitation alone") func manifest() async throws {
    let token = try await devices.invite("reception")
    func start(_ token: String) async throws -> String {
      try await listener.curl.ask("/device/manifest.webmanifest?token=\(token)").body
    }
    #expect(try await start(token).contains("\"start_url\":\"/device/#\(token)\""))
    for other in ["", "wrong", "%22%7D", String(repeating: "a", count: 100)] {
      #expect(try await start(other).contains("\"start_url\":\"/device/\""), "\(other)")
    }
    _ = try JSONSerialization.jsonObject(with: Data(try await start(token).utf8))
  }

  @Test("a device joins, asks for itself, pauses and leaves", arguments: [Curl.Version.http2, .http1])
  func life(version: Curl.Version) async throws {
    let key = try await join("reception")
    let bearer = ["authorization: Bearer \(key)", Self.json]
    let own = try await listener.curl.ask("/v1/devices/self", version, headers: bearer)
    #expect(own.body == #"{"name":"reception","state":"active"}"#)
    #expect(own.headers["access-control-allow-origin"] == nil && own.headers["cache-control"] == "no-store")
    let paused = try await listener.curl.ask(
      "/v1/devices/self", version, headers: bearer, body: #"{"paused":true}"#, arguments: ["-X", "PUT"])
    #expect(paused.body == #"{"name":"reception","state":"paused"}"#)
    let left = try await listener.curl.ask(
      "/v1/devices/self", version, headers: bearer, arguments: ["-X", "DELETE"])
    #expect(left.status == 204)
    #expect(try await listener.curl.ask("/v1/devices/self", version, headers: bearer).status == 401)
  }

  @Test("what is not a device's request is refused, and why is said") func refusals() async throws {
    func status(_ path: String, _ headers: [String], _ body: String?, _ arguments: [String] = []) async throws
      -> Int
    {
      let answer = try await listener.curl.ask(path, headers: headers, body: body, arguments: arguments)
      #expect(answer.body.contains("error"), "\(path) \(answer.body)")
      return answer.status
    }
    let token = try await devices.invite("reception")
    #expect(try await status("/v1/devices", [Self.json], try body("wrong")) == 401)
    #expect(try await status("/v1/devices", [Self.json], try body(token, "https://10.0.0.1/x")) == 403)
    #expect(try await status("/v1/devices", ["content-type: text/plain"], try body(token)) == 415)
    #expect(
      try await status("/v1/devices", [Self.json, "origin: https://evil.example"], try body(token)) == 403)
    #expect(try await status("/v1/devices", [Self.json], "{") == 400)
    let large = String(repeating: "x", count: 20_000)
    #expect(
      try await status("/v1/devices", [Self.json], try body(token).replacing("Firefox", with: large)) == 413)
    let broken = try body(token).replacing("BCVx", with: "AAAA")
    #expect(try await status("/v1/devices", [Self.json], broken) == 400)
    #expect(try await status("/v1/devices", [], nil) == 405)
    #expect(try await status("/v1/devices/other", [], nil) == 404)
    #expect(try await status("/v1/devices/self", [], nil) == 401)
    #expect(try await status("/v1/devices/self", ["authorization: Bearer 00"], nil) == 401)
    #expect(
      try await listener.curl.ask("/v1/devices", arguments: ["-X", "OPTIONS"]).headers[
        "access-control-allow-origin"] == nil)
    #expect(devices.registry.isInvited(token) && devices.effective.targets.isEmpty)
  }

  @Test("after 32 wrong tries a source waits") func tries() async throws {
    // A clock that stands still: how long a try takes is the host's.
    let listener = try await ListenerFixture(clock: FrozenClock(), devices: devices.registry)
    var statuses: [Int] = []
    for _ in 0..<40 where statuses.last != 429 {
      statuses.append(
        try await listener.curl.ask("/v1/devices", headers: [Self.json], body: try body("wrong")).status)
    }
    #expect(statuses.last == 429 && statuses.dropLast().allSatisfy { $0 == 401 })
    // What is right is served all the same.
    let key = try await join("reception")
    let own = try await listener.curl.ask("/v1/devices/self", headers: ["authorization: Bearer \(key)"])
    #expect(own.status == 200)
    #expect((30...36).contains(statuses.count), "\(statuses.count)")
  }

  @Test("a device speaks for its own notifications alone, under its own name") func receipts() async throws {
    let (one, other) = (try await join("one"), try await join("other"))
    let id = listener.id(1)
    func post(_ mac: String, bearer: String?) async throws -> Int {
      let body = """
        {"receipts":[{"id":"\(id)","mac":"\(mac)","received_at_ms":1700000000000,"device":"anybody"}]}
        """
      let headers = [Self.json] + (bearer.map { ["authorization: Bearer \($0)"] } ?? [])
      return try await listener.curl.ask("/v1/receipts", headers: headers, body: body).status
    }
    let mac = ListenerFixture.authenticator.device(keyHash: DeviceRegistry.hash(one)).mac(for: id)
    #expect(try await post(mac, bearer: one) == 202)
    #expect(listener.sink.received.map(\.device) == ["one"])
    #expect(try await post(mac, bearer: other) == 401, "it is another device's notification")
    #expect(try await post(mac, bearer: nil) == 401, "it is no configured target's")
    #expect(try await post(listener.mac(id), bearer: one) == 401, "it is a configured target's")
    #expect(try await post(mac, bearer: String(repeating: "0", count: 64)) == 401)
    #expect(listener.sink.received.count == 1)
  }

  @Test("between runs the time is told, and receipts are to be posted again") func betweenRuns() async throws
  {
    listener.endRun()
    let answer = try await listener.curl.ask("/v1/receipts", headers: [Self.json], body: "{}")
    #expect(answer.status == 503 && answer.headers["retry-after"] == "10")
    #expect(try await listener.curl.ask("/v1/clock", headers: [Self.json], body: #"{"t1":1}"#).status == 200)
    #expect(try await listener.curl.ask("/device/").status == 200)
  }

  @Test("over plain HTTP only by the names of this host") func plain() async throws {
    func ask(_ host: String?, _ path: String = "device/", _ arguments: [String] = []) throws -> String {
      let header = host.map { ["-H", "Host: \($0)"] } ?? []
      return try Programs.run(
        "curl",
        ["-s", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(listener.plainPort)/\(path)"]
          + header + arguments
      ).output
    }
    #expect(try ask(nil) == "200")
    for host in ["localhost:1", "LOCALHOST", "[::1]:1", "127.0.0.1"] {
      #expect(try ask(host) == "200", "\(host)")
    }
    for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:1", "10.0.0.1"] {
      #expect(try ask(host) == "421", "\(host)")
      #expect(try ask(host, "v1/clock", ["-d", #"{"t1":1}"#]) == "421", "\(host)")
    }
  }
}
