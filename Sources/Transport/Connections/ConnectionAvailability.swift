import Measurement

/// Whether a target has, and lately had, a connection that requests could go onto, as a value that a clock steps.
///
/// It decides what becomes of a notification that waited until `max_lag` had passed: with a connection at any time since
/// its plan the wait was ours, and it is missed (`lag`); without one it has failed, for the reason that there was none.
/// A connection that turned out to be of no use (``ConnectionFault``) is no connection, and neither is the next one until it
/// has given an answer.
struct ConnectionAvailability: Sendable {
  /// Attempts that failed since the last answer.
  struct Outage: Sendable, Equatable {
    var began: MonotonicTime
    var attempts = 0
    /// The failure of the last attempt.
    var reason: FailureReason
    var detail: String
    /// Whether an attempt came to a connection, which was of no use.
    var hadConnection: Bool

    /// `23 failed attempts in 61 s`.
    func words(at now: MonotonicTime) -> String {
      "\(CountText.text(attempts, "failed attempt")) in \(LengthText.text(now - began))"
    }
  }

  private(set) var outage: Outage?
  private var isUsable = false
  /// The latest instant at which there was one; `nil` while there never was.
  private var lastUsable: MonotonicTime?
  /// What ``lastUsable`` is worth if the connection that stands turns out to be of no use.
  private var lastTrusted: MonotonicTime?
  /// Why the last attempt failed; `nil` when it did not.
  private var lastReason: FailureReason?
  /// When the log last told of the outage.
  private var reportedAt: MonotonicTime?

  /// How often the log tells of one outage.
  static let reportingInterval = Duration.seconds(60)

  /// Records whether a connection is usable; called whenever one may have come or gone.
  mutating func record(isUsable: Bool, at now: MonotonicTime) {
    if !isDoubted {
      if isUsable || self.isUsable { lastUsable = now }
      if isUsable { lastReason = nil }
    }
    self.isUsable = isUsable
  }

  /// A connection was of no use, and none has given an answer since.
  private var isDoubted: Bool { outage?.hadConnection ?? false }

  /// A connection could not be opened.
  /// - Returns: whether the log is to tell of it: of the first attempt, and then once a minute.
  mutating func recordFailedAttempt(_ reason: FailureReason, _ detail: String, at now: MonotonicTime) -> Bool
  {
    recordOutage(reason, detail, isConnected: false, at: now)
  }

  /// A connection stood and was of no use.
  /// - Returns: whether the log is to tell of it, as of a failed attempt.
  mutating func record(_ fault: ConnectionFault, at now: MonotonicTime) -> Bool {
    lastUsable = lastTrusted
    return recordOutage(fault.reason, fault.detail, isConnected: true, at: now)
  }

  private mutating func recordOutage(
    _ reason: FailureReason, _ detail: String, isConnected: Bool, at now: MonotonicTime
  ) -> Bool {
    lastReason = reason
    var outage =
      self.outage ?? Outage(began: now, reason: reason, detail: detail, hadConnection: false)
    outage.attempts += 1
    outage.reason = reason
    outage.detail = detail
    outage.hadConnection = outage.hadConnection || isConnected
    self.outage = outage
    if let reportedAt, now - reportedAt < Self.reportingInterval { return false }
    reportedAt = now
    return true
  }

  /// A connection gave an answer.
  /// - Returns: the outage that is over by that; `nil` when there was none.
  mutating func recordAnswer(at now: MonotonicTime) -> Outage? {
    let over = outage
    outage = nil
    reportedAt = nil
    record(isUsable: isUsable, at: now)
    lastTrusted = lastUsable
    return over
  }

  /// What a notification has failed by that was not sent within `max_lag` of its plan; `nil` when it could have been.
  /// - Parameter underWay: the phase of the attempt that is under way, if one is.
  func failure(ofPlanned planned: MonotonicTime, underWay: FailureReason?) -> FailureReason? {
    guard !isUsable || isDoubted else { return nil }
    if let lastUsable, lastUsable >= planned { return nil }
    return isDoubted ? lastReason : underWay ?? lastReason
  }
}

/// How long to leave a peer in peace after a connection failed or was of no use: doubling from 0.1 s to 5 s, each wait drawn between half
/// and all of it, so that many collectors do not come back at once.
///
/// Meanwhile due notifications wait in our queue until `max_lag` has passed (``ConnectionAvailability``). The first one
/// waiting at the end of a step opens the connection, and if that fails, it has failed with it. An attempt ends after
/// ``longestAttempt`` at the latest, so that while notifications come due another one begins within 15 s.
public struct ReconnectBackoff: Sendable {
  static let shortest = Duration.milliseconds(100)
  public static let longest = Duration.seconds(5)
  /// Looking up the name, connecting and the TLS handshake together.
  static let longestAttempt = Duration.seconds(10)

  public private(set) var failures = 0
  /// No connection is opened before this.
  public private(set) var earliest: MonotonicTime?
  private var generator: SeededGenerator

  public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// A connection could not be opened, or was of no use (``ConnectionFault``).
  public mutating func recordFailure(at now: MonotonicTime) {
    failures += 1
    let doubled = Self.shortest.nanoseconds << Int64(min(failures - 1, 20))
    let full = min(doubled, Self.longest.nanoseconds)
    earliest = now + .nanoseconds(full / 2 + Int64(Double(full / 2) * generator.unit()))
  }

  /// The peer asked for more time than the wait gives it.
  public mutating func hold(until instant: MonotonicTime) { earliest = max(earliest ?? instant, instant) }

  /// A connection gave an answer.
  public mutating func recordSuccess() {
    failures = 0
    earliest = nil
  }

  func permits(at now: MonotonicTime) -> Bool { earliest.map { now >= $0 } ?? true }
}
