import Measurement
import Providers

/// What answers mean for the sending that follows: pauses, back-off, and belief in the credential.
struct AnswerHandler {
  private let target: TransportTarget
  private let reporter: TargetReporter
  private var pauseRule: PauseRule
  /// The log was told of a pause, and the provider has taken nothing since.
  private var isPauseTold = false
  private var breaker: CredentialCircuitBreaker
  /// The log was told that a fixed credential is refused, and it was not taken since.
  private var isRefusalTold = false
  /// The request that tries a credential.
  private var trial: OutgoingRequest?
  /// Counts the receivers that the target had.
  private var receiverEpoch = 0

  init(target: TransportTarget, reporter: TargetReporter, seeds: inout SeededGenerator) {
    self.target = target
    self.reporter = reporter
    pauseRule = PauseRule(unnamed: target.unspecifiedRetryDelay, backoff: target.backoff, seed: seeds.next())
    breaker =
      target.credential == .fixed
      ? CredentialCircuitBreaker(fixedWithSeed: seeds.next())
      : CredentialCircuitBreaker(isAwaited: target.credential == .awaited)
  }

  // MARK: Credentials

  /// One request tries a credential, and no other is sent meanwhile.
  var isTrying: Bool { breaker.state == .onTrial && trial != nil }

  /// A request is handed to a lane.
  mutating func recordHanded(_ request: OutgoingRequest) {
    request.credentialEpoch = breaker.epoch
    request.receiverEpoch = receiverEpoch
    if breaker.state == .onTrial { trial = request }
  }

  /// A request has ended, or was taken back.
  mutating func recordEnded(_ request: OutgoingRequest) { if trial === request { trial = nil } }

  /// There is another credential.
  mutating func renew(serial: Int) { breaker.renew(serial: serial) }

  /// Goes on with the credential that was refused.
  mutating func tryAgain(_ schedule: inout TargetSchedule) {
    breaker.tryAgain()
    schedule.isCredentialRefused = false
  }

  /// Goes on with another receiver: what answers to earlier requests say of the former one or of its credential does not count.
  mutating func replaceReceiver(_ schedule: inout TargetSchedule) {
    receiverEpoch += 1
    trial = nil
    tryAgain(&schedule)
    schedule.resume(at: pauseRule.replaceReceiver())
  }

  /// - Returns: whether it is time to try a fixed credential again.
  mutating func beginTrial(at now: MonotonicTime) -> Bool { breaker.beginTrial(at: now) }

  // MARK: Answers

  /// Judges an answer, tells it, and lets `schedule` pause or go on by it.
  mutating func handle(
    _ answer: LaneAnswer, to request: OutgoingRequest, by provider: any Provider, receivedAt: WallTime,
    schedule: inout TargetSchedule, report: (AnsweredRequest) -> Void
  ) {
    let response = PushResponse(
      status: answer.status, headers: ResponseHeaders(lines: answer.headerLines), body: answer.body,
      receivedAt: receivedAt)
    let assessment = provider.assess(response)
    let isAccepted = assessment.decision == .accepted
    var reason: String?
    if case .rejected(let word) = assessment.decision, !word.isEmpty {
      reason = RequestSecrets(of: request.request).hidden(in: word)
    }
    let isOfReceiver = request.receiverEpoch == receiverEpoch
    if isOfReceiver {
      handleCredential(
        of: request, assessment, status: answer.status, reason: reason, at: answer.at, schedule: &schedule)
    }
    report(
      AnsweredRequest(
        id: SampleID(target: target.id, sequence: request.notification.sequence), at: answer.at,
        source: answer.source, status: answer.status, isAccepted: isAccepted, reason: reason,
        connection: request.use, attempt: request.attempt, httpVersion: answer.version, path: answer.path,
        peerAck: answer.peerAck,
        answerID: assessment.answerID.map { RequestSecrets(of: request.request).hidden(in: $0) }))
    let sent = request.sent ?? request.taken
    guard !isAccepted else {
      if pauseRule.recordAccepted(sentAt: sent) { endPause(&schedule) }
      return
    }
    let isReceiverUnknown = isOfReceiver && assessment.isReceiverUnknown
    let isNamed = response.headers["retry-after"] != nil
    let pause = pauseRule.recordRejected(
      status: answer.status, named: isNamed ? assessment.retryAfter : nil,
      guess: isNamed ? nil : assessment.retryAfter,
      isReceiverUnknown: isReceiverUnknown,
      sentAt: sent, answeredAt: answer.at)
    guard let pause else { return }
    let detail =
      "\(words(status: answer.status, reason: reason)): \(words(of: pause, from: answer.at, isNamed: isNamed))"
    reporter.emit(.retryAfter, connection: request.use?.id, at: answer.at, detail: detail)
    logPause(detail, status: answer.status, reason: reason, isReceiverUnknown: isReceiverUnknown)
    switch pause {
    case .silence(let until): schedule.pause(until: until)
    case .backoff(let until):
      schedule.backOff(until: until, probeEvery: target.backoff?.probeEvery, at: answer.at)
    }
  }

