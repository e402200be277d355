import Measurement

/// How many requests may be under way on one connection.
///
/// A new connection is primed: it gets one request, and more only after that one was answered (APNs allows a single
/// stream until it has seen a good token, and bursts on fresh connections break many servers). After that the limit is
/// the peer's SETTINGS_MAX_CONCURRENT_STREAMS (RFC 9113, section 6.5.2). libcurl knows that number but does not tell;
/// it keeps to it, though, by leaving a request beyond it in a queue of its own before anything is sent. So it is
/// learnt by being refused: a request that did not start at once is taken back into our queue, and what was under way
/// then is the limit. From time to time one more is tried, because the peer may raise its limit at any moment.
struct StreamAllowance: Sendable {
  static let firstRetry = Duration.milliseconds(20)
  static let lastRetry = Duration.seconds(1)

  /// Our own limit.
  let ceiling: Int
  private(set) var isPrimed = false
  /// What the peer was found to take; `nil` while it never refused.
  private(set) var learnt: Int?
  private var retryAt = MonotonicTime.zero
  private var retryInterval = StreamAllowance.firstRetry

  init(ceiling: Int) { self.ceiling = max(1, ceiling) }

  func permits(inFlight: Int, at now: MonotonicTime) -> Bool {
    guard isPrimed else { return inFlight == 0 }
    guard inFlight < ceiling else { return false }
    guard let learnt else { return true }
    return inFlight < learnt || now >= retryAt
  }

  /// When one more is worth a try although the learnt limit is reached.
  var nextTry: MonotonicTime? { isPrimed && learnt != nil ? retryAt : nil }

  mutating func noteAnswer() { isPrimed = true }

  /// libcurl did not start a request while `inFlight` were under way.
  /// - Returns: whether the limit is news.
  mutating func noteRefusal(inFlight: Int, at now: MonotonicTime) -> Bool {
    let limit = max(1, inFlight)
    let isNews = learnt != limit
    retryInterval = isNews ? Self.firstRetry : min(retryInterval * 2, Self.lastRetry)
    retryAt = now + retryInterval
    learnt = limit
    return isNews
  }

  /// A request started; `inFlight` are under way now, it included.
  /// - Returns: whether that is more than the peer was thought to take.
  mutating func noteStart(inFlight: Int) -> Bool {
    guard let limit = learnt, inFlight > limit else { return false }
    learnt = nil
    return true
  }
}
