import Measurement

/// Whether a target's peer can be reached: when the next connection may be opened, what a notification has failed by that
/// found none, and what events and log lines tell of it.
struct PeerReachability {
  private var availability = ConnectionAvailability()
  private var backoff: ReconnectBackoff
  private let reporter: TargetReporter

  init(seed: UInt64, reporter: TargetReporter) {
    backoff = ReconnectBackoff(seed: seed)
    self.reporter = reporter
  }

  /// To be called whenever a connection may have come or gone.
  mutating func note(isUsable: Bool, at now: MonotonicTime) {
    availability.note(isUsable: isUsable, at: now)
  }

  mutating func noteConnected(_ connection: Int64, at now: MonotonicTime) {
    availability.note(isUsable: true, at: now)
    reporter.emit(
      .connected, connection: connection, at: now,
      detail: availability.outage.map { "after \($0.words(at: now))" } ?? "")
  }

  mutating func noteAnswer(at now: MonotonicTime) {
    backoff.noteSuccess()
    if let over = availability.noteAnswer() {
      reporter.log(.notice, "connected again after \(over.words(at: now))")
    }
  }

  /// No attempt could begin.
  mutating func noteNoAttempt(at now: MonotonicTime) { backoff.noteFailure(at: now) }

  /// A connection could not be opened, or was lost before it had given an answer.
  mutating func noteFailure(_ reason: FailureReason, _ detail: String, at now: MonotonicTime) {
    backoff.noteFailure(at: now)
    guard availability.noteFailedAttempt(reason, detail, at: now), let outage = availability.outage else {
      return
    }
    let since = outage.attempts > 1 ? " after \(outage.words(at: now))" : ""
    reporter.log(
      .warning, "cannot connect (\(reason.rawValue))\(since): \(detail)\(nextAttemptWords(at: now))")
  }

  // MARK: Attempts

  func permitsAttempt(at now: MonotonicTime) -> Bool { backoff.permits(at: now) }

  /// No connection is opened before this.
  var nextAttempt: MonotonicTime? { backoff.earliest }

  /// `; next attempt in 250 ms`, or nothing.
  func nextAttemptWords(at now: MonotonicTime) -> String {
    backoff.earliest.map { "; next attempt in \(($0 - now).microseconds / 1000) ms" } ?? ""
  }

  // MARK: Notifications without a connection

  /// What a notification has failed by that waited in vain; `nil` when there was a connection since its plan.
  /// - Parameter underWay: the phase of the attempt that is under way, if one is.
  func failure(of notification: PlannedNotification, underWay: FailureReason?) -> FailureReason? {
    availability.failure(ofPlanned: notification.planned, underWay: underWay)
  }

  /// `no connection within max_lag; the last attempt (connect): …`.
  var failureWords: String {
    "no connection within max_lag"
      + (availability.outage.map { "; the last attempt (\($0.reason.rawValue)): \($0.detail)" } ?? "")
  }
}
