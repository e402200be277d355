import CCurl
import Measurement
import Providers

/// Answers and failures: what libcurl is done with becomes observations.
extension TargetTransport {
  /// Takes in what the last call into libcurl brought to an end.
  func settle() {
    var code = CURLE_OK
    while let easy = ccurl_multi_next_done(multi, &code) {
      guard let pointer = ccurl_easy_get_private(easy) else { continue }
      finish(Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue(), code)
    }
    guard !toldToRetry.isEmpty else { return }
    let retried = toldToRetry
    toldToRetry.removeAll(keepingCapacity: true)
    for transfer in retried where transfer.stage == .started && transfer.wasRetried {
      finish(transfer, CURLE_RECV_ERROR)
    }
  }

  /// When an answer's headers were complete; called by libcurl while it reads.
  func stampAnswer(of transfer: Transfer) -> (time: MonotonicTime, source: TimestampSource) {
    let now = loop.now()
    let stamp = window?.stamp(callback: now, sent: transfer.sent ?? transfer.startedAt) ?? (now, .callback)
    switch stamp.1 {
    case .kernel: statistics.kernelStamps += 1
    case .callback: statistics.callbackStamps += 1
    }
    return stamp
  }

  private func finish(_ transfer: Transfer, _ code: CURLcode) {
    let now = loop.now()
    // Asked before the handle leaves the multi, which forgets some of it.
    let status = ccurl_easy_get_long(transfer.easy, CURLINFO_RESPONSE_CODE)
    let version = ccurl_easy_get_long(transfer.easy, CURLINFO_HTTP_VERSION)
    let stage = stage(of: transfer)
    curl_multi_remove_handle(multi, transfer.easy)
    let wasStarted = transfer.stage == .started
    if wasStarted, transfer.sent == nil {
      // It ended while the cork still held it, perhaps with its head start not over: nothing is sent before its instant.
      observeSent(transfer, at: max(transfer.startedAt, transfer.notification.planned))
    }
    let connection = transfer.connection
    if let connection {
      connection.inFlight -= 1
      inFlight -= 1
    }
    if opening === transfer { opening = nil }
    if code == CURLE_OK, let answer = transfer.answer {
      connection?.hasAnswered = true
      connection?.allowance.noteAnswer()
      backoff.noteSuccess()
      if let over = availability.noteAnswer() { log(.notice, "connected again after \(over.words(at: now))") }
      judge(transfer, status: status, version: version == CURL_HTTP_VERSION_2_0 ? .http2 : .http1, answer)
    } else {
      end(transfer, code == CURLE_OK ? CURLE_GOT_NOTHING : code, stage: stage, at: now)
    }
    recycle(transfer)
  }

  private func judge(
    _ transfer: Transfer, status: Int, version: HTTPVersion,
    _ answer: (time: MonotonicTime, source: TimestampSource)
  ) {
    let response = PushResponse(
      status: status, headers: ResponseHeaders(lines: transfer.headerLines), body: transfer.responseBody,
      httpVersion: version, receivedAt: loop.offset.wall(answer.time))
    let judgment = provider(of: transfer.notification).judge(response)
    var reason: String?
    if case .rejected(let word) = judgment.verdict, !word.isEmpty {
      reason = transfer.secrets.hidden(in: word)
    }
    noteCredential(of: transfer, judgment, status: status, reason: reason, at: answer.time)
    observeEnd(
      .answered(
        AnsweredRequest(
          id: sampleID(transfer.notification), at: answer.time, source: answer.source, status: status,
          isAccepted: judgment.verdict == .accepted, reason: reason, connection: transfer.use,
          attempt: transfer.attempt, httpVersion: version)))
    let sent = transfer.sent ?? transfer.startedAt
    if judgment.verdict == .accepted {
      guard pauseRule.noteAccepted(sentAt: sent) else { return }
      schedule.endBackoff()
      if isPauseTold {
        isPauseTold = false
        log(.notice, "the service accepts notifications again")
      }
    } else {
      let isNamed = response.headers["retry-after"] != nil
      let pause = pauseRule.noteRejected(
        status: status, named: isNamed ? judgment.retryAfter : nil,
        guess: isNamed ? nil : judgment.retryAfter, isReceiverUnknown: judgment.isReceiverUnknown,
        sentAt: sent, answeredAt: answer.time)
      guard let pause else { return }
      let answered = reason.map { "\(status) \($0)" } ?? "\(status)"
      let detail = "\(answered): \(words(of: pause, from: answer.time, isNamed: isNamed))"
      emit(.retryAfter, connection: transfer.use?.id, at: answer.time, detail: detail)
      tell(detail, status: status, reason: reason, isReceiverUnknown: judgment.isReceiverUnknown)
      switch pause {
      case .silence(let until): schedule.pause(until: until)
      case .backoff(let until):
        schedule.backOff(until: until, probeEvery: target.backoff?.probeEvery, at: answer.time)
      }
    }
  }

