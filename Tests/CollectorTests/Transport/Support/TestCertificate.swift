import Foundation

/// A certificate for 127.0.0.1 that is its own authority, made by openssl when the first test asks for it.
struct TestCertificate: Sendable {
  let certificate: String
  let key: String

  static let good = make("good")
  /// Another authority, which signed nothing that any server uses.
  static let stranger = make("stranger")

  private static func make(_ name: String) -> TestCertificate? {
    guard let folder = try? TestFolder.make(name) else { return nil }
    let certificate = folder.appendingPathComponent("cert.pem").path
    let key = folder.appendingPathComponent("key.pem").path
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
    return process.terminationStatus == 0 ? TestCertificate(certificate: certificate, key: key) : nil
  }
}
