import TestKit

/// A self-signed certificate for 127.0.0.1, made by openssl on first use.
public struct TestCertificate: Sendable {
  public let directory: TemporaryDirectory
  public let certificate: String
  public let key: String

  public static let good = try? TestCertificate("good")
  /// Another authority, which signed no server's certificate.
  public static let stranger = try? TestCertificate("stranger")

  private init(_ name: String) throws {
    directory = try TemporaryDirectory(name)
    certificate = directory.file("cert.pem")
    key = directory.file("key.pem")
    try Tool.openssl(
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
        .split(separator: " ").map(String.init)
        + ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out", certificate])
  }
}
