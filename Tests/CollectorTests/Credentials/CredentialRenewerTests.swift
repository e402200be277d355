import Measurement
import Providers
import Synchronization
import TestKit
import Testing
import TransportTestKit

@testable import Collector
@testable import Transport

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
    let renewer = try CredentialRenewer(
      [Self.item(ScriptedSource())], on: CredentialThread(), clock: SystemClock(), seed: 1,
      timeout: .seconds(30), post: { _ in })
    let first = try await renewer.first()
    #expect(first.providers.keys.map(\.rawValue) == [1])
    #expect(first.missing.isEmpty)
    let told = Mutex<[TargetID]>([])
    renewer.onRenewal { _, target in told.withLock { $0.append(target) } }
    #expect(told.withLock { $0 } == [Self.target])
    renewer.stop()
  }

  @Test func whatCannotBeMadeEndsTheRunBeforeItBegins() async throws {
    let source = ScriptedSource([.failed("the key is none", isFinal: true, retryAfter: nil)])
    let renewer = try CredentialRenewer(
      [Self.item(source)], on: CredentialThread(), clock: SystemClock(), seed: 1, timeout: .seconds(30),
      post: { _ in })
    await #expect(throws: CollectorError(.credentials, "no test token: the key is none")) {
      try await renewer.first()
    }
    renewer.stop()
  }

  @Test func anIssuerOutOfReachIsGivenTimeAndThenAskedOnAndOn() async throws {
    let source = ScriptedSource([.failed("connection refused", isFinal: false, retryAfter: nil)])
    let renewer = try CredentialRenewer(
      [Self.item(source)], on: CredentialThread(), clock: SystemClock(), seed: 1, timeout: .zero,
      post: { _ in })
    let first = try await renewer.first()
    #expect(first.missing.map(\.target) == [Self.target])
    #expect(first.missing.map(\.reason) == ["no test token: connection refused"])
    #expect(first.missing.map(\.providers.count) == [1])
    // It comes a moment later.
    let (renewals, told) = AsyncStream<Int>.makeStream()
    renewer.onRenewal { renewed, _ in told.yield(renewed.serial ?? 0) }
    var serials = renewals.makeAsyncIterator()
    #expect(await serials.next() == 1)
    renewer.stop()
  }

  /// From the timing thread's answer to new providers on the timing thread.
  @Test func aRefusedTokenIsReplaced() async throws {
    let clock = SteppedHostClock()
    let source = ScriptedSource(isRemote: true)
    let renewer = try CredentialRenewer(
      [Self.item(source)], on: CredentialThread(), clock: clock, seed: 1, timeout: .seconds(30),
      post: { _ in })
    _ = try await renewer.first()
    let (renewals, told) = AsyncStream<Int>.makeStream()
    renewer.onRenewal { renewed, _ in told.yield(renewed.serial ?? 0) }
    var serials = renewals.makeAsyncIterator()
    #expect(await serials.next() == 1)
    clock.advance(by: .seconds(70))
    renewer.record(Self.refusal(of: 1))
    #expect(await serials.next() == 2)
    #expect(source.timesAsked == 2)
    // What concerns an older one, or what is taken, asks for nothing.
    renewer.record(Self.refusal(of: 1))
    renewer.record(CredentialFeedback(target: Self.target, serial: 2, outcome: .accepted))
    clock.advance(by: .seconds(70))
    renewer.record(Self.refusal(of: 2))
    #expect(await serials.next() == 3)
    #expect(source.timesAsked == 3)
    renewer.stop()
  }

  @Test func withoutCredentialsThereIsNothingToWaitFor() async throws {
    let renewer = try CredentialRenewer(
      [], on: CredentialThread(), clock: SystemClock(), seed: 1, timeout: .seconds(30), post: { _ in })
    #expect(try await renewer.first().providers.isEmpty)
    renewer.record(Self.refusal(of: 0))
    renewer.stop()
  }

  /// A run's timing thread holds the renewer, and is held by what the renewer tells: a circle for each run of a daemon.
  @Test func whenItIsStoppedItHoldsNobody() throws {
    final class Sender: Sendable {}
    let renewer = try CredentialRenewer(
      [], on: CredentialThread(), clock: SystemClock(), seed: 1, timeout: .seconds(30), post: { _ in })
    weak var sender: Sender?
    do {
      let held = Sender()
      sender = held
      renewer.onRenewal { [held] _, _ in
        _ = held
      } tryAgain: { [held] _ in
        _ = held
      }
    }
    #expect(sender != nil)
    renewer.stop()
    #expect(sender == nil)
  }

  @Test func stoppingDoesNotLeaveAnybodyWaiting() async throws {
    let failures = [CredentialOutcome](
      repeating: .failed("no", isFinal: false, retryAfter: .seconds(3600)), count: 50)
    let renewer = try CredentialRenewer(
      [Self.item(ScriptedSource(failures))], on: CredentialThread(), clock: SystemClock(), seed: 1,
      timeout: .seconds(30),
      post: { _ in })
    renewer.stop()
    await #expect(throws: CollectorError.self) { try await renewer.first() }
  }
}
