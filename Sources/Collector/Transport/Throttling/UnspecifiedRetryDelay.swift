import Measurement

/// How long to be silent after an answer that asks for it without naming a time: doubling with each such answer, drawn
/// anew each time, forgotten with the first good answer.
///
/// Answers to requests that were under way together count as one: a burst of refusals is one wish for silence.
public struct UnspecifiedRetryDelay: Sendable, Hashable {
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

  /// 429 (RFC 6585, section 4). No service wants to be asked again within ten seconds.
  public static let afterTooMany = UnspecifiedRetryDelay(
    statuses: [429], first: .seconds(10), longest: .seconds(900))
}

/// How to go on with a service that is in trouble: after 500, 502 or 503 without `Retry-After`.
///
/// Nobody asked for silence, and an outage is when data is wanted most. So the pause is ours, and in it one notification
/// each ``probeEvery`` is sent all the same; the first that is answered well ends it.
public struct ErrorBackoff: Sendable, Hashable {
  static let statuses: Set<Int> = [500, 502, 503]

  /// The first pause lies between this and half more; each further one is twice as long.
  public var first: Duration
  public var longest: Duration
  /// `nil` for none: nothing is sent in the pause.
  public var probeEvery: Duration?

  public init(
    first: Duration = .seconds(10), longest: Duration = .seconds(900), probeEvery: Duration? = .seconds(10)
  ) {
    self.first = first
    self.longest = longest
    self.probeEvery = probeEvery
  }
}
