import CCurl
import Measurement

/// Sending: from the schedule's queue into libcurl, in corked batches.
extension TargetTransport {
  /// Does something that may make libcurl send, so that all of it leaves in one go at the end: the cork holds small
  /// writes back (HEADERS and DATA of a request are two), and they leave while it is released.
  func batch(_ body: () -> Void) {
    for connection in connections { connection.cork() }
    body()
    release()
  }

  /// Stamps what was started since the cork was put on, and lets it go.
  private func release() {
    justStarted.removeAll { $0.stage != .started || $0.sent != nil }
    guard !justStarted.isEmpty else {
      for connection in connections {
        connection.uncork()
        connection.dropSentStamps()
      }
      return
    }
    let now = waitForPlannedInstants()
    for connection in connections { connection.departure = departure(of: connection, at: now) }
    var later = justStarted.count
    for transfer in justStarted {
      later -= 1
      if let connection = transfer.connection {
        transfer.use?.streamsInFlight = max(1, connection.inFlight - later)
      }
      if let departure = transfer.connection?.departure {
        statistics.kernelSentStamps += 1
        observeSent(transfer, at: departure)
      } else {
        statistics.ownSentStamps += 1
        observeSent(transfer, at: now)
      }
    }
    justStarted.removeAll(keepingCapacity: true)
    for connection in connections { connection.departure = nil }
  }

  /// Takes the cork off.
  /// - Returns: when what it held left, by the kernel; `nil` when it does not say.
  private func departure(of connection: Connection, at began: MonotonicTime) -> MonotonicTime? {
    connection.uncork()
    let window = SendWindow(began: began, ended: loop.now())
    return window.departure(among: connection.takeSentStamps(offset: loop.offset))
  }

  /// Holds what was given to libcurl ahead of its time until the time has come; the head start at most.
  /// - Returns: the time then.
  private func waitForPlannedInstants() -> MonotonicTime {
    var now = loop.now()
    // Of several, the later ones were late because of the first.
    if justStarted.count == 1, let only = justStarted.first {
      earlyWake.note(spare: only.notification.planned - now)
    }
    for transfer in justStarted {
      while now < transfer.notification.planned { now = loop.now() }
    }
    return now
  }

  func observeSent(_ transfer: Transfer, at instant: MonotonicTime) {
    transfer.sent = instant
    defer { transfer.setTalkative(true) }
    // A second attempt is the peer's doing: it is part of the service time, which began with the first.
    guard transfer.attempt == 1 else { return }
    loop.observe(
      .sent(
        SentRequest(
          id: sampleID(transfer.notification), at: instant, payloadBytes: transfer.payloadBytes,
          connection: transfer.use)))
  }

  /// Lets libcurl do what its timers ask for; new handles are among that.
  func runTimers() {
    timer = nil
    var running: Int32 = 0
    curl_multi_socket_action(multi, ccurl_socket_timeout(), 0, &running)
    settle()
  }

  /// Hands due notifications to libcurl, as many as the connection takes and one turn should send: answers want to be
  /// read in between. Call within ``batch(_:)``.
  func dispatch() {
    var now = loop.now()
    admit(at: now)
    var left = Self.mostPerTurn
    while left > 0 {
      let round = handRound(at: now)
      if round.isEmpty { break }
      left -= round.count
      runTimers()
      now = loop.now()
      if giveBackWhatDidNotStart(round, at: now) { break }
      if batchIsFull {
        release()
        for connection in connections { connection.cork() }
      }
    }
    while let step = schedule.takeOverdue(at: now, inFlight: inFlight, failure: failureToConnect) {
      guard observeUnsent(step, at: now) else { break }
    }
    while let first = secondAttempts.first, isTooLate(first, at: now) {
      secondAttempts.popFirst()
      giveUp(first, at: now)
    }
  }

  private static let mostPerTurn = 64

