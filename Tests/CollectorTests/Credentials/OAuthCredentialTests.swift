import Foundation
import Measurement
import Providers
import TestTraits
import Testing
import TransportTestKit

@testable import Collector
@testable import Transport

/// Access tokens from an endpoint that checks assertions with PyJWT.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasPyJWT, "python3 with PyJWT, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct OAuthCredentialTests {
  private static func credential(_ account: TestAccount, at url: String) throws -> OAuthCredential {
    OAuthCredential(
      account: try account.parsed(tokenURI: url),
      client: BlockingRequest(caFile: TestCertificate.good?.certificate, clock: SystemClock()))
  }

  @Test func anAssertionIsExchanged() throws {
    let account = try TestAccount()
    let server = try ServerProcess.fcm(["--public-key", account.publicKeyFile, "--lifetime", "1234"])
    let credential = try Self.credential(account, at: TransportRun.https(server, path: "/token"))
    guard case .issued(let value, let lifetime, let took) = credential.issue(at: SystemClock().wallNow())
    else {
      Issue.record("no token: \(server.lines)")
      return
    }
    #expect(value == "ya29.token-1")
    #expect(lifetime == .seconds(1234))
    #expect(took.contains(" ms (dns "))
    #expect(credential.name.contains("probe@probe-1"))
    #expect(server.numbers(after: "token", atLeast: 1).count == 1)
  }

  @Test func aStrangersKeyIsRefusedForGood() throws {
    let server = try ServerProcess.fcm(["--public-key", try TestAccount().publicKeyFile])
    let credential = try Self.credential(try TestAccount(), at: TransportRun.https(server, path: "/token"))
    guard case .failed(let reason, let isFinal, _) = credential.issue(at: SystemClock().wallNow()) else {
      Issue.record("a token for a stranger")
      return
    }
    #expect(isFinal)
    #expect(reason.contains("invalid_grant") && reason.contains("clock"))
  }

  @Test func anEndpointThatIsBusyOrAwayIsAskedAgain() throws {
    let account = try TestAccount()
    let server = try ServerProcess.fcm(
      ["--public-key", account.publicKeyFile, "--unavailable", "1", "--retry-after", "7"])
    let credential = try Self.credential(account, at: TransportRun.https(server, path: "/token"))
    guard case .failed(_, let isFinal, let retryAfter) = credential.issue(at: SystemClock().wallNow()) else {
      Issue.record("a token from a busy endpoint")
      return
    }
    #expect(!isFinal)
    #expect(retryAfter == .seconds(7))
    server.kill()
    guard case .failed(let reason, let isFinalNow, _) = credential.issue(at: SystemClock().wallNow()) else {
      Issue.record("a token from nowhere")
      return
    }
    #expect(!isFinalNow && reason.contains("does not answer"))
  }

  /// All together: the first token before the first message, a new one in the middle of sending, none refused.
  @Test func messagesGoOutWithFreshTokens() async throws {
    let account = try TestAccount()
    let server = try ServerProcess.fcm(["--public-key", account.publicKeyFile, "--unavailable", "1"])
    let origin = "https://127.0.0.1:\(server.port)"
    let client = CredentialRegistry.Client(target: TransportRun.target) { token in
      let provider = try? FCMProvider(
        origin: origin, projectID: "probe-1", deviceToken: "device", accessToken: token)
      return provider.map { [$0] } ?? []
    }
    let renewer = try CredentialRenewer(
      [
        .init(
          source: try Self.credential(account, at: origin + "/token"), rule: .oauth, clients: [client])
      ], on: CredentialThread(), clock: SystemClock(), seed: 1, timeout: .seconds(30), post: { _ in })
    defer { renewer.stop() }
    let providers = try await renewer.first().providers
    let run = TransportRun()
    var target = try TransportRun.target(origin + "/", rate: 50, count: 20)
    target.providers = try #require(providers[TransportRun.target])
    try run.start(target)
    #expect(run.waitForEnd())
    #expect(run.seen.wrongs == [])
    #expect(run.seen.accepted == 20, "\(run.seen.answered.values.map(\.status))")
    _ = server.numbers(after: "sent", atLeast: 20)
    #expect(server.lines.count { $0 == "sent ya29.token-1" } == 20)
  }
}
