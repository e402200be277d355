import Measurement
import Providers
import Synchronization
import TestKit
import Testing
import TransportTestKit

@testable import Collector
@testable import Transport

/// A source that does as it is told, and counts.
final class ScriptedSource: CredentialSource {
  let name = "test token"
  let isRemote: Bool
  private let outcomes: Mutex<[CredentialOutcome]>
  private let asked = Mutex(0)

  init(isRemote: Bool = false, _ outcomes: [CredentialOutcome] = []) {
    self.isRemote = isRemote
    self.outcomes = Mutex(outcomes)
  }

  var timesAsked: Int { asked.withLock { $0 } }

  func issue(at now: WallTime) -> CredentialOutcome {
    let count = asked.withLock { count in
      count += 1
      return count
    }
    let scripted = outcomes.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    return scripted ?? .issued(value: "token-\(count)", lifetime: .seconds(3600), took: "")
  }
}

@Suite struct CredentialRegistryTests {
  private final class Fixture {
    let clock = SteppedHostClock()
    var replaced: [(target: Int64, header: String)] = []
    var events: [Event] = []
    var lines: [LogLine] = []
    var trials: [Int64] = []
    private(set) lazy var registry = makeRegistry()
    private let items: [CredentialRegistry.Item]

    init(_ items: [CredentialRegistry.Item]) { self.items = items }

    private func makeRegistry() -> CredentialRegistry {
      CredentialRegistry(
        items, clock: clock, seed: 5, replace: { [unowned self] in note($0.providers, of: $1) },
        tryAgain: { [unowned self] in trials.append($0.rawValue) },
        post: { [unowned self] observations in
          for observation in observations {
            if case .event(let event) = observation { events.append(event) }
            if case .log(let line) = observation { lines.append(line) }
          }
        })
    }

    private func note(_ providers: [any Provider], of target: TargetID) {
      var generator = SeededGenerator(seed: 1)
      let run = RunID(at: WallTime(microseconds: 0), using: &generator)
      let notification = PushNotification(
        id: NotificationID(run: run, sample: SampleID(target: target, sequence: 1)),
        plannedAt: WallTime(microseconds: 0))
      let headers = providers.first?.request(for: notification).headers ?? []
      replaced.append((target.rawValue, headers.first { $0.name == "authorization" }?.value ?? ""))
    }
  }

  private static func client(_ target: Int64) -> CredentialRegistry.Client {
    CredentialRegistry.Client(
      target: TargetID(rawValue: target), providers: { [TokenProvider(token: $0)] },
      advice: { _, reason in reason == "ExpiredProviderToken" ? "look at the clock" : "" })
  }

  @Test func oneTokenServesAllItsTargets() {
    let source = ScriptedSource()
    let fixture = Fixture([
      .init(source: source, rule: .apns, clients: [Self.client(1), Self.client(2), Self.client(3)])
    ])
    #expect(!fixture.registry.isComplete)
    _ = fixture.registry.step()
    #expect(fixture.registry.isComplete)
    #expect(source.timesAsked == 1)
    #expect(fixture.replaced.map(\.target) == [1, 2, 3])
    #expect(fixture.replaced.allSatisfy { $0.header == "token-1" })
    #expect(fixture.events.map(\.kind) == [.tokenRefreshed, .tokenRefreshed, .tokenRefreshed])
  }

  @Test func renewalsGoOnForDays() {
    let source = ScriptedSource()
    let fixture = Fixture([.init(source: source, rule: .apns, clients: [Self.client(1)])])
    for _ in 0..<(48 * 360) {
      let rest = fixture.registry.step()
      #expect(rest <= CredentialRegistry.longestRest)
      fixture.clock.advance(by: .seconds(10))
    }
    #expect(source.timesAsked == 48 * 60 / 40)
    #expect(fixture.replaced.last?.header == "token-72")
  }

  @Test func aSlowIssuerDoesNotKeepOthersWaiting() {
    let remote = ScriptedSource(isRemote: true)
    let local = ScriptedSource()
    let fixture = Fixture([
      .init(source: remote, rule: .oauth, clients: [Self.client(1)]),
      .init(source: local, rule: .apns, clients: [Self.client(2)]),
    ])
    _ = fixture.registry.step()
    #expect(fixture.replaced.map(\.target) == [2, 1])
  }

  @Test func anIssuerThatFailsIsSaidOnceAndAskedAgain() {
    let source = ScriptedSource(
      isRemote: true,
      [
        .issued(value: "first", lifetime: .seconds(3600), took: "143 ms"),
        .failed("503", isFinal: false, retryAfter: nil), .failed("503", isFinal: false, retryAfter: nil),
      ])
    let fixture = Fixture([.init(source: source, rule: .oauth, clients: [Self.client(1)])])
    _ = fixture.registry.step()
    #expect(fixture.events.first?.detail == "test token made in 143 ms")
    for _ in 0..<400 {
      fixture.clock.advance(by: .seconds(10))
      _ = fixture.registry.step()
    }
    // 55 minutes, two failures, the next one.
    #expect(source.timesAsked == 4)
    #expect(fixture.lines.count == 1 && fixture.lines.first?.level == .error)
    #expect(fixture.lines.first?.message.contains("503") == true)
    #expect(fixture.replaced.map(\.header) == ["first", "token-4"])
    #expect(fixture.events.last?.detail == "test token renewed")
    #expect(fixture.registry.finalFailure == nil)
  }