  /// What is held by the cork should fit into one segment: the kernel sends full ones early, and they would be stamped
  /// late.
  private var batchIsFull: Bool {
    guard let first = justStarted.first else { return false }
    let segment = max(1400, first.connection?.segmentSize ?? 0)
    return justStarted.count >= 32 || justStarted.count * (first.payloadBytes + Self.headerBytes) >= segment
  }

  /// An HTTP/2 request's headers after the first on a connection, compressed, with the frames and the TLS record.
  private static let headerBytes = 160

  /// Hands one round over: a single request when it is to open or prime a connection or could meet a dead one,
  /// otherwise all that the connection takes.
  private func handRound(at now: MonotonicTime) -> [Transfer] {
    var round: [Transfer] = []
    while mayHand(after: round.count, at: now) {
      if let attempt = secondAttempts.popFirst() {
        if isTooLate(attempt, at: now) {
          giveUp(attempt, at: now)
        } else if let transfer = transfer(for: attempt) {
          hand(transfer)
          round.append(transfer)
        } else {
          secondAttempts.prepend(attempt)
          return round
        }
        continue
      }
      guard
        let step = schedule.takeNext(
          at: now, inFlight: inFlight + round.count, failure: failureToConnect)
      else { break }
      if observeUnsent(step, at: now) { continue }
      guard case .send(let notification) = step else { break }
      guard let transfer = readyTransfer(for: notification) else {
        schedule.giveBack(notification)
        return round
      }
      hand(transfer)
      round.append(transfer)
    }
    return round
  }

  /// What a notification has failed by that waited in vain; `nil` when there was a connection since its plan.
  private func failureToConnect(_ notification: PlannedNotification) -> FailureReason? {
    availability.failure(ofPlanned: notification.planned, underWay: opening.map { stage(of: $0).reason })
  }

  /// - Returns: whether the step is the end of a notification that is not sent.
  private func observeUnsent(_ step: TargetSchedule.Step, at now: MonotonicTime) -> Bool {
    switch step {
    case .send: return false
    case .missed(let notification, let reason): observeMissed(notification, reason, at: now)
    case .failed(let notification, let reason):
      observeEnd(
        .failed(
          sampleID(notification), reason: reason, attempt: 0,
          detail: "no connection within max_lag"
            + (availability.outage.map { "; the last attempt (\($0.reason.rawValue)): \($0.detail)" } ?? ""),
          at: now))
    }
    return true
  }

  func mayHand(after handed: Int, at now: MonotonicTime) -> Bool {
    guard opening == nil else { return false }
    if trust.state == .onTrial, trial != nil || handed > 0 { return false }
    guard let connection = usable, connection.inFlight > 0 else {
      return handed == 0 && backoff.permits(at: now)
    }
    if justStarted.count + handed >= 32 { return false }
    return connection.allowance.permits(inFlight: connection.inFlight + handed, at: now)
  }

  private func hand(_ transfer: Transfer) {
    transfer.stage = .handed
    transfer.credentialEpoch = trust.epoch
    if trust.state == .onTrial { trial = transfer }
    // An idle connection on which something came is most likely dead: libcurl says why only when it is talkative.
    if let usable, usable.inFlight == 0 {
      // A stamp that was late would make libcurl take it for dead.
      usable.dropSentStamps()
      if usable.hasUnreadNews { transfer.setTalkative(true) }
    }
    curl_multi_add_handle(multi, transfer.easy)
  }