  private func words(of pause: PauseRule.Pause, from now: MonotonicTime, isNamed: Bool) -> String {
    let length = "for \((pause.until - now).microseconds / 1000) ms"
    switch pause {
    case .silence: return "nothing is sent \(length)" + (isNamed ? "" : ", our own choice")
    case .backoff:
      guard let interval = target.backoff?.probeEvery else {
        return "nothing is sent \(length), our own choice"
      }
      let milliseconds = interval.microseconds / 1000
      let each = milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
      return "back-off \(length), our own choice; one notification each \(each) is sent until one is accepted"
    }
  }

  /// Tells the log of a pause, once; those that follow stand in the events.
  private func tell(_ detail: String, status: Int, reason: String?, isReceiverUnknown: Bool) {
    guard !isPauseTold else { return }
    isPauseTold = true
    let advice = target.advice(status, reason ?? "")
    let said = advice.isEmpty ? detail : "\(detail); \(advice)"
    if isReceiverUnknown {
      log(.error, "the receiver appears to be unregistered: \(said)")
    } else {
      log(.warning, said)
    }
  }

  /// Stops sending by a refused credential, and tells who renews it what the answer says of it.
  private func noteCredential(
    of transfer: Transfer, _ judgment: ProviderAssessment, status: Int, reason: String?, at now: MonotonicTime
  ) {
    let outcome: CredentialFeedback.Outcome
    switch judgment.credential {
    case .renewedTooOften: return
    case .expired, .refused:
      guard trust.noteRefused(epoch: transfer.credentialEpoch, at: now) else { return }
      schedule.isCredentialRefused = true
      if trust.isFixed { return tellRefusal(of: transfer, status: status, reason: reason, at: now) }
      outcome = .refused(status: status, reason: reason ?? "")
    case nil:
      // A server in trouble has not looked at it.
      guard status < 500, status != 429, trust.noteTaken(epoch: transfer.credentialEpoch) else { return }
      if trust.isFixed {
        if isRefusalTold { log(.notice, "the credential is accepted again") }
        isRefusalTold = false
        return
      }
      outcome = .accepted
    }
    loop.tell(CredentialFeedback(target: target.id, serial: trust.serial, outcome: outcome))
  }

  /// Says that a credential is refused that nobody renews: an event each time, and the log once.
  private func tellRefusal(of transfer: Transfer, status: Int, reason: String?, at now: MonotonicTime) {
    guard let trialAt = trust.trialAt else { return }
    let answered = reason.map { "\(status) \($0)" } ?? "\(status)"
    let advice = target.advice(status, reason ?? "")
    let detail =
      "\(answered), the credential is refused: nothing is sent for \((trialAt - now).microseconds / 1_000_000) s, "
      + "then one notification is tried" + (advice.isEmpty ? "" : "; \(advice)")
    emit(.retryAfter, connection: transfer.use?.id, at: now, detail: detail)
    if !isRefusalTold { log(.error, detail) }
    isRefusalTold = true
  }

  // MARK: Failures

  /// No answer came: a failure, unless it can be sent once more.
  private func end(
    _ transfer: Transfer, _ code: CURLcode, stage: TransferFailure.Stage, at now: MonotonicTime
  ) {
    let connection = transfer.connection
    if code == CURLE_OPERATION_TIMEDOUT, let connection, let sent = transfer.sent, connection.heardAt < sent {
      giveUp(connection, at: now)
    }
    let failure = TransferFailure(
      code: code, stage: stage,
      message: transfer.wasRetried ? transfer.messageAtRetry : transfer.errorMessage,
      wasRetried: transfer.wasRetried, sawGoaway: connection?.isDraining ?? false,
      wasGivenUp: connection?.isGivenUp ?? false, isTooLarge: transfer.isTooLarge,
      socket: transfer.wasRetried ? transfer.socketAtRetry : connection?.socketState ?? .unknown,
      wasBroken: connection?.isBroken ?? false,
      wasRefused: transfer.wasRefused || connection?.lastStream.map { transfer.stream > $0 } ?? false)
    if failure.isLossOfConnection { connection?.lost += 1 }
    if failure.breaksConnection, let connection, !connection.isBroken {
      connection.isBroken = true
      shutdown(connection.fd, Int32(SHUT_RDWR))
      allowConnections()
    }
    if failure.isUnprocessed {
      connection?.isSpent = true
      allowConnections()
      if transfer.attempt == 1, !isStopped {
        secondAttempts.append(SecondAttempt(notification: transfer.notification, failure: failure))
        return
      }
    }
    guard stage != .sent else {
      observeEnd(
        .failed(
          sampleID(transfer.notification), reason: failure.reason, attempt: transfer.attempt,
          detail: failure.detail, at: now))
      return
    }
    noteConnectFailure(failure.reason, failure.detail, at: now)
    if let first = transfer.firstFailure {
      giveUp(SecondAttempt(notification: transfer.notification, failure: first), at: now)
      return
    }
    schedule.noteUnsent()
    observeEnd(
      .failed(
        sampleID(transfer.notification), reason: failure.reason, attempt: 0,
        detail: failure.detail + nextAttempt(after: now), at: now))
  }

