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
    let judgement = provider(of: transfer.notification).judge(response)
    var reason: String?
    if case .rejected(let word) = judgement.verdict, !word.isEmpty {
      reason = transfer.secrets.hidden(in: word)
    }
    loop.observe(
      .answered(
        AnsweredRequest(
          id: sampleID(transfer.notification), at: answer.time, source: answer.source, status: status,
          isAccepted: judgement.verdict == .accepted, reason: reason, connection: transfer.use,
          attempt: transfer.attempt, httpVersion: version,
          credential: credentialNews(of: transfer, judgement, status: status))))
    let sent = transfer.sent ?? transfer.startedAt
    guard judgement.verdict != .accepted else {
      pauseRule.noteAccepted(sentAt: sent)
      if isAskedForSilence, pauseRule.pausedUntil.map({ sent >= $0 }) ?? true {
        isAskedForSilence = false
        log(.notice, "the service accepts notifications again")
      }
      return
    }
    let isNamed = response.headers["retry-after"] != nil
    guard
      let until = pauseRule.noteRejected(
        status: status, named: isNamed ? judgement.retryAfter : nil,
        guess: isNamed ? nil : judgement.retryAfter, isReceiverUnknown: judgement.isReceiverUnknown,
        sentAt: sent, answeredAt: answer.time)
    else { return }
    let word = reason.map { " \($0)" } ?? ""
    let choice = isNamed ? "" : ", our own choice"
    let detail =
      "\(status)\(word): nothing is sent for \((until - answer.time).microseconds / 1000) ms\(choice)"
    emit(.retryAfter, connection: transfer.use?.id, at: answer.time, detail: detail)
    if !isAskedForSilence {
      // Said once; what follows stands in the events.
      isAskedForSilence = true
      let advice = target.advice(status, reason ?? "")
      let said = advice.isEmpty ? detail : "\(detail); \(advice)"
      if judgement.isReceiverUnknown {
        log(.error, "the receiver appears to be unregistered: \(said)")
      } else {
        log(.warning, said)
      }
    }
    schedule.pause(until: until)
  }

  /// Believes what an answer says of the credential.
  private func credentialNews(
    of transfer: Transfer, _ judgement: ProviderJudgement, status: Int
  ) -> CredentialNews? {
    guard let serial = trust?.serial else { return nil }
    switch judgement.credential {
    case .renewedTooOften: return nil
    case .expired, .refused:
      guard let signal = judgement.credential, trust?.noteRefused(epoch: transfer.credentialEpoch) == true
      else { return nil }
      schedule.isCredentialRefused = true
      return CredentialNews(.refused(signal), serial: serial)
    case nil:
      // A server in trouble has not looked at it.
      guard status < 500, status != 429, trust?.noteTaken(epoch: transfer.credentialEpoch) == true
      else { return nil }
      return CredentialNews(.taken, serial: serial)
    }
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
    if stage != .sent { noteConnectFailure(failure, at: now) }
    loop.observe(
      .failed(
        sampleID(transfer.notification), reason: failure.reason,
        attempt: stage == .sent ? transfer.attempt : transfer.attempt - 1, detail: failure.detail, at: now))
  }

  /// How far it had come, read from which of libcurl's phases are stamped.
  private func stage(of transfer: Transfer) -> TransferFailure.Stage {
    if transfer.stage == .started { return .sent }
    if ccurl_easy_get_offset(transfer.easy, CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
    return ccurl_easy_get_offset(transfer.easy, CURLINFO_CONNECT_TIME_T) == 0 ? .connecting : .handshaking
  }

  private func noteConnectFailure(_ failure: TransferFailure, at now: MonotonicTime) {
    backoff.noteFailure(at: now)
    if backoff.failures == 1 {
      log(.warning, "cannot connect (\(failure.reason.rawValue)): \(failure.detail)")
    }
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
        detail: "error \(error), \(last)\(connection.inFlight) unanswered")
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
