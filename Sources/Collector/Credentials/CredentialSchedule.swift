import Measurement

/// When one credential is to be renewed, as a value that a clock steps.
///
/// It is due before its life ends, when the wall clock was set (what dates it is then wrong), or when the provider
/// refused it. It is never due within the rule's floor of the last one, and after a failure not before a wait that
/// doubles from 1 s to 60 s.
struct CredentialSchedule: Sendable {
  static let firstWait = Duration.seconds(1)
  static let longestWait = Duration.seconds(60)
  /// A wall clock that moved by more than this against the elapsed time was set.
  static let clockStep = Duration.seconds(30)
  /// Refusals so soon after a renewal are most likely of requests that left before it.
  static let grace = Duration.seconds(10)
  /// Refusals of one fresh credential after another double the floor up to this.
  static let longestFloor = Duration.seconds(3600)

  let rule: CredentialRule
  private(set) var issued: CredentialInstant?
  private var renewal: MonotonicTime?
  private(set) var failures = 0
  private var notBefore: MonotonicTime?
  /// The provider refused the one there is.
  private(set) var isRefused = false
  private var refusals = 0
  private var generator: SeededGenerator

  init(rule: CredentialRule, seed: UInt64) {
    self.rule = rule
    generator = SeededGenerator(seed: seed)
  }

  func isDue(at now: CredentialInstant) -> Bool {
    if let notBefore, now.elapsed < notBefore { return false }
    guard let issued, let renewal else { return true }
    guard now.elapsed - issued.elapsed >= floor else { return false }
    return isRefused || now.elapsed >= renewal || wallClockWasSet(at: now)
  }

  /// The next instant at which it can be due by time alone.
  var nextLook: MonotonicTime? {
    guard let issued, let renewal else { return notBefore }
    let due = isRefused ? issued.elapsed + floor : max(renewal, issued.elapsed + floor)
    return max(due, notBefore ?? due)
  }

  private var floor: Duration {
    min(max(Self.longestFloor, rule.floor), rule.floor * (1 << min(refusals, 10)))
  }

  private func wallClockWasSet(at now: CredentialInstant) -> Bool {
    guard let issued else { return false }
    let drift =
      (now.wall.microseconds - issued.wall.microseconds) - (now.elapsed - issued.elapsed).microseconds
    return abs(drift) > Self.clockStep.microseconds
  }

  /// A new one came.
  mutating func noteIssued(lifetime: Duration, at now: CredentialInstant) {
    refusals = isRefused ? refusals + 1 : 0
    isRefused = false
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
  /// - Returns: whether that is news.
  mutating func noteRefusal(at now: CredentialInstant) -> Bool {
    guard let issued, !isRefused, now.elapsed - issued.elapsed >= Self.grace else { return false }
    isRefused = true
    return true
  }
}
