import Configuration
import Foundation
import Measurement
import Providers
import TestKit
import TestTraits
import Testing
import TransportTestKit

@testable import Collector

/// Certificates that openssl made.
@Suite(.ownThread, .enabled(if: Programs.has("openssl"), "openssl is not installed"))
struct CertificatePropertiesTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory("certificate")
  }

  private func path(_ name: String) -> String { folder.file(name) }
  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.url.appendingPathComponent(name)))
  }

  /// `NAME.pem` and `NAME.key`.
  private func make(_ name: String, _ kind: [String], more: [String] = []) throws {
    try Tool.openssl(
      ["req", "-x509", "-newkey"] + kind
        + [
          "-nodes", "-days", "20", "-subj", "/UID=com.example.app/CN=Apple Push Services: com.example.app",
          "-keyout", path("\(name).key"), "-out", path("\(name).pem"),
        ] + more)
  }

  private static let curve = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]

  @Test(arguments: [["rsa:2048"], curve, ["ec", "-pkeyopt", "ec_paramgen_curve:secp384r1"]])
  func readsWhatMatters(kind: [String]) throws {
    try make("push", kind)
    let facts = try CertificateProperties(pem: bytes("push.pem"))
    #expect(facts.bundleID == "com.example.app")
    #expect(facts.commonName == "Apple Push Services: com.example.app")
    #expect(!facts.isForSandbox && !facts.isForProduction)
    try facts.check(keyPEM: bytes("push.key"))
    // Both in one file, with what tools write around them.
    let both = try Array("Bag Attributes\n  friendlyName: x\n".utf8) + bytes("push.key") + bytes("push.pem")
    try CertificateProperties(pem: both).check(keyPEM: both)
    let now = SystemClock().wallNow()
    #expect(facts.problem(at: now) == nil)
    let days: Int64 = 86_400_000_000
    #expect(facts.problem(at: now.advanced(byMicroseconds: 21 * days))?.message.contains("expired") == true)
    #expect(facts.problem(at: now.advanced(byMicroseconds: -days))?.remedy.contains("clock") == true)
  }

  @Test func applesMarksAreRead() throws {
    let mark = ["-addext", "1.2.840.113635.100.6.3.1=DER:0500"]
    try make("sandbox", Self.curve, more: mark)
    try make("both", Self.curve, more: mark + ["-addext", "1.2.840.113635.100.6.3.2=DER:0500"])
    let sandbox = try CertificateProperties(pem: bytes("sandbox.pem"))
    #expect(sandbox.isForSandbox && !sandbox.isForProduction)
    let both = try CertificateProperties(pem: bytes("both.pem"))
    #expect(both.isForSandbox && both.isForProduction)
  }

  @Test func whatIsOfNoUseIsSaid() throws {
    try make("push", Self.curve)
    try make("other", Self.curve)
    try make("server", Self.curve, more: ["-addext", "extendedKeyUsage=serverAuth"])
    try make("client", Self.curve, more: ["-addext", "extendedKeyUsage=serverAuth,clientAuth"])
    _ = try CertificateProperties(pem: bytes("client.pem"))
    func message(_ body: () throws -> Void) -> String {
      do {
        try body()
        return ""
      } catch {
        return "\(error)"
      }
    }
    #expect(
      message { _ = try CertificateProperties(pem: bytes("server.pem")) }.contains("no client certificate"))
    #expect(
      message { _ = try CertificateProperties(pem: bytes("push.key")) }.contains(
        "no PEM block of the expected kind"))
    #expect(
      message { _ = try CertificateProperties(pem: bytes("push.pem").dropLast(60)) }.contains("missing"))
    #expect(message { _ = try CertificateProperties(pem: [0xFF, 0x00]) }.contains("not text"))
    let broken = Array("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n".utf8)
    #expect(message { _ = try CertificateProperties(pem: broken) }.contains("no X.509 certificate"))
    let facts = try CertificateProperties(pem: bytes("push.pem"))
    #expect(
      message { try facts.check(keyPEM: bytes("other.key")) }.contains("not the key of the certificate"))
    #expect(
      message { try facts.check(keyPEM: bytes("push.pem")) }.contains("no PEM block of the expected kind"))
    try Tool.openssl(
      ["pkcs8", "-topk8", "-in", path("push.key"), "-passout", "pass:x", "-out", path("locked.key")])
    #expect(message { try facts.check(keyPEM: bytes("locked.key")) }.contains("passphrase"))
  }
}
