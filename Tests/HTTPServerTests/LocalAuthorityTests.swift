import Foundation
import HTTPServer
import HTTPTestKit
import Measurement
import TestKit
import TestTraits
import Testing

@Suite(.ownThread) struct LocalAuthorityTests {
  let directory: TemporaryDirectory
  let now = SystemClock().wallNow()

  init() throws { directory = try TemporaryDirectory() }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  @Test func makesWhatOpenSSLAccepts() async throws {
    let files = try LocalAuthority.credentials(in: directory.file("a/b"), now: now)
    #expect(try mode(directory.file("a/b")) == 0o700)
    #expect(try mode(files.keyFile) == 0o600)
    #expect(try mode(files.secretFile) == 0o600)
    #expect(try mode(files.authorityFile) == 0o644)
    for name in ["-verify_hostname localhost", "-verify_ip 127.0.0.1", "-verify_ip ::1"] {
      let outcome = try await Programs.run(
        "openssl",
        ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", files.authorityFile]
          + name.split(separator: " ").map(String.init) + [files.certificateFile])
      #expect(outcome.status == 0, "\(name): \(outcome.error)")
    }
    let other = try await Programs.run(
      "openssl",
      ["verify", "-CAfile", files.authorityFile, "-verify_hostname", "example.com", files.certificateFile])
    #expect(other.status != 0)
  }

  @Test func usesThemAgain() throws {
    let first = try LocalAuthority.credentials(in: directory.path, now: now)
    let before = try Data(contentsOf: URL(fileURLWithPath: first.keyFile))
    let secret = try Data(contentsOf: URL(fileURLWithPath: first.secretFile))
    #expect(secret.count == 65)
    let later = now.advanced(byMicroseconds: 300 * 86_400 * 1_000_000)
    #expect(try LocalAuthority.credentials(in: directory.path, now: later) == first)
    #expect(try Data(contentsOf: URL(fileURLWithPath: first.keyFile)) == before)
    #expect(try Data(contentsOf: URL(fileURLWithPath: first.secretFile)) == secret)
  }

  @Test func replacesWhatIsAboutToExpireOrDoesNotFit() throws {
    let files = try LocalAuthority.credentials(in: directory.path, now: now)
    func key() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: files.keyFile)) }
    let first = try key()
    let secret = try Data(contentsOf: URL(fileURLWithPath: files.secretFile))
    let nearTheEnd = now.advanced(byMicroseconds: 360 * 86_400 * 1_000_000)
    _ = try LocalAuthority.credentials(in: directory.path, now: nearTheEnd)
    let second = try key()
    #expect(second != first)
    #expect(try Data(contentsOf: URL(fileURLWithPath: files.secretFile)) == secret)

    let elsewhere = try TemporaryDirectory()
    let other = try LocalAuthority.credentials(in: elsewhere.path, now: now)
    try Data(contentsOf: URL(fileURLWithPath: other.authorityFile))
      .write(to: URL(fileURLWithPath: files.authorityFile))
    _ = try LocalAuthority.credentials(in: directory.path, now: nearTheEnd)
    #expect(try key() != second, "the authority is another one")

    try "rubbish".write(toFile: files.certificateFile, atomically: true, encoding: .utf8)
    let third = try key()
    _ = try LocalAuthority.credentials(in: directory.path, now: nearTheEnd)
    #expect(try key() != third)
  }

  @Test func saysWhatItCannotWrite() throws {
    let file = try directory.write("file", "")
    let error = #expect(throws: HTTPServerError.self) {
      _ = try LocalAuthority.credentials(in: file + "/below", now: now)
    }
    #expect(error?.code == .write)
    #expect(error?.place.contains("file") ?? false)
  }

  @Test func readsWhatEditorsAndEnvironmentsMakeOfPEM() throws {
    let files = try LocalAuthority.credentials(in: directory.path, now: now)
    let certificate = try String(contentsOfFile: files.certificateFile, encoding: .utf8)
    let key = try String(contentsOfFile: files.keyFile, encoding: .utf8)
    for change in [{ "\u{FEFF}" + $0 }, { $0.replacing("\n", with: "\\n") }] as [(String) -> String] {
      _ = try ServerIdentity(
        certificateFile: directory.write("certificate", change(certificate)),
        keyFile: directory.write("key", change(key)))
    }
  }

  @Test func saysWhichFileIsWrong() throws {
    let files = try LocalAuthority.credentials(in: directory.path, now: now)
    let elsewhere = try TemporaryDirectory()
    let other = try LocalAuthority.credentials(in: elsewhere.path, now: now)
    let rubbish = try directory.write("rubbish", "no certificate")
    func place(_ certificate: String, _ key: String) -> String? {
      #expect(throws: HTTPServerError.self) {
        _ = try ServerIdentity(certificateFile: certificate, keyFile: key)
      }?.place
    }
    #expect(place(directory.file("absent"), files.keyFile) == directory.file("absent"))
    #expect(place(rubbish, files.keyFile) == rubbish)
    #expect(place(files.certificateFile, rubbish) == rubbish)
    #expect(place(files.certificateFile, other.keyFile) == other.keyFile)
  }
}