  /// How far it had come, read from which of libcurl's phases are stamped. libcurl 7.88 stamps the end of TCP's handshake
  /// only with that of TLS where both begin in one call; it knows the local port as soon as TCP's is over.
  func stage(of transfer: Transfer) -> TransferFailure.Stage {
    if transfer.stage == .started { return .sent }
    if ccurl_easy_get_offset(transfer.easy, CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
    let isConnected =
      ccurl_easy_get_offset(transfer.easy, CURLINFO_CONNECT_TIME_T) != 0
      || ccurl_easy_get_long(transfer.easy, CURLINFO_LOCAL_PORT) > 0
    return isConnected ? .handshaking : .connecting
  }

  func noteConnectFailure(_ reason: FailureReason, _ detail: String, at now: MonotonicTime) {
    backoff.noteFailure(at: now)
    guard availability.noteFailedAttempt(reason, detail, at: now), let outage = availability.outage else {
      return
    }
    let since = outage.attempts > 1 ? " after \(outage.words(at: now))" : ""
    log(.warning, "cannot connect (\(reason.rawValue))\(since): \(detail)\(nextAttempt(after: now))")
  }

  private func nextAttempt(after now: MonotonicTime) -> String {
    backoff.earliest.map { "; next attempt in \(($0 - now).microseconds / 1000) ms" } ?? ""
  }

  /// Nothing at all came on a connection for the whole timeout: TCP would go on hoping for a quarter of an hour, and
  /// libcurl would go on using it. Shutting the socket down ends every request on it and makes room for a new one.
  private func giveUp(_ connection: Connection, at now: MonotonicTime) {
    guard !connection.isGivenUp else { return }
    connection.isGivenUp = true
    shutdown(connection.fd, Int32(SHUT_RDWR))
    allowConnections()
  }

  // MARK: What libcurl says and shows

  /// libcurl would send a request again: remembered with what can be seen now, and ended when libcurl returns.
  func noteRetry(of transfer: Transfer) {
    guard transfer.stage == .started, !transfer.wasRetried else { return }
    transfer.wasRetried = true
    transfer.messageAtRetry = transfer.errorMessage
    transfer.socketAtRetry = transfer.connection?.socketState ?? .unknown
    toldToRetry.append(transfer)
  }

  func note(_ text: CurlText, from transfer: Transfer) {
    switch text {
    case .retry: noteRetry(of: transfer)
    case .refused:
      transfer.wasRefused = true
      noteRetry(of: transfer)
    case .goaway(let error, let lastStream):
      // Said while libcurl looked at an idle connection, before the transfer was on any: it is that one.
      guard let connection = transfer.connection ?? usable else { return }
      // A peer that shuts down gently names the highest number there is, and later the right one.
      if let lastStream { connection.lastStream = min(connection.lastStream ?? lastStream, lastStream) }
      guard !connection.isDraining else { return }
      connection.isDraining = true
      let last = lastStream.map { "last stream \($0), " } ?? ""
      emit(
        .goaway, connection: connection.id, at: loop.now(),
        detail: "error \(error), \(last)\(unanswered(on: connection)) unanswered")
      allowConnections()
    }
  }

  // MARK: Stopping

  /// Ends the plan: what waits is missed, what is under way may still be answered.
  func stop(at now: MonotonicTime) {
    guard !isStopped else { return }
    isStopped = true
    if let transfer = opening {
      // Not sent yet: taken back.
      curl_multi_remove_handle(multi, transfer.easy)
      opening = nil
      takeBack(transfer)
    }
    while let attempt = secondAttempts.popFirst() { giveUp(attempt, at: now) }
    for notification in schedule.stop(at: now) { observeMissed(notification, .stopping, at: now) }
    while let transfer = staged.popFirst() { recycle(transfer) }
  }

  /// The time for answers is over. How it would have ended is not known, so nothing is told: it was our patience that
  /// ended, not the target's timeout.
  func abandon() {
    for transfer in transfers where transfer.stage == .started {
      curl_multi_remove_handle(multi, transfer.easy)
      transfer.connection?.inFlight -= 1
      inFlight -= 1
      recycle(transfer)
    }
  }
}
