import Measurement

/// How long to be silent after an answer that asks for it without naming a time: doubling with each such answer, drawn
/// anew each time, forgotten with the first good answer.
///
/// Answers to requests that were under way together count as one: a burst of refusals is one wish for silence.
public struct UnnamedPause: Sendable, Hashable {
  /// Statuses that ask for silence.
  public var statuses: Set<Int>
  public var first: Duration
  public var longest: Duration

  /// - Parameters:
  ///   - first: the shortest pause; the first one lies between this and half more.
  public init(statuses: Set<Int>, first: Duration, longest: Duration) {
    self.statuses = statuses
    self.first = first
    self.longest = longest
  }

  /// 429 alone (RFC 6585, section 4): for services that nobody wrote rules for.
  public static let afterTooMany = UnnamedPause(
    statuses: [429], first: .seconds(10), longest: .seconds(900))

  /// 429 and the errors that say "come back later": for the public push services. None wants to be asked again within
  /// ten seconds, and Apple speaks of a quarter of an hour.
  public static let ofPushServices = UnnamedPause(
    statuses: [429, 500, 502, 503], first: .seconds(10), longest: .seconds(900))
}
