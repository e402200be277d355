import Configuration
import Foundation
import Measurement
import TestKit
import TestTraits
import Testing

@testable import Fleet

/// Whom passwords and rows are sent to.
@Suite(.ownThread, .enabled(if: TestEngine.isUsable && Programs.has("openssl"))) struct EngineClientTests {
  private let directory: TemporaryDirectory
  private let engine: TestEngine

  init() throws {
    directory = try TemporaryDirectory("engine-tls")
    engine = try TestEngine()
    try engine.kill()
  }

  /// A certificate that is its own authority.
  private func certificate(_ name: String, for host: String) throws -> (certificate: String, key: String) {
    let files = (certificate: directory.file("\(name).pem"), key: directory.file("\(name).key"))
    let made = try Programs.run(
      "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=\(name)", "-addext", "subjectAltName=\(host)", "-keyout", files.key, "-out",
        files.certificate,
      ])
    #expect(made.status == 0, "\(made.error)")
    return files
  }

  private func ask(trusting authority: String?, scheme: Endpoint.Scheme = .https) throws -> [[String]] {
    var fleet = engine.configuration
    fleet.urls = [Endpoint(scheme: scheme, host: "127.0.0.1", port: engine.port)]
    fleet.caFile = authority
    return try EngineClient(fleet, as: .init(name: "default")).rows("SELECT 1")
  }

  private func expectRefusal(trusting authority: String?) throws {
    let error = #expect(throws: FleetError.self) { _ = try ask(trusting: authority) }
    #expect(error?.code == .unreachable)
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("127.0.0.1:\(engine.port)") && text.lowercased().contains("certificate"), "\(text)")
    #expect(text.contains("fleet.ca_file"))
  }

  @Test func onlyAServerWithACertificateOfTheAuthorityIsSpokenTo() throws {
    let own = try certificate("own", for: "IP:127.0.0.1")
    let other = try certificate("other", for: "IP:127.0.0.1")
    let elsewhere = try certificate("elsewhere", for: "DNS:clickhouse.example.com")
    try engine.start(tls: own)
    #expect(try ask(trusting: own.certificate) == [["1"]])
    try expectRefusal(trusting: nil)
    try expectRefusal(trusting: other.certificate)
    #expect(throws: FleetError.self) { _ = try ask(trusting: own.certificate, scheme: .http) }
    try engine.kill()
    // Of the authority, but of another host.
    try engine.start(tls: elsewhere)
    try expectRefusal(trusting: elsewhere.certificate)
  }
}