  /// A request that libcurl neither started nor opens a connection for stands in a queue of libcurl's: the connection is
  /// full. It was not sent, so it can be taken back.
  /// - Returns: whether there was one.
  private func giveBackWhatDidNotStart(_ round: [Transfer], at now: MonotonicTime) -> Bool {
    var refused = false
    for transfer in round.reversed() where transfer.stage == .handed && !transfer.isOpening {
      curl_multi_remove_handle(multi, transfer.easy)
      takeBack(transfer)
      refused = true
    }
    guard refused else {
      // What was answered meanwhile is off the count by now.
      if let connection = usable, connection.allowance.noteStart(inFlight: connection.inFlight) {
        emit(
          .streamLimitChanged, connection: connection.id, at: now,
          detail: "the peer takes more than \(CountText.text(connection.inFlight - 1, "stream")) at once")
      }
      return false
    }
    guard let connection = usable, connection.inFlight > 0 else {
      // Nothing is under way and still there is no place: not to be asked again at once.
      backoff.noteFailure(at: now)
      return true
    }
    if connection.allowance.noteRefusal(inFlight: connection.inFlight, at: now) {
      emit(
        .streamLimitChanged, connection: connection.id, at: now,
        detail: "the peer takes \(CountText.text(connection.inFlight, "stream")) at once")
    }
    return true
  }

  /// Puts what was not sent back where it came from.
  func takeBack(_ transfer: Transfer) {
    if let failure = transfer.firstFailure {
      secondAttempts.prepend(SecondAttempt(notification: transfer.notification, failure: failure))
    } else {
      schedule.giveBack(transfer.notification)
    }
    recycle(transfer)
  }

  // MARK: Second attempts

  /// Whether the time for a second attempt is over, or nothing may be sent at all.
  private func isTooLate(_ attempt: SecondAttempt, at now: MonotonicTime) -> Bool {
    now - attempt.notification.planned > target.limits.maxLag
      || schedule.silence(at: now, for: attempt.notification) != nil
  }

  /// There is no second attempt: what the first one came to is its end.
  func giveUp(_ attempt: SecondAttempt, at now: MonotonicTime) {
    observeEnd(
      .failed(
        sampleID(attempt.notification), reason: attempt.failure.reason, attempt: 1,
        detail: attempt.failure.detail, at: now))
  }

  // MARK: Called by libcurl

  /// A connection is being opened for a transfer: right for its first sending, otherwise libcurl is about to send a
  /// second time and is stopped.
  func mayOpenConnection(for transfer: Transfer) -> Bool {
    guard transfer.stage == .handed else {
      noteRetry(of: transfer)
      return false
    }
    transfer.isOpening = true
    opening = transfer
    return true
  }

  /// A request is about to go onto a connection.
  func mayStart(_ transfer: Transfer, localPort: Int32) -> Bool {
    guard transfer.stage == .handed, let connection = connection(localPort: localPort) else {
      noteRetry(of: transfer)
      return false
    }
    let now = loop.now()
    if !connection.stands { stand(connection, openedBy: transfer, at: now) }
    connection.inFlight += 1
    connection.hasUnreadNews = false
    connection.isSpent = false
    noteAvailability(at: now)
    connection.streams += 1
    transfer.stream = connection.streams * 2 - 1
    inFlight += 1
    transfer.stage = .started
    transfer.connection = connection
    transfer.startedAt = now
    transfer.use = ConnectionUse(
      id: connection.id, age: (now - connection.stoodAt).microseconds / 1000, isFresh: transfer.isOpening,
      streamsInFlight: connection.inFlight, phases: transfer.isOpening ? phases(of: transfer) : nil)
    if opening === transfer { opening = nil }
    justStarted.append(transfer)
    return true
  }

  /// What opening the connection took, by libcurl's clock: right for connecting, unlike its later stamps.
  private func phases(of transfer: Transfer) -> ConnectionPhases {
    let resolved = ccurl_easy_get_offset(transfer.easy, CURLINFO_NAMELOOKUP_TIME_T)
    let connected = ccurl_easy_get_offset(transfer.easy, CURLINFO_CONNECT_TIME_T)
    let secured = ccurl_easy_get_offset(transfer.easy, CURLINFO_APPCONNECT_TIME_T)
    return ConnectionPhases(
      dns: Int64(resolved), connect: Int64(max(0, connected - resolved)),
      tls: secured > 0 ? Int64(max(0, secured - connected)) : nil)
  }
}
