import Measurement
import Providers
import Synchronization
import TestTraits
import Testing
import TransportTestKit

@testable import Transport

/// Answers of a scripted peer that stop sending: pauses, unregistered receivers, refused credentials.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasPythonH2, "python3 with h2, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct SilenceTests {
  /// A target that sends a token.
  private static func target(of server: ServerProcess, rate: Double, count: Int64) throws -> TransportTarget {
    var target = try TransportRun.target(TransportRun.https(server), rate: rate, count: count)
    target.providers = [TokenProvider(url: TransportRun.https(server), token: "1")]
    return target
  }

  @Test func aPauseIsKept() throws {
    let server = try ServerProcess.scripted([
      "--good", "5", "--bad", "1", "--behavior", "status:429,1", "--reason", "TooManyRequests",
    ])
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 50, count: 100))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    let refused = try #require(seen.answered.values.first { !$0.isAccepted })
    #expect(refused.status == 429)
    #expect(refused.reason == "TooManyRequests")
    let pause = try #require(seen.events(.retryAfter).first)
    #expect(seen.events(.retryAfter).count == 1)
    #expect(pause.detail.contains("429 TooManyRequests"))
    // The log has its start and its end.
    let told = seen.logs.filter {
      $0.contains("429 TooManyRequests") || $0.contains("accepts notifications again")
    }
    #expect(told.count == 2 && told.last == "the service accepts notifications again", "\(seen.logs)")
    // 1 s at 50/s, minus the requests in flight.
    #expect((45...51).contains(seen.missed(.retryAfter)))
    let resumed = seen.sent.values.filter { $0.at > refused.at }.map { $0.at - refused.at }.min()
    #expect(try #require(resumed) >= .seconds(1))
    #expect(server.numbers(after: "request", atLeast: seen.sent.count).count == seen.sent.count)
  }

  @Test func aReceiverThatIsGoneIsLeftAlone() throws {
    let server = try ServerProcess.scripted(["--good", "5", "--bad", "1000", "--behavior", "status:410"])
    let run = TransportRun()
    var target = try Self.target(of: server, rate: 50, count: 60)
    target.advice = { "\($0): get a new device token\($1)" }
    try run.start(target)
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 5)
    let refused = seen.answered.values.count { $0.status == 410 }
    #expect((10...20).contains(refused), "\(refused)")
    #expect(seen.missed(.retryAfter) == 60 - 5 - refused)
    #expect(seen.events(.retryAfter).count == 1)
    #expect(seen.logs.filter { $0.contains("410: get a new device token") }.count == 1, "\(seen.logs)")
  }

  /// Sends to the receiver that was set last.
  private final class MovingProvider: Provider {
    private let inner: Mutex<TokenProvider>
    let name = "moving"

    init(_ url: String) { inner = Mutex(TokenProvider(url: url, token: "1")) }

    func move(to url: String) { inner.withLock { $0 = TokenProvider(url: url, token: "1") } }

    func request(for notification: PushNotification) -> PushRequest {
      inner.withLock { $0 }.request(for: notification)
    }

    func assess(_ response: PushResponse) -> ProviderAssessment { inner.withLock { $0 }.assess(response) }
  }

  /// The pause for the former receiver ends, and no request that was made ahead goes to it.
  @Test func anotherReceiverIsSentToAtOnce() throws {
    let server = try ServerProcess.scripted(["--good", "5", "--bad", "100000", "--behavior", "status:410"])
    let run = TransportRun()
    var target = try Self.target(of: server, rate: 50, count: 100_000)
    let provider = MovingProvider(TransportRun.https(server, path: "/former"))
    target.providers = [provider]
    try run.start(target)
    #expect(run.wait { $0.missed(.retryAfter) >= 5 && $0.hasAllAnswers })
    let refused = run.seen.answered.values.count { $0.status == 410 }
    #expect(refused >= 10)
    provider.move(to: TransportRun.https(server, path: "/other"))
    run.thread?.updateReceiver(of: TransportRun.target, isAnother: true)
    #expect(run.wait { $0.answered.values.count { $0.status == 410 } >= refused + 10 })
    run.thread?.stop(draining: .seconds(5))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.events(.retryAfter).count == 2)
    _ = server.numbers(after: "request", atLeast: seen.sent.count)
    let paths = server.lines.filter { $0.hasPrefix("request ") }.compactMap { $0.split(separator: " ").last }
    #expect(paths.prefix(5 + refused).allSatisfy { $0 == "/former" })
    #expect(paths.dropFirst(5 + refused).allSatisfy { $0 == "/other" })
  }

  /// Answers that are on their way when there is another receiver say nothing of it.
  @Test func lateAnswersOfTheFormerReceiverBeginNoPause() throws {
    let server = try ServerProcess.scripted(
      ["--bad", "100000", "--behavior", "status:410", "--bad-delay", "2000"])
    let run = TransportRun()
    try run.start(try Self.target(of: server, rate: 50, count: 100_000))
    #expect(run.wait { $0.sent.count >= 30 })
    let moved = SystemClock().monotonicNow()
    run.thread?.updateReceiver(of: TransportRun.target, isAnother: true)
    #expect(run.wait { !$0.events(.retryAfter).isEmpty })
    let late = run.seen.answered.keys.count { run.seen.sent[$0].map { $0.at < moved } == true }
    let own = run.seen.answered.keys.count { run.seen.sent[$0].map { $0.at >= moved } == true }
    run.thread?.stop(draining: .seconds(5))
    #expect(run.waitForEnd())
    #expect(run.seen.wrongs == [])
    #expect(late >= 10 && own >= 10, "\(late) late, \(own) of the other one")
  }

  private static func feedback(_ serial: Int, _ outcome: CredentialFeedback.Outcome) -> CredentialFeedback {
    CredentialFeedback(target: TransportRun.target, serial: serial, outcome: outcome)
  }

  /// The first refusal stops sending until there is another credential; answers to requests in flight change nothing.
  @Test func nothingIsSentWithARefusedCredential() throws {
    let server = try ServerProcess.scripted(["--good", "20", "--bad", "1000", "--behavior", "status:401"])
    let run = TransportRun()
    var target = try Self.target(of: server, rate: 100, count: 200)
    target.credential = .kept
    try run.start(target)
    #expect(run.wait { $0.missed(.credential) >= 20 && $0.hasAllAnswers })
    #expect(run.seen.credentials == [Self.feedback(0, .refused(status: 401, reason: ""))])
    // The first, and those that were in flight with it.
    let refused = run.seen.answered.values.count { $0.status == 401 }
    #expect(run.seen.sentAfterTheFirst(.credential) == 0)
    // A new credential is tried with a single request.
    run.thread?.replaceProviders(
      [TokenProvider(url: TransportRun.https(server), token: "2")], of: TransportRun.target, serial: 7)
    #expect(
      run.wait {
        $0.credentials.contains { $0.serial == 7 } && $0.answered.values.count { $0.status == 401 } > refused
      })
    #expect(run.seen.answered.values.count { $0.status == 401 } == refused + 1)
    // So is the same credential again.
    run.thread?.tryCredentialAgain(of: TransportRun.target)
    #expect(run.wait { $0.answered.values.count { $0.status == 401 } == refused + 2 })
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 20)
    #expect(seen.answered.values.count { $0.status == 401 } == refused + 2)
    #expect(seen.missed(.credential) + seen.missed(.lag) == 200 - 20 - refused - 2)
  }

  @Test func aTrialThatIsTakenEndsTheSilence() throws {
    let server = try ServerProcess.scripted(["--good", "10", "--bad", "1", "--behavior", "status:401"])
    let run = TransportRun()
    var target = try Self.target(of: server, rate: 100, count: 120)
    target.credential = .kept
    try run.start(target)
    #expect(run.wait { $0.missed(.credential) >= 10 })
    run.thread?.tryCredentialAgain(of: TransportRun.target)
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(
      seen.credentials == [Self.feedback(0, .refused(status: 401, reason: "")), Self.feedback(0, .accepted)])
    #expect(seen.accepted + seen.missed(.credential) + seen.missed(.lag) + 1 == 120)
    #expect(seen.accepted > 10)
  }

  /// A password, a certificate or a header is not renewed: a pause of 10 s or more follows the first refusal, whatever else
  /// changes about the target meanwhile.
  @Test func aRefusedCredentialThatNobodyRenewsIsLeftAlone() throws {
    let server = try ServerProcess.scripted(["--good", "5", "--bad", "1000", "--behavior", "status:401"])
    let run = TransportRun()
    var target = try Self.target(of: server, rate: 100, count: 150)
    target.advice = { "\($0): check the password\($1)" }
    try run.start(target)
    #expect(run.wait { $0.missed(.credential) >= 20 && $0.hasAllAnswers }, "\(run.seen.failed)")
    let refused = run.seen.answered.values.count { $0.status == 401 }
    // As for an ntfy target when its subscription starts or ends.
    run.thread?.replaceProviders(
      [TokenProvider(url: TransportRun.https(server), token: "1")], of: TransportRun.target)
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 5)
    #expect(
      seen.sentAfterTheFirst(.credential) == 0 && seen.answered.values.count { $0.status == 401 } == refused)
    #expect(seen.missed(.credential) + seen.missed(.lag) == 150 - 5 - refused)
    #expect(seen.credentials == [])
    let told = try #require(seen.events(.retryAfter).first)
    #expect(seen.events(.retryAfter).count == 1)
    #expect(told.detail.hasPrefix("401, the credential is refused: nothing is sent for 1"), "\(told.detail)")
    #expect(seen.logs.filter { $0.contains("401: check the password") }.count == 1, "\(seen.logs)")
  }

  /// During the collector's pause after a service error some probes are sent, and the first accepted one ends it.
  @Test func probesGoOnAfterAnError() throws {
    let server = try ServerProcess.scripted(["--good", "2", "--bad", "9", "--behavior", "status:503"])
    let run = TransportRun()
    var target = try TransportRun.target(TransportRun.https(server), rate: 50, count: 200)
    target.backoff = ErrorBackoff(
      first: .seconds(60), longest: .seconds(60), probeEvery: .milliseconds(200))
    try run.start(target)
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.answered.values.count { $0.status == 503 } == 9)
    // One pause of at least a minute, which the first accepted probe ended within 2 s.
    let pauses = seen.events(.retryAfter)
    #expect(pauses.count == 1)
    #expect(
      pauses.first?.detail.contains("; one notification each 200 ms is sent until one is accepted") == true,
      "\(pauses)")
    #expect(seen.missed(.backoff) >= 20 && seen.missed(.retryAfter) == 0)
    #expect(seen.accepted >= 50)
    #expect(seen.accepted + seen.missed(.backoff) + seen.missed(.lag) + 9 == 200)
    #expect(seen.logs.filter { $0.contains("accepts notifications again") }.count == 1, "\(seen.logs)")
    // During the pause no two were sent within 150 ms (planned times are coarser than the pause's).
    let bad = seen.answered.values.filter { $0.status == 503 }.compactMap { seen.sent[$0.id]?.at }.sorted()
    // The third error in a row began it.
    let began = seen.answered.values.filter { $0.status == 503 }.map(\.at).sorted()[2]
    let probes = bad.filter { $0 > began }
    #expect(probes.count >= 3)
    for (first, second) in zip(probes, probes.dropFirst()) { #expect(second - first >= .milliseconds(150)) }
  }

  @Test func silenceWithoutANamedTimeGrows() throws {
    let server = try ServerProcess.scripted(["--good", "2", "--bad", "3", "--behavior", "status:503"])
    let run = TransportRun()
    var target = try TransportRun.target(TransportRun.https(server), rate: 100, count: 400)
    target.unspecifiedRetryDelay = UnspecifiedRetryDelay(
      statuses: [503], first: .milliseconds(200), longest: .seconds(1))
    try run.start(target)
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    // Refusals of requests that were in flight together count once.
    let pauses = seen.events(.retryAfter)
    #expect((1...3).contains(pauses.count))
    #expect(pauses.allSatisfy { $0.detail.contains("503") && $0.detail.contains("our own choice") })
    #expect(seen.missed(.retryAfter) >= 19)
    #expect(seen.accepted + seen.missed(.retryAfter) + 3 == 400)
  }
}

extension TransportRun.Seen {
  /// Whether no request waits for its answer.
  fileprivate var hasAllAnswers: Bool {
    answered.count + failed.values.count { $0.attempt > 0 } == sent.count
  }

  /// How many were sent of those that came due after the first one that was missed for a reason.
  fileprivate func sentAfterTheFirst(_ reason: MissedReason) -> Int {
    guard let first = missed.filter({ $0.value == reason }).map(\.key.sequence).min() else { return 0 }
    return sent.keys.count { $0.sequence > first }
  }
}