  private mutating func endPause(_ schedule: inout TargetSchedule) {
    schedule.endBackoff()
    guard isPauseTold else { return }
    isPauseTold = false
    reporter.log(.notice, "the service accepts notifications again")
  }

  private func words(status: Int, reason: String?) -> String {
    reason.map { "\(status) \($0)" } ?? "\(status)"
  }

  private func words(of pause: PauseRule.Pause, from now: MonotonicTime, isNamed: Bool) -> String {
    let length = "for \(LengthText.text(pause.until - now))"
    switch pause {
    case .silence: return "nothing is sent \(length)" + (isNamed ? "" : ", our own choice")
    case .backoff:
      guard let interval = target.backoff?.probeEvery else {
        return "nothing is sent \(length), our own choice"
      }
      return
        "back-off \(length), our own choice; one notification each \(LengthText.given(interval.microseconds)) is sent "
        + "until one is accepted"
    }
  }

  /// Tells the log of a pause, once; those that follow stand in the events.
  private mutating func logPause(_ detail: String, status: Int, reason: String?, isReceiverUnknown: Bool) {
    guard !isPauseTold else { return }
    isPauseTold = true
    let advice = target.advice(status, reason ?? "")
    let said = advice.isEmpty ? detail : "\(detail); \(advice)"
    if isReceiverUnknown {
      reporter.log(.error, "the receiver appears to be unregistered: \(said)")
    } else {
      reporter.log(.warning, said)
    }
  }

  /// Stops sending by a refused credential, and tells who renews it what the answer says of it.
  private mutating func handleCredential(
    of request: OutgoingRequest, _ assessment: ProviderAssessment, status: Int, reason: String?,
    at now: MonotonicTime, schedule: inout TargetSchedule
  ) {
    let outcome: CredentialFeedback.Outcome
    switch assessment.credential {
    case .renewedTooOften: return
    case .expired, .refused:
      guard breaker.recordRefused(epoch: request.credentialEpoch, at: now) else { return }
      schedule.isCredentialRefused = true
      if breaker.isFixed { return reportRefusal(of: request, status: status, reason: reason, at: now) }
      outcome = .refused(status: status, reason: reason ?? "")
    case nil:
      // A server in trouble has not looked at it.
      guard status < 500, status != 429, breaker.recordAccepted(epoch: request.credentialEpoch) else {
        return
      }
      if breaker.isFixed {
        if isRefusalTold { reporter.log(.notice, "the credential is accepted again") }
        isRefusalTold = false
        return
      }
      outcome = .accepted
    }
    reporter.report(CredentialFeedback(target: target.id, serial: breaker.serial, outcome: outcome))
  }

  /// Says that a credential is refused that nobody renews: an event each time, and the log once.
  private mutating func reportRefusal(
    of request: OutgoingRequest, status: Int, reason: String?, at now: MonotonicTime
  ) {
    guard let trialAt = breaker.trialAt else { return }
    let advice = target.advice(status, reason ?? "")
    let detail =
      "\(words(status: status, reason: reason)), the credential is refused: "
      + "nothing is sent for \(LengthText.text(trialAt - now)), then one notification is tried"
      + (advice.isEmpty ? "" : "; \(advice)")
    reporter.emit(.retryAfter, connection: request.use?.id, at: now, detail: detail)
    if !isRefusalTold { reporter.log(.error, detail) }
    isRefusalTold = true
  }
}