  @Test func whatIsInVainIsSaid() {
    let source = ScriptedSource(
      isRemote: true, [.failed("invalid_grant", isFinal: true, retryAfter: nil)])
    let fixture = Fixture([.init(source: source, rule: .oauth, clients: [Self.client(1)])])
    _ = fixture.registry.step()
    #expect(fixture.registry.finalFailure == "no test token: invalid_grant")
    #expect(!fixture.registry.isComplete)
  }

  private static func refusal(
    _ target: Int64 = 1, serial: Int, _ status: Int = 401, _ reason: String = "UNAUTHENTICATED"
  ) -> CredentialFeedback {
    CredentialFeedback(
      target: TargetID(rawValue: target), serial: serial, outcome: .refused(status: status, reason: reason))
  }

  @Test func aRefusedTokenIsRenewedOnceAndAtOnce() {
    let source = ScriptedSource(isRemote: true)
    let fixture = Fixture([.init(source: source, rule: .oauth, clients: [Self.client(1), Self.client(2)])])
    _ = fixture.registry.step()
    fixture.clock.advance(by: .seconds(30))
    for _ in 0..<50 {
      fixture.registry.record(Self.refusal(1, serial: 1))
      fixture.registry.record(Self.refusal(2, serial: 1))
      fixture.registry.record(Self.refusal(77, serial: 1))
    }
    _ = fixture.registry.step()
    #expect(source.timesAsked == 2)
    #expect(fixture.replaced.map(\.header) == ["token-1", "token-1", "token-2", "token-2"])
    #expect(fixture.events.map(\.kind).filter { $0 == .retryAfter }.count == 2)
    #expect(
      fixture.events.first { $0.kind == .retryAfter }?.detail
        == "401 UNAUTHENTICATED: nothing is sent before there is a new test token")
    // What is said of the old one later is no news, and quiet follows.
    fixture.registry.record(Self.refusal(1, serial: 1))
    for _ in 0..<300 {
      fixture.clock.advance(by: .seconds(10))
      _ = fixture.registry.step()
    }
    #expect(source.timesAsked == 2 && fixture.trials == [])
  }

  /// Apple takes no new token within 20 minutes: there is a pause, one event that says what to do, one line.
  @Test func aYoungTokenThatIsRefusedIsSaidOnceAndTriedAgain() {
    let source = ScriptedSource()
    let fixture = Fixture([.init(source: source, rule: .apns, clients: [Self.client(1)])])
    _ = fixture.registry.step()
    fixture.clock.advance(by: .seconds(180))
    let refusal = Self.refusal(serial: 1, 403, "ExpiredProviderToken")
    for _ in 0..<50 { fixture.registry.record(refusal) }
    let pauses = fixture.events.filter { $0.kind == .retryAfter }
    #expect(pauses.count == 1 && fixture.lines.count == 1)
    let detail = pauses.first?.detail ?? ""
    #expect(
      detail.hasPrefix("403 ExpiredProviderToken for the test token of 3 min ago: nothing is sent for 1")
        && detail.hasSuffix("look at the clock"), "\(detail)")
    for _ in 0..<15 {
      _ = fixture.registry.step()
      fixture.clock.advance(by: .seconds(1))
    }
    _ = fixture.registry.step()
    #expect(fixture.trials == [1] && source.timesAsked == 1)
    // Refused again: a longer pause, and nothing more in the log.
    fixture.registry.record(refusal)
    #expect(fixture.events.filter { $0.kind == .retryAfter }.count == 2 && fixture.lines.count == 1)
    fixture.registry.record(CredentialFeedback(target: TargetID(rawValue: 1), serial: 1, outcome: .accepted))
    #expect(fixture.lines.last?.message == "the test token is accepted again")
  }

  @Test func anOldTokenThatIsRefusedIsReplacedAtOnceAndThenLeftAlone() {
    let source = ScriptedSource()
    let fixture = Fixture([.init(source: source, rule: .apns, clients: [Self.client(1)])])
    _ = fixture.registry.step()
    fixture.clock.advance(by: .seconds(25 * 60))
    fixture.registry.record(Self.refusal(serial: 1, 403, "ExpiredProviderToken"))
    _ = fixture.registry.step()
    #expect(fixture.replaced.map(\.header) == ["token-1", "token-2"])
    // The second is refused as well: no third within 20 minutes.
    for _ in 0..<(19 * 60) {
      fixture.registry.record(Self.refusal(serial: 2, 403, "ExpiredProviderToken"))
      _ = fixture.registry.step()
      fixture.clock.advance(by: .seconds(1))
    }
    #expect(source.timesAsked == 2)
    #expect((3...7).contains(fixture.trials.count), "\(fixture.trials.count)")
  }
}
