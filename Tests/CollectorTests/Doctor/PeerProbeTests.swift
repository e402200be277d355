import HTTPClient
import Measurement
import TestTraits
import Testing
import TransportTestKit

@testable import Collector
@testable import Transport

@Suite(
  .ownThread, .enabled(if: Tool.hasPythonH2, "python3 with h2, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct PeerProbeTests {
  /// With TLS 1.3 the server says so after the client's handshake, where an answer is expected.
  @Test func aServerThatWantsAClientCertificateIsNamed() throws {
    let authority = try #require(TestCertificate.stranger)
    let server = try ServerProcess.scripted(["--good", "1000", "--client-ca", authority.certificate])
    let probe = PeerProbe(
      clock: SystemClock(), caFile: TestCertificate.good?.certificate, clientCertificate: nil,
      timeout: .seconds(10))
    // The server may have reset the connection before libcurl calls it one.
    #expect([nil, .request].contains(probe.connect(to: TransportRun.https(server)).failure))
    let end = probe.endAfterHandshake(at: TransportRun.https(server))
    #expect(end?.alert?.isCertificateRequired == true, "\(end.map(\.message) ?? "no end")")
    let shown = PeerProbe(
      clock: SystemClock(), caFile: TestCertificate.good?.certificate,
      clientCertificate: ClientCertificate(certificateFile: authority.certificate, keyFile: authority.key),
      timeout: .seconds(10))
    #expect(shown.endAfterHandshake(at: TransportRun.https(server)) == nil)
  }
}
