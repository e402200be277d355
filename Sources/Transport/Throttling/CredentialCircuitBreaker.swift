import Measurement

/// Whether a target's credential is believed in, as a value.
///
/// The first refusal ends the sending. It goes on when there is another credential, or when the same one is to be tried
/// again, and then with one request at a time until one was not refused. What was under way when either began says
/// nothing new: each request carries the epoch in which it left.
///
/// A credential that is renewed has somebody who decides when. A fixed one, such as a password,
/// a client certificate or a header, has nobody: it is tried again after a pause that grows from refusal to refusal by
/// the same rule.
struct CredentialCircuitBreaker: Sendable {
  enum State: Sendable, Equatable {
    case trusted
    case refused
    /// One request at a time.
    case onTrial
  }

  private(set) var state: State
  private(set) var epoch = 0
  /// The number of the credential that is in use.
  private(set) var serial = 0

  /// When a fixed one that was refused is tried again.
  private(set) var trialAt: MonotonicTime?
  /// `nil` for a credential that somebody renews.
  private var pauses: ExponentialDelay?

  /// - Parameter isAwaited: there is no credential yet, which is like one that was refused.
  init(isAwaited: Bool = false) { state = isAwaited ? .refused : .trusted }

  /// A credential that stays what it is.
  init(fixedWithSeed seed: UInt64) {
    state = .trusted
    pauses = .afterRefusal(seed: seed)
  }

  var isFixed: Bool { pauses != nil }

  /// A request of that epoch was answered that its credential is not taken.
  /// - Returns: whether that is news.
  mutating func recordRefused(epoch: Int, at now: MonotonicTime) -> Bool {
    guard epoch == self.epoch, state != .refused else { return false }
    state = .refused
    trialAt = (pauses?.next()).map { now + $0 }
    return true
  }

  /// A request of that epoch was answered like one whose credential is taken.
  /// - Returns: whether that ends a trial.
  mutating func recordAccepted(epoch: Int) -> Bool {
    guard epoch == self.epoch, state == .onTrial else { return false }
    state = .trusted
    pauses?.reset()
    return true
  }

  /// There is another credential.
  mutating func renew(serial: Int) {
    self.serial = serial
    epoch += 1
    if state == .refused { state = .onTrial }
  }

  /// The refused one is to be tried again.
  mutating func tryAgain() {
    guard state == .refused else { return }
    trialAt = nil
    epoch += 1
    state = .onTrial
  }

  /// Tries a fixed one again when its pause is over.
  /// - Returns: whether it is.
  mutating func beginTrial(at now: MonotonicTime) -> Bool {
    guard let trialAt, now >= trialAt else { return false }
    tryAgain()
    return true
  }
}

/// What an answer says of a credential that is renewed during a run, where that was not known yet: the way back from the
/// timing thread to whoever renews it.
public struct CredentialFeedback: Sendable, Hashable {
  /// What was told of the credential.
  public enum Outcome: Sendable, Hashable {
    /// The provider refused it. Nothing is sent to the target until it gets another one, or is told to try this one again.
    /// The reason is the provider's own, or empty.
    case refused(status: Int, reason: String)
    /// The provider accepted it after a refusal.
    case accepted
  }

  public var target: TargetID
  /// Which of the target's credentials it was: the number that came with its providers.
  public var serial: Int
  public var outcome: Outcome
}
