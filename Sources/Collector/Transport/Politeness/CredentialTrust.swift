/// Whether a target's credential is believed in, as a value.
///
/// The first refusal ends the sending. It goes on when there is another credential, or when the same one is to be tried
/// again, and then with one request at a time until one was not refused. What was under way when either began says
/// nothing new: each request carries the epoch in which it left.
struct CredentialTrust: Sendable {
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

  /// - Parameter isAwaited: there is no credential yet, which is like one that was refused.
  init(isAwaited: Bool = false) { state = isAwaited ? .refused : .trusted }

  /// A request of that epoch was answered that its credential is not taken.
  /// - Returns: whether that is news.
  mutating func noteRefused(epoch: Int) -> Bool {
    guard epoch == self.epoch, state != .refused else { return false }
    state = .refused
    return true
  }

  /// A request of that epoch was answered like one whose credential is taken.
  /// - Returns: whether that ends a trial.
  mutating func noteTaken(epoch: Int) -> Bool {
    guard epoch == self.epoch, state == .onTrial else { return false }
    state = .trusted
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
    epoch += 1
    state = .onTrial
  }
}
