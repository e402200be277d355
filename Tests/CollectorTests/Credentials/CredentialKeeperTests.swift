import Measurement
import Providers
import Synchronization
import Testing

@testable import Collector

@Suite(.timeLimit(.minutes(1))) struct CredentialKeeperTests {
  private static let target = TargetID(rawValue: 1)

  private static func item(_ source: ScriptedSource) -> CredentialBook.Item {
    let client = CredentialBook.Client(target: target) { [TokenProvider(token: $0)] }
    return CredentialBook.Item(source: source, rule: .oauth, clients: [client])
  }

  private static func answer(_ status: Int, _ credential: CredentialSignal?) -> Observation {
    .answered(
      AnsweredRequest(
        id: SampleID(target: target, sequence: 1), at: .zero, source: .callback, status: status,
        isAccepted: status == 200, credential: credential))
  }

  @Test func theFirstTokenIsThereBeforeAnythingIsSent() async throws {
    let keeper = CredentialKeeper(
      [Self.item(ScriptedSource())], clock: SystemClock(), seed: 1, post: { _ in })
    let providers = try await keeper.first()
    #expect(providers.keys.map(\.rawValue) == [1])
    let told = Mutex<[TargetID]>([])
    keeper.onRenewal { _, target in told.withLock { $0.append(target) } }
    #expect(told.withLock { $0 } == [Self.target])
    keeper.stop()
  }

  @Test func whatCannotBeMadeEndsTheRunBeforeItBegins() async throws {
    let source = ScriptedSource([.failed("the key is none", isFinal: true, retryAfter: nil)])
    let keeper = CredentialKeeper([Self.item(source)], clock: SystemClock(), seed: 1, post: { _ in })
    await #expect(throws: CollectorError(.credentials, "no test token: the key is none")) {
      try await keeper.first()
    }
    keeper.stop()
  }

  @Test func anIssuerOutOfReachIsGivenTimeAndThenUp() async throws {
    let failures = [CredentialOutcome](
      repeating: .failed("connection refused", isFinal: false, retryAfter: nil), count: 50)
    let keeper = CredentialKeeper(
      [Self.item(ScriptedSource(failures))], clock: SystemClock(), seed: 1, patience: .milliseconds(1),
      post: { _ in })
    await #expect(throws: CollectorError(.unreachable, "no test token: connection refused")) {
      try await keeper.first()
    }
    keeper.stop()
  }

  /// From the timing thread's answer to new providers on the timing thread.
  @Test func aRefusedTokenIsReplaced() async throws {
    let clock = HandClock()
    let source = ScriptedSource(isRemote: true)
    let keeper = CredentialKeeper([Self.item(source)], clock: clock, seed: 1, post: { _ in })
    _ = try await keeper.first()
    let renewals = Mutex(0)
    keeper.onRenewal { _, _ in renewals.withLock { $0 += 1 } }
    // What a provider never takes is not renewed, nor what it took; nor is another target's.
    clock.advance(.seconds(70))
    keeper.note([Self.answer(403, .refused), Self.answer(200, nil), Self.answer(429, .renewedTooOften)])
    keeper.note([Self.answer(401, .expired)])
    let deadline = ContinuousClock.now + .seconds(30)
    while renewals.withLock({ $0 }) < 2, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(source.timesAsked == 2)
    keeper.stop()
  }

  @Test func withoutCredentialsThereIsNothingToWaitFor() async throws {
    let keeper = CredentialKeeper([], clock: SystemClock(), seed: 1, post: { _ in })
    #expect(try await keeper.first().isEmpty)
    keeper.note([Self.answer(401, .expired)])
    keeper.stop()
  }

  @Test func stoppingDoesNotLeaveAnybodyWaiting() async throws {
    let failures = [CredentialOutcome](
      repeating: .failed("no", isFinal: false, retryAfter: .seconds(3600)), count: 50)
    let keeper = CredentialKeeper(
      [Self.item(ScriptedSource(failures))], clock: SystemClock(), seed: 1, post: { _ in })
    keeper.stop()
    await #expect(throws: CollectorError.self) { try await keeper.first() }
  }
}
