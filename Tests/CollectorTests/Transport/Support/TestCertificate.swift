import Foundation
import TestKit

/// A self-signed certificate for 127.0.0.1, made by openssl on first use.
struct TestCertificate: Sendable {
  let directory: TemporaryDirectory
  let certificate: String
  let key: String

  static let good = make("good")
  /// Another authority, which signed no server's certificate.
  static let stranger = make("stranger")

  private static func make(_ name: String) -> TestCertificate? {
    guard let directory = try? TemporaryDirectory(name) else { return nil }
    let certificate = directory.file("cert.pem")
    let key = directory.file("key.pem")
    guard let openssl = Tool.find("openssl") else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: openssl)
    process.arguments =
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
      .split(separator: " ").map(String.init)
      + ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out", certificate]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return TestCertificate(directory: directory, certificate: certificate, key: key)
  }
}
