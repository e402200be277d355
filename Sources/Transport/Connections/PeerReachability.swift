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

  /// Records whether a connection is usable; called whenever one may have come or gone.
  mutating func record(isUsable: Bool, at now: MonotonicTime) {
    availability.record(isUsable: isUsable, at: now)
  }

  mutating func recordConnected(_ connection: Int64, at now: MonotonicTime) {
    availability.record(isUsable: true, at: now)
    reporter.emit(
      .connected, connection: connection, at: now,
      detail: availability.outage.map { "after \($0.words(at: now))" } ?? "")
  }

  mutating func recordAnswer(at now: MonotonicTime) {
    backoff.recordSuccess()
    if let over = availability.recordAnswer(at: now) {
      let what = over.isRefusal ? "the peer takes requests again" : "connected again"
      reporter.log(.notice, "\(what) after \(over.words(at: now))")
    }
  }

  /// No attempt could begin.
  mutating func recordNoAttempt(at now: MonotonicTime) { backoff.recordFailure(at: now) }

  /// A connection could not be opened.
  mutating func recordFailure(_ reason: FailureReason, _ detail: String, at now: MonotonicTime) {
    backoff.recordFailure(at: now)
    if availability.recordFailedAttempt(reason, detail, at: now) { warnOfOutage(at: now) }
  }

  /// A connection stood and was of no use.
  mutating func record(_ fault: ConnectionFault, at now: MonotonicTime) {
    backoff.recordFailure(at: now)
    if availability.record(fault, at: now) { warnOfOutage(at: now) }
  }

  private func warnOfOutage(at now: MonotonicTime) {
    guard let outage = availability.outage else { return }
    let what = outage.isRefusal ? "the peer takes no requests" : "cannot connect"
    let since = outage.attempts > 1 ? " after \(outage.words(at: now))" : ""
    reporter.log(
      .warning,
      "\(what) (\(outage.reason.rawValue))\(since): \(outage.detail)\(nextAttemptWords(at: now))")
  }

  // MARK: Attempts

  func permitsAttempt(at now: MonotonicTime) -> Bool { backoff.permits(at: now) }

  /// No connection is opened before this.
  var nextAttempt: MonotonicTime? { backoff.earliest }

  /// `; next attempt in 250 ms`, or nothing.
  func nextAttemptWords(at now: MonotonicTime) -> String {
    backoff.earliest.map { "; next attempt in \(LengthText.text($0 - now))" } ?? ""
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

extension ConnectionAvailability.Outage {
  /// Whether the peer was reached and refused to work.
  fileprivate var isRefusal: Bool { reason == .goaway || reason == .refusedStream }
}
