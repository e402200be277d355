import Measurement

/// When one credential is to be renewed, as a value that a clock steps.
///
/// It is due before its life ends, or when the wall clock was set (what dates it is then wrong), but not within the rule's
/// floor of the last one; and after a failure not before a wait that doubles from 1 s to 60 s.
///
/// A credential that the provider refused is renewed at once, if it is old enough for that. Where it is not, or the new
/// one is refused as well, time is needed: a pause that doubles from 10 s to 15 minutes, each drawn between once and one
/// and a half times that. At its end there is a new one, or the same one is tried again.
struct CredentialSchedule: Sendable {
  static let firstWait = Duration.seconds(1)
  static let longestWait = Duration.seconds(60)
  static let firstPause = Duration.seconds(10)
  static let longestPause = Duration.seconds(900)
  /// A wall clock that moved by more than this against the elapsed time was set.
  static let clockStep = Duration.seconds(30)

  let rule: CredentialRule
  private(set) var issued: CredentialInstant?
  private var renewal: MonotonicTime?
  private(set) var failures = 0
  private var notBefore: MonotonicTime?
  /// It was refused, and another one is wanted as soon as one can be had.
  private var isRenewalWanted = false
  /// When a refused one's pause ends.
  private var pauseEnd: MonotonicTime?
  /// Since the provider last took one.
  private var refusals = 0
  private var pauses: ExponentialDelay
  private var generator: SeededGenerator

  init(rule: CredentialRule, seed: UInt64) {
    self.rule = rule
    var seeds = SeededGenerator(seed: seed)
    generator = SeededGenerator(seed: seeds.next())
    pauses = ExponentialDelay(first: Self.firstPause, longest: Self.longestPause, seed: seeds.next())
  }

  func isDue(at now: CredentialInstant) -> Bool {
    if let notBefore, now.elapsed < notBefore { return false }
    guard let renewal, let age = age(at: now) else { return true }
    if isRenewalWanted { return true }
    if let pauseEnd, now.elapsed >= pauseEnd, age >= rule.refusedFloor { return true }
    return age >= rule.floor && (now.elapsed >= renewal || wallClockWasSet(at: now))
  }

  /// The next instant at which something can be due by time alone.
  var nextLook: MonotonicTime? {
    guard let issued, let renewal else { return notBefore }
    let due = isRenewalWanted ? issued.elapsed : max(renewal, issued.elapsed + rule.floor)
    let next = max(due, notBefore ?? due)
    return pauseEnd.map { min($0, next) } ?? next
  }

  func age(at now: CredentialInstant) -> Duration? { issued.map { now.elapsed - $0.elapsed } }

  private func wallClockWasSet(at now: CredentialInstant) -> Bool {
    guard let issued else { return false }
    let drift =
      (now.wall.microseconds - issued.wall.microseconds) - (now.elapsed - issued.elapsed).microseconds
    return abs(drift) > Self.clockStep.microseconds
  }

  /// A new one came.
  mutating func noteIssued(lifetime: Duration, at now: CredentialInstant) {
    isRenewalWanted = false
    pauseEnd = nil
    failures = 0
    notBefore = nil
    issued = now
    renewal = now.elapsed + max(.seconds(1), rule.renewal(of: lifetime))
  }

  /// None came.
  /// - Parameter retryAfter: what the issuer asks for.
  mutating func noteFailure(retryAfter: Duration? = nil, at now: CredentialInstant) {
    failures += 1
    let doubled = Self.firstWait.nanoseconds << Int64(min(failures - 1, 20))
    let full = min(doubled, Self.longestWait.nanoseconds)
    let wait = full / 2 + Int64(Double(full / 2) * generator.unit())
    notBefore = now.elapsed + max(.nanoseconds(wait), retryAfter ?? .zero)
  }

  /// The provider answered a request that it does not take the credential.
  /// - Returns: what to do; `nil` when that is being done already.
  mutating func noteRefusal(at now: CredentialInstant) -> RefusedCredentialAction? {
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

  /// Whether the refused one is to be tried again now, because its pause is over and no new one may be had.
  mutating func takeTrial(at now: CredentialInstant) -> Bool {
    guard let pauseEnd, now.elapsed >= pauseEnd else { return false }
    self.pauseEnd = nil
    return true
  }

  /// The provider accepted one after it had refused.
  mutating func noteAccepted() {
    refusals = 0
    pauses.reset()
  }
}

/// What is done about a credential that was refused. Nothing is sent with it until then.
enum RefusedCredentialAction: Sendable, Equatable {
  /// A new one, at once.
  case renew
  /// Silence; then a new one if it may be made by then, else the same one is tried again.
  case pause(until: MonotonicTime)
}

/// When a kind of credential is renewed.
struct CredentialRule: Sendable, Equatable {
  /// So long before its end, but not before half its life.
  var margin: Duration
  /// Never sooner than this after the last one, unless the provider refused that.
  var floor: Duration
  /// Never sooner than this, refused or not.
  var refusedFloor: Duration

  /// Apple takes a token for an hour and no new one within 20 minutes: it is renewed at 40.
  static let apns = CredentialRule(
    margin: .seconds(20 * 60), floor: .seconds(20 * 60), refusedFloor: .seconds(20 * 60))
  /// OAuth tokens of Google live for an hour, and are to be renewed some minutes before.
  static let oauth = CredentialRule(
    margin: .seconds(5 * 60), floor: .seconds(60), refusedFloor: .seconds(1))
  /// VAPID tokens are ours to date (RFC 8292, section 2: at most 24 hours).
  static let vapid = CredentialRule(
    margin: .seconds(3600), floor: .seconds(60), refusedFloor: .seconds(1))

  func renewal(of lifetime: Duration) -> Duration { max(lifetime / 2, lifetime - margin) }
}

/// One moment on the clocks that a credential's age is told by.
struct CredentialInstant: Sendable, Equatable {
  /// CLOCK_MONOTONIC and the time asleep: a token grows old while the host sleeps.
  var elapsed: MonotonicTime
  /// What tokens are dated with.
  var wall: WallTime

  init(elapsed: MonotonicTime, wall: WallTime) {
    self.elapsed = elapsed
    self.wall = wall
  }

  init(reading clock: any HostClock) {
    self.init(elapsed: clock.monotonicNow() + clock.suspendedTotal(), wall: clock.wallNow())
  }
}
