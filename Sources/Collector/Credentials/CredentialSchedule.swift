import Measurement
import Transport

/// When one credential is to be renewed; a value that takes the time as input.
///
/// A renewal is due before the credential expires, but not within the rule's floor after the last one. After a failure it waits for
/// 1 s, doubled each time up to 60 s. A wall clock that is set, perhaps for a moment, renews nothing: the provider says whether the
/// credential's date is still good, and a new one's may be bad for as long as the floor.
///
/// A refused credential is renewed at once if it is old enough. If not, or if the new one is refused as well, there is a pause
/// that grows from refusal to refusal (`ExponentialDelay.afterRefusal`). At its end the credential is renewed, or the same one is tried
/// again.
struct CredentialSchedule: Sendable {
  static let firstWait = Duration.seconds(1)
  static let longestWait = Duration.seconds(60)

  let rule: CredentialRule
  private(set) var issued: CredentialInstant?
  private var renewal: MonotonicTime?
  private(set) var failures = 0
  private var notBefore: MonotonicTime?
  /// It was refused and is to be renewed as soon as possible.
  private var isRenewalWanted = false
  /// The end of the pause after a refusal.
  private var pauseEnd: MonotonicTime?
  /// The number of refusals since the provider last accepted one.
  private var refusals = 0
  private var pauses: ExponentialDelay
  private var generator: SeededGenerator

  init(rule: CredentialRule, seed: UInt64) {
    self.rule = rule
    var seeds = SeededGenerator(seed: seed)
    generator = SeededGenerator(seed: seeds.next())
    pauses = .afterRefusal(seed: seeds.next())
  }

  func isDue(at now: CredentialInstant) -> Bool {
    if let notBefore, now.elapsed < notBefore { return false }
    guard let renewal, let age = age(at: now) else { return true }
    if isRenewalWanted { return true }
    if let pauseEnd, now.elapsed >= pauseEnd, age >= rule.refusedFloor { return true }
    return age >= rule.floor && now.elapsed >= renewal
  }

  /// The next instant at which something can be due by time alone.
  var nextLook: MonotonicTime? {
    guard let issued, let renewal else { return notBefore }
    let due = isRenewalWanted ? issued.elapsed : max(renewal, issued.elapsed + rule.floor)
    let next = max(due, notBefore ?? due)
    return pauseEnd.map { min($0, next) } ?? next
  }

  func age(at now: CredentialInstant) -> Duration? { issued.map { now.elapsed - $0.elapsed } }

  /// A new one was issued.
  mutating func recordIssued(lifetime: Duration, at now: CredentialInstant) {
    isRenewalWanted = false
    pauseEnd = nil
    failures = 0
    notBefore = nil
    issued = now
    renewal = now.elapsed + max(.seconds(1), rule.renewal(of: lifetime))
  }

  /// The issuer failed.
  /// - Parameter retryAfter: the wait that the issuer asks for.
  mutating func recordFailure(retryAfter: Duration? = nil, at now: CredentialInstant) {
    failures += 1
    let doubled = Self.firstWait.nanoseconds << Int64(min(failures - 1, 20))
    let full = min(doubled, Self.longestWait.nanoseconds)
    let wait = full / 2 + Int64(Double(full / 2) * generator.unit())
    notBefore = now.elapsed + max(.nanoseconds(wait), retryAfter ?? .zero)
  }

  /// The provider refused the credential.
  /// - Returns: what to do; `nil` when it is being done already.
  mutating func recordRefusal(at now: CredentialInstant) -> RefusedCredentialAction? {
    guard let age = age(at: now), !isRenewalWanted, pauseEnd == nil else { return nil }
    refusals += 1
    if refusals == 1, age >= rule.refusedFloor {
      isRenewalWanted = true
      return .renew
    }
    let end = now.elapsed + pauses.next()
    pauseEnd = end
    return .pause(until: end)
  }

  /// Whether the refused one is to be tried again now: its pause has ended and no renewal was due.
  mutating func beginTrial(at now: CredentialInstant) -> Bool {
    guard let pauseEnd, now.elapsed >= pauseEnd else { return false }
    self.pauseEnd = nil
    return true
  }

  /// The provider accepted the credential after a refusal.
  mutating func recordAccepted() {
    refusals = 0
    pauses.reset()
  }
}

/// What is done about a refused credential. Nothing is sent until then.
enum RefusedCredentialAction: Sendable, Equatable {
  /// Renew it at once.
  case renew
  /// Wait; then renew it if the rule allows, else try the same one again.
  case pause(until: MonotonicTime)
}

/// When a kind of credential is renewed.
struct CredentialRule: Sendable, Equatable {
  /// How long before its expiry it is renewed, but not before half its lifetime.
  var margin: Duration
  /// The shortest time between two renewals, unless the provider refused the credential.
  var floor: Duration
  /// The shortest time between two renewals in any case.
  var refusedFloor: Duration

  /// Apple accepts a token for an hour, and no new one within 20 minutes: renewed after 40.
  static let apns = CredentialRule(
    margin: .seconds(20 * 60), floor: .seconds(20 * 60), refusedFloor: .seconds(20 * 60))
  /// Google's OAuth tokens are valid for an hour: renewed 5 minutes before the end.
  static let oauth = CredentialRule(
    margin: .seconds(5 * 60), floor: .seconds(60), refusedFloor: .seconds(1))
  /// The sender chooses the lifetime of VAPID tokens (RFC 8292, section 2: at most 24 hours).
  static let vapid = CredentialRule(
    margin: .seconds(3600), floor: .seconds(60), refusedFloor: .seconds(1))

  func renewal(of lifetime: Duration) -> Duration { max(lifetime / 2, lifetime - margin) }
}

/// One instant on the clock that measures a credential's age.
struct CredentialInstant: Sendable, Equatable {
  /// CLOCK_MONOTONIC and the time suspended: a token ages while the host is suspended.
  var elapsed: MonotonicTime
}

extension CredentialInstant {
  init(reading clock: any HostClock) {
    self.init(elapsed: clock.monotonicNow() + clock.suspendedTotal())
  }
}
