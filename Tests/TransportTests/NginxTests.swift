import HTTPClient
import Measurement
import Providers
import TestTraits
import Testing
import Transport
import TransportTestKit

/// nginx ends each connection after five requests with a GOAWAY and accepts eight streams in parallel: every few milliseconds
/// what large services do every few hours.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasNginx, "nginx or openssl is not installed"),
  .timeLimit(.minutes(10)))
struct NginxTests {
  @Test func connectionsThatEndAfterFiveRequestsLoseNoneOneAtATime() throws {
    let server = try ServerProcess.nginx("keepalive_requests 5; location / { return 200 ok; }")
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 50, count: 60, maximumStreams: 1))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 60, "\(seen.failed)")
    #expect(seen.events(.connected).count == 12)
    #expect(seen.answered.values.count { $0.connection?.isFresh == true } == 12)
    #expect(seen.answered.values.allSatisfy { $0.attempt == 1 })
  }

  /// With parallel requests some are in flight when the GOAWAY arrives: each has one end, and those that nginx did not process
  /// are sent again.
  @Test func connectionsThatEndInTheMiddleOfManyAreAccountedFor() throws {
    let server = try ServerProcess.nginx(
      "keepalive_requests 20; http2_max_concurrent_streams 8; location / { return 200 ok; }")
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 1000, count: 500))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.ends == 500)
    let words: Set<FailureReason> = [.goaway, .refusedStream, .closed, .reset]
    #expect(
      seen.failed.values.allSatisfy { words.contains($0.reason) }, "\(seen.failed.values.map(\.detail))")
    #expect(seen.accepted > 300)
    #expect(seen.events(.connected).count >= 20)
    #expect(seen.answered.values.allSatisfy { (1...2).contains($0.attempt) })
  }

  @Test func asksForAndChecksOurCertificate() throws {
    let known = try #require(TestCertificate.stranger)
    let server = try ServerProcess.nginx(
      "ssl_client_certificate \(known.certificate); ssl_verify_client on; location / { return 200 ok; }")
    let run = TransportRun()
    var target = try TransportRun.target(TransportRun.https(server), rate: 50, count: 5)
    target.clientCertificate = ClientCertificate(certificateFile: known.certificate, keyFile: known.key)
    try run.start(target)
    #expect(run.waitForEnd())
    #expect(run.seen.accepted == 5)
    // An unsigned certificate, and none: nginx answers both with 400.
    let other = try #require(TestCertificate.good)
    for certificate in [ClientCertificate(certificateFile: other.certificate, keyFile: other.key), nil] {
      let run = TransportRun()
      target.clientCertificate = certificate
      try run.start(target)
      #expect(run.waitForEnd())
      #expect(run.seen.accepted == 0)
      #expect(run.seen.answered.values.allSatisfy { $0.status == 400 })
    }
  }
}

/// An HTTP/1.1 server behind a proxy with HTTP/2.
@Suite(
  .ownThread, .serialized,
  .enabled(if: Tool.hasNghttpx && Tool.hasPythonH2, "nghttpx, openssl or python3 is not installed"),
  .timeLimit(.minutes(10)))
struct NghttpxTests {
  @Test func anOldServerBehindAProxy() throws {
    let backend = try ServerProcess.http1(["--delay", "20"], isEncrypted: false)
    let proxy = try ServerProcess.nghttpx(before: backend)
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(proxy, path: "/push"), rate: 100, count: 60))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 60, "\(seen.failed)")
    #expect(seen.answered.values.allSatisfy { $0.httpVersion == .http2 })
    #expect(seen.events(.connected).count == 1)
    #expect(backend.numbers(after: "request", atLeast: 60).count == 60)
    // The backend ends: the proxy reports it, which counts as an answer.
    backend.kill()
    let outage = TransportRun()
    try outage.start(TransportRun.target(TransportRun.https(proxy, path: "/push"), rate: 50, count: 5))
    #expect(outage.waitForEnd())
    #expect(outage.seen.answered.values.allSatisfy { (500...599).contains($0.status) && !$0.isAccepted })
    #expect(outage.seen.ends == 5)
  }
}
