import Measurement
import Providers
import Synchronization
import TestKit
import Testing

@testable import Collector

@Suite(.timeLimit(.minutes(10))) struct CredentialRenewerTests {
  private static let target = TargetID(rawValue: 1)

  private static func item(_ source: ScriptedSource) -> CredentialRegistry.Item {
    let client = CredentialRegistry.Client(target: target) { [TokenProvider(token: $0)] }
    return CredentialRegistry.Item(source: source, rule: .oauth, clients: [client])
  }

  private static func refusal(of serial: Int) -> CredentialFeedback {
    CredentialFeedback(target: target, serial: serial, outcome: .refused(status: 401, reason: ""))
  }

  @Test func theFirstTokenIsThereBeforeAnythingIsSent() async throws {
    let keeper = try CredentialRenewer(
      [Self.item(ScriptedSource())], on: CredentialThread(), clock: SystemClock(), seed: 1,
      timeout: .seconds(30), post: { _ in })
    let first = try await keeper.first()
    #expect(first.providers.keys.map(\.rawValue) == [1])
    #expect(first.missing.isEmpty)
    let told = Mutex<[TargetID]>([])
    keeper.onRenewal { _, target in told.withLock { $0.append(target) } }
    #expect(told.withLock { $0 } == [Self.target])
    keeper.stop()
  }

  @Test func whatCannotBeMadeEndsTheRunBeforeItBegins() async throws {
    let source = ScriptedSource([.failed("the key is none", isFinal: true, retryAfter: nil)])
    let keeper = try CredentialRenewer(
      [Self.item(source)], on: CredentialThread(), clock: SystemClock(), seed: 1, timeout: .seconds(30),
      post: { _ in })
    await #expect(throws: CollectorError(.credentials, "no test token: the key is none")) {
      try await keeper.first()
    }
    keeper.stop()
  }

  @Test func anIssuerOutOfReachIsGivenTimeAndThenAskedOnAndOn() async throws {
    let source = ScriptedSource([.failed("connection refused", isFinal: false, retryAfter: nil)])
    let keeper = try CredentialRenewer(
      [Self.item(source)], on: CredentialThread(), clock: SystemClock(), seed: 1, timeout: .zero,
      post: { _ in })
    let first = try await keeper.first()
    #expect(first.missing.map(\.target) == [Self.target])
    #expect(first.missing.map(\.reason) == ["no test token: connection refused"])
    #expect(first.missing.map(\.providers.count) == [1])
    // It comes a moment later.
    let (renewals, told) = AsyncStream<Int>.makeStream()
    keeper.onRenewal { renewed, _ in told.yield(renewed.serial ?? 0) }
    var serials = renewals.makeAsyncIterator()
    #expect(await serials.next() == 1)
    keeper.stop()
  }

  /// From the timing thread's answer to new providers on the timing thread.
  @Test func aRefusedTokenIsReplaced() async throws {
    let clock = SteppedHostClock()
    let source = ScriptedSource(isRemote: true)
    let keeper = try CredentialRenewer(
      [Self.item(source)], on: CredentialThread(), clock: clock, seed: 1, timeout: .seconds(30),
      post: { _ in })
    _ = try await keeper.first()
    let (renewals, told) = AsyncStream<Int>.makeStream()
    keeper.onRenewal { renewed, _ in told.yield(renewed.serial ?? 0) }
    var serials = renewals.makeAsyncIterator()
    #expect(await serials.next() == 1)
    clock.advance(by: .seconds(70))
    keeper.record(Self.refusal(of: 1))
    #expect(await serials.next() == 2)
    #expect(source.timesAsked == 2)
    // What concerns an older one, or what is taken, asks for nothing.
    keeper.record(Self.refusal(of: 1))
    keeper.record(CredentialFeedback(target: Self.target, serial: 2, outcome: .accepted))
    clock.advance(by: .seconds(70))
    keeper.record(Self.refusal(of: 2))
    #expect(await serials.next() == 3)
    #expect(source.timesAsked == 3)
    keeper.stop()
  }

  @Test func withoutCredentialsThereIsNothingToWaitFor() async throws {
    let keeper = try CredentialRenewer(
      [], on: CredentialThread(), clock: SystemClock(), seed: 1, timeout: .seconds(30), post: { _ in })
    #expect(try await keeper.first().providers.isEmpty)
    keeper.record(Self.refusal(of: 0))
    keeper.stop()
  }

  /// A run's timing thread holds the keeper, and is held by what the keeper tells: a circle for each run of a daemon.
  @Test func whenItIsStoppedItHoldsNobody() throws {
    final class Sender: Sendable {}
    let keeper = try CredentialRenewer(
      [], on: CredentialThread(), clock: SystemClock(), seed: 1, timeout: .seconds(30), post: { _ in })
    weak var sender: Sender?
    do {
      let held = Sender()
      sender = held
      keeper.onRenewal { [held] _, _ in
        _ = held
      } tryAgain: { [held] _ in
        _ = held
      }
    }
    #expect(sender != nil)
    keeper.stop()
    #expect(sender == nil)
  }

  @Test func stoppingDoesNotLeaveAnybodyWaiting() async throws {
    let failures = [CredentialOutcome](
      repeating: .failed("no", isFinal: false, retryAfter: .seconds(3600)), count: 50)
    let keeper = try CredentialRenewer(
      [Self.item(ScriptedSource(failures))], on: CredentialThread(), clock: SystemClock(), seed: 1,
      timeout: .seconds(30),
      post: { _ in })
    keeper.stop()
    await #expect(throws: CollectorError.self) { try await keeper.first() }
  }
}
