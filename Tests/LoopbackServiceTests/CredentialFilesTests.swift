import Foundation
import HTTPTestKit
import LoopbackService
import TestKit
import Testing

@testable import Configuration

@Suite struct CredentialFilesTests {
  /// What nobody but the owner may read.
  private static let secrets = [
    "AuthKey_LOOPBACK01.p8", "apns.token", "browser.json", "client.key", "fcm.token", "loopback.yaml",
    "ntfy.password", "ntfy.token", "receipts.secret", "server.key", "service-account.json",
    "subscription-apple.json", "subscription-unifiedpush.json", "subscription.json", "vapid.pem",
  ]
  private static let shown = ["ca.pem", "client.pem", "server.pem"]

  private static func texts(_ folder: String) throws -> [String: String] {
    var texts: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      texts[name] = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }
    return texts
  }

  @Test func writesEverythingForItsOwnerAlone() async throws {
    try await withLoopback(Scenario()) { fixture in
      let folder = fixture.directory.path
      let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(files == (Self.secrets + Self.shown).sorted())
      for name in Self.secrets {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
      }
      let texts = try Self.texts(folder)
      let origin = "https://127.0.0.1:\(fixture.server.port)"
      #expect(texts["service-account.json"]?.contains("\(origin)/oauth2/token") == true)
      #expect(texts["subscription.json"]?.contains("\"endpoint\":\"\(origin)/wpush/v2/") == true)
      #expect(texts["loopback.yaml"]?.contains("endpoint: \(origin)") == true)
    }
  }

  @Test func keepsItsKeysOverARestart() async throws {
    let directory = try TemporaryDirectory()
    var seen: [[String: String]] = []
    for _ in 0..<2 {
      let server = try await LoopbackServer.start(
        LoopbackOptions(port: 0, credentialsDirectory: directory.path, scenario: Scenario()))
      await server.shutdown(within: .milliseconds(50))
      seen.append(try Self.texts(directory.path))
    }
    // The port is another one.
    let moved = ["loopback.yaml", "service-account.json"]
    for name in Self.secrets + Self.shown where !moved.contains(name) && !name.hasPrefix("subscription") {
      #expect(seen[0][name] == seen[1][name], "\(name)")
    }
  }

  @Test func doesNotOverwriteWhatItDidNotMake() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("vapid.pem", "my own key")
    let error = await #expect(throws: LoopbackError.self) {
      _ = try await LoopbackServer.start(
        LoopbackOptions(port: 0, credentialsDirectory: directory.path, scenario: Scenario()))
    }
    #expect(error?.place == directory.file("vapid.pem"))
  }

  @Test func takesItsClientCertificateAndNoOther() async throws {
    try await withLoopback(Scenario()) { fixture in
      let path = "/3/device/\(LoopbackFixture.token)"
      func ask(_ certificate: String, _ key: String, _ headers: [String] = []) async throws -> Curl.Answer {
        try await fixture.curl.ask(
          path, headers: headers, body: "{}",
          arguments: ["--cert", fixture.directory.file(certificate), "--key", fixture.directory.file(key)])
      }
      #expect(try await ask("client.pem", "client.key").status == 200)
      let other = try await ask("client.pem", "client.key", ["apns-topic: com.example.other"])
      #expect(other.body == "{\"reason\":\"TopicDisallowed\"}")
      // Not made for clients.
      await #expect(throws: Curl.Failed.self) { try await ask("server.pem", "server.key") }
    }
  }
}
