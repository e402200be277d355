import DequeModule
import Measurement
import Providers

/// One target on the timing thread: hands what its schedule says is due to its lanes, and makes observations of what they
/// tell. Not thread-safe; ``TimingLoop`` drives it.
final class TargetTransport {
  /// A notification that was on the wire once and that the peer certainly did not process (RFC 9113, section 8.7): it may be
  /// sent once more without anybody getting it twice.
  private struct SecondAttempt {
    var notification: PlannedNotification
    /// What the first attempt came to: the end of it, if there is no second one after all.
    var failure: RequestFailure
  }

  let id: TargetID
  private let target: TransportTarget
  private unowned(unsafe) let loop: TimingLoop
  private let reporter: TargetReporter

  private var schedule: TargetSchedule
  private var earlyWake: EarlyWake
  private var peer: PeerReachability
  private var answers: AnswerHandler
  private let lanes: LaneSet
  /// A buffer for the lanes' events, empty between two calls.
  private var idleEvents: [LaneEvent] = []
  private var requests: RequestMaker
  private var secondAttempts = Deque<SecondAttempt>()
  /// The last word on how many streams the peer takes; `nil` while it takes as many as the target allows.
  private var toldStreamLimit: Int?
  private var statistics: TimingStatistics.Target
  /// Whether the path may be probed, which holds until the peer objects.
  private var mayProbePath: Bool
  private var isStopped = false
  /// Another configuration has taken the target's place, or it was removed: what is due is sent, and nothing more planned.
  private(set) var isRetired = false

  /// How late a notification may be seen to be due while others wait for a place: far below ``ScheduleLimits/stallTolerance``.
  private static let admission = Duration.milliseconds(2)
  /// A PING that found no idle time for so long goes with the next requests.
  private static let probeTimeout = Duration.seconds(1)
  /// What making and writing a PING may take.
  private static let probeTime = Duration.microseconds(250)
  /// Requests that one turn hands over: answers want to be read in between.
  private static let mostPerTurn = 64

  /// - Parameter after: the sequence number before the first one.
  init(
    _ target: TransportTarget, index: Int, run: RunID, start: MonotonicTime, after last: Int64 = 0,
    loop: TimingLoop
  ) {
    id = target.id
    self.target = target
    self.loop = loop
    reporter = TargetReporter(target: target, loop: loop)
    requests = RequestMaker(target, run: run, environment: loop)
    var seeds = SeededGenerator(seed: target.seed)
    schedule = TargetSchedule(
      target: target.id, arrivals: target.arrivals.sequence(from: start, seed: seeds.next()),
      limits: target.limits, variants: target.variants, after: last, generation: target.generation)
    schedule.isCredentialRefused = target.credential == .awaited
    earlyWake = EarlyWake(perSecond: target.arrivals.rate.perSecond)
    peer = PeerReachability(seed: seeds.next(), reporter: reporter)
    answers = AnswerHandler(target: target, reporter: reporter, seeds: &seeds)
    lanes = LaneSet(target: target, index: index, environment: loop)
    mayProbePath = target.pathProbe != nil
    statistics = TimingStatistics.Target(id: target.id, askedPerSecond: target.arrivals.rate.perSecond)
  }

  /// Closes the connections.
  func close() {
    lanes.close()
    handleLaneEvents()
  }

  /// Nothing is planned, waiting or under way any more.
  var isFinished: Bool {
    schedule.isFinished && secondAttempts.isEmpty && lanes.opening == nil && lanes.inFlight == 0
  }

  var generation: Int { target.generation }

  /// The last sequence number that was planned and not withdrawn.
  var lastSequence: Int64 { schedule.lastSequence }

  /// The plan is in the store up to and including this sequence number.
  func acknowledge(through sequence: Int64) { schedule.acknowledge(through: sequence) }

  // MARK: A turn of the loop

  /// Plans ahead, does what is due by the clock, and sends what is due.
  func step() {
    let now = loop.now()
    while let block = schedule.nextBlock(at: now) { reporter.observe(.planned(block)) }
    lanes.step(at: now)
    handleLaneEvents()
    if answers.beginTrial(at: now) { schedule.isCredentialRefused = false }
    admit(at: now)
    if let due = schedule.nextDue, due > now, due - now <= earlyWake.current, canSendAhead {
      admit(at: due)
    }
    if !isStopped, hasWaiting { dispatch() }
    lanes.settleInterests()
    reporter.checkSilence(now)
  }

  /// A socket is ready.
  func socketReady(_ event: Poller.Readiness, fd: Int32) {
    lanes.socketReady(event, fd: fd)
    handleLaneEvents()
    // Places that answers made free are filled at once, and leave with the acknowledgments.
    if !isStopped, hasWaiting { dispatch() }
    lanes.flush()
    handleLaneEvents()
    lanes.settleInterests()
  }

  /// When ``step()`` is to be called again, if nothing else happens before.
  func nextDeadline(at now: MonotonicTime) -> MonotonicTime? {
    if !isStopped, hasWaiting, mayHand(to: lanes.usable, at: now) { return now }
    var next = lanes.deadline
    func consider(_ instant: MonotonicTime?) {
      guard let instant else { return }
      next = min(next ?? instant, instant)
    }
    if isStopped { return next }
    // While no place is free, what comes due has to be noticed in time, but nothing can be done about it.
    let soonest = hasWaiting && lanes.usable != nil ? now + Self.admission : now
    consider(schedule.nextInstantOfInterest.map { max($0, soonest) })
    if canSendAhead, let due = schedule.nextDue { consider(due - earlyWake.current) }
    if let probe = nextProbe(at: now), probe > now { consider(probe) }
    if let first = secondAttempts.first {
      consider(first.notification.planned + target.limits.maxLag + .nanoseconds(1))
    }
    if hasWaiting, lanes.opening == nil, !answers.isTrying, lanes.usable == nil { consider(peer.nextAttempt) }
    return next
  }

  /// There is something to hand to a lane.
  private var hasWaiting: Bool { schedule.waitingCount > 0 || !secondAttempts.isEmpty }

  /// Whether the next request can be made ready and held until its instant: only an undisturbed one.
  private var canSendAhead: Bool {
    guard earlyWake.current > .zero, !isStopped, !hasWaiting, let next = requests.firstReady,
      let lane = lanes.usable
    else { return false }
    return lane.canHold(next)
  }

  private func admit(at now: MonotonicTime) {
    while let (notification, reason) = schedule.admit(at: now) {
      reporter.observeEnd(.missed(sampleID(notification), reason: reason, at: now), at: now)
    }
    reporter.record(due: schedule.counts.due, at: now)
  }

  // MARK: Handing over

  /// Hands due notifications to the lane, as many as it takes and one turn should send, and lets them leave together.
  private func dispatch() {
    var now = loop.now()
    admit(at: now)
    var handed: [OutgoingRequest] = []
    let lane = lanes.usable
    while handed.count < Self.mostPerTurn, mayHand(to: lane, at: now), let request = nextRequest(at: now) {
      hand(request, to: lane, at: now)
      handed.append(request)
      now = loop.now()
    }
    if let first = handed.first {
      // In the same write as they, it costs them nothing.
      if let probe = nextProbe(at: now), now - probe >= Self.probeTimeout { lanes.probePath(at: now) }
      if now < first.notification.planned { lanes.usable?.hold() }
      waitForPlannedInstants(of: handed)
      lanes.flush()
      handleLaneEvents()
      now = loop.now()
    }
    while let step = schedule.removeOverdue(at: now, inFlight: lanes.inFlight, failure: failureToConnect) {
      guard observeUnsent(step, at: now) else { break }
    }
    while let first = secondAttempts.first, isTooLate(first, at: now) {
      _ = secondAttempts.popFirst()
      giveUp(first, at: now)
    }
  }

  /// - Parameter lane: the one that is usable.
  private func mayHand(to lane: (any Lane)?, at now: MonotonicTime) -> Bool {
    guard !answers.isTrying else { return false }
    if let lane { return lane.freePlaces > 0 && lanes.opening == nil }
    return lanes.opening == nil && peer.permitsAttempt(at: now)
  }

  /// The next request to hand over; what is not to be sent any more ends on the way.
  private func nextRequest(at now: MonotonicTime) -> OutgoingRequest? {
    while let attempt = secondAttempts.popFirst() {
      if isTooLate(attempt, at: now) {
        giveUp(attempt, at: now)
      } else if let request = requests.make(for: attempt.notification, after: attempt.failure) {
        return request
      } else {
        giveUp(attempt, at: now)
      }
    }
    while let step = schedule.removeNext(at: now, inFlight: lanes.inFlight, failure: failureToConnect) {
      if observeUnsent(step, at: now) { continue }
      guard case .send(let notification) = step else { return nil }
      if let request = requests.request(for: notification) { return request }
      schedule.recordUnsent()
      reporter.observeEnd(
        .failed(
          sampleID(notification), reason: .connect, attempt: 0, detail: "the URL cannot be used", at: now),
        at: now)
    }
    return nil
  }

  private func hand(_ request: OutgoingRequest, to usable: (any Lane)?, at now: MonotonicTime) {
    answers.recordHanded(request)
    lanes.retireLanes(except: request.url.origin)
    if let usable, usable.origin == request.url.origin {
      usable.accept(request)
    } else if !lanes.open(for: request) {
      peer.recordNoAttempt(at: now)
      putBack(request)
    }
  }

  /// Puts what was not sent back where it came from.
  private func putBack(_ request: OutgoingRequest) {
    answers.recordEnded(request)
    if let failure = request.firstFailure {
      secondAttempts.prepend(SecondAttempt(notification: request.notification, failure: failure))
    } else {
      schedule.giveBack(request.notification)
    }
  }

  /// Holds what was handed over ahead of its time until the time has come; the head start at most.
  private func waitForPlannedInstants(of requests: [OutgoingRequest]) {
    var now = loop.now()
    // Of several, the later ones were late because of the first.
    if requests.count == 1, lanes.opening == nil {
      earlyWake.record(spare: requests[0].notification.planned - now)
    }
    for request in requests {
      while now < request.notification.planned { now = loop.now() }
    }
  }

  /// What a notification has failed by that waited in vain; `nil` when there was a connection since its plan.
  private func failureToConnect(_ notification: PlannedNotification) -> FailureReason? {
    peer.failure(of: notification, underWay: lanes.opening?.reason)
  }

  /// - Returns: whether the step is the end of a notification that is not sent.
  private func observeUnsent(_ step: TargetSchedule.Step, at now: MonotonicTime) -> Bool {
    switch step {
    case .send: return false
    case .missed(let notification, let reason):
      reporter.observeEnd(.missed(sampleID(notification), reason: reason, at: now), at: now)
    case .failed(let notification, let reason):
      reporter.observeEnd(
        .failed(sampleID(notification), reason: reason, attempt: 0, detail: peer.failureWords, at: now),
        at: now)
    }
    return true
  }

  // MARK: Second attempts

  /// Whether the time for a second attempt is over, or nothing may be sent at all.
  private func isTooLate(_ attempt: SecondAttempt, at now: MonotonicTime) -> Bool {
    now - attempt.notification.planned > target.limits.maxLag
      || schedule.silence(at: now, for: attempt.notification) != nil
  }

  /// There is no second attempt: what the first one came to is its end.
  private func giveUp(_ attempt: SecondAttempt, at now: MonotonicTime) {
    reporter.observeEnd(
      .failed(
        sampleID(attempt.notification), reason: attempt.failure.reason, attempt: 1,
        detail: attempt.failure.detail, at: now), at: now)
  }

  // MARK: What lanes tell

  private func handleLaneEvents() {
    var events = idleEvents
    idleEvents = []
    while true {
      lanes.drainEvents(&events)
      let now = loop.now()
      peer.record(isUsable: lanes.usable != nil, at: now)
      if events.isEmpty { break }
      for event in events { handle(event, at: now) }
      events.removeAll(keepingCapacity: true)
    }
    idleEvents = events
  }

  private func handle(_ event: LaneEvent, at now: MonotonicTime) {
    switch event {
    case .connected(let connection):
      statistics.connections += 1
      peer.recordConnected(connection, at: now)
    case .negotiatedHTTP1(let request, let isByALPN):
      lanes.recordHTTP1(request.url.origin, isByALPN: isByALPN)
      if !lanes.open(for: request) {
        peer.recordNoAttempt(at: now)
        putBack(request)
      }
    case .failedToConnect(let request, let failure): handleFailedAttempt(request, failure, at: now)
    case .sent(let request, let instant, let isKernel): observeSent(request, at: instant, isKernel: isKernel)
    case .answered(let request, let answer): observeAnswer(answer, to: request, at: now)
    case .failed(let request, let failure): observeFailure(of: request, failure, at: now)
    case .pinged(let connection, let roundTrip, let at):
      reporter.observe(
        .pinged(AnsweredPing(target: id, connectionID: connection, at: at, roundTrip: roundTrip)))
    case .refusedPings(let connection): handleRefusedPings(on: connection)
    case .streamLimit(let limit): recordStreamLimit(limit, at: now)
    case .goaway(let connection, let detail):
      reporter.emit(.goaway, connection: connection, at: now, detail: detail)
    case .faulty(let fault): peer.record(fault, at: now)
    case .disconnected(let connection, let detail):
      reporter.emit(.disconnected, connection: connection, at: now, detail: detail)
    }
  }

  private func observeSent(_ request: OutgoingRequest, at instant: MonotonicTime, isKernel: Bool) {
    if isKernel { statistics.kernelSentStamps += 1 } else { statistics.ownSentStamps += 1 }
    // A second attempt is the peer's doing: it is part of the service time, which began with the first.
    guard request.attempt == 1 else { return }
    reporter.observe(
      .sent(
        SentRequest(
          id: sampleID(request.notification), at: instant, payloadBytes: request.request.body.count,
          connection: request.use)))
  }

  private func observeAnswer(_ answer: LaneAnswer, to request: OutgoingRequest, at now: MonotonicTime) {
    switch answer.source {
    case .kernel: statistics.kernelStamps += 1
    case .callback: statistics.callbackStamps += 1
    }
    answers.recordEnded(request)
    peer.recordAnswer(at: now)
    answers.handle(
      answer, to: request, by: requests.provider(of: request.notification),
      receivedAt: loop.offset.wall(answer.at),
      schedule: &schedule, report: { [reporter] in reporter.observeEnd(.answered($0), at: now) })
  }

  private func observeFailure(of request: OutgoingRequest, _ failure: RequestFailure, at now: MonotonicTime) {
    answers.recordEnded(request)
    if failure.isUnprocessed, request.attempt == 1, !isStopped {
      secondAttempts.append(SecondAttempt(notification: request.notification, failure: failure))
      return
    }
    reporter.observeEnd(
      .failed(
        sampleID(request.notification), reason: failure.reason, attempt: request.attempt,
        detail: failure.detail, at: now), at: now)
  }

  private func handleFailedAttempt(
    _ request: OutgoingRequest, _ failure: RequestFailure, at now: MonotonicTime
  ) {
    answers.recordEnded(request)
    lanes.forget(request.url.origin)
    peer.recordFailure(failure.reason, failure.detail, at: now)
    if let first = request.firstFailure {
      giveUp(SecondAttempt(notification: request.notification, failure: first), at: now)
      return
    }
    schedule.recordUnsent()
    reporter.observeEnd(
      .failed(
        sampleID(request.notification), reason: failure.reason, attempt: 0,
        detail: failure.detail + peer.nextAttemptWords(at: now), at: now), at: now)
  }

  // MARK: The path

  /// When the next PING is due; `nil` while there is none, and while nothing may be sent.
  private func nextProbe(at now: MonotonicTime) -> MonotonicTime? {
    guard mayProbePath, !isStopped, !answers.isTrying, schedule.silence(at: now) == nil else { return nil }
    return lanes.nextProbe
  }

  /// Sends the PING that is due, if there is time for it before the thread has something to do.
  /// - Parameter deadline: when that is.
  /// - Returns: whether one was sent.
  func probePath(until deadline: MonotonicTime) -> Bool {
    let now = loop.now()
    guard let due = nextProbe(at: now), due <= now, deadline - now > Self.probeTime else { return false }
    lanes.probePath(at: now)
    lanes.flush()
    handleLaneEvents()
    lanes.settleInterests()
    return true
  }

  private func handleRefusedPings(on connection: Int64) {
    guard mayProbePath else { return }
    mayProbePath = false
    reporter.log(
      .warning,
      "the peer ended connection \(connection) with ENHANCE_YOUR_CALM: no more PINGs are sent in this run; "
        + "path_probe: off keeps them off")
  }

  private func recordStreamLimit(_ limit: Int, at now: MonotonicTime) {
    let limit = limit < target.maximumStreams ? limit : nil
    guard limit != toldStreamLimit else { return }
    toldStreamLimit = limit
    reporter.emit(
      .streamLimitChanged, at: now,
      detail: limit.map { "the peer takes \(CountText.text($0, "stream")) at once" }
        ?? "the peer takes at least \(CountText.text(target.maximumStreams, "stream")) at once")
  }

  // MARK: Requests

  /// Makes requests ready before they are due, while there is nothing else to do.
  /// - Parameter deadline: when the thread has something to do again.
  func prepareAhead(until deadline: MonotonicTime) {
    if !isStopped { requests.prepareAhead(of: schedule, until: deadline) }
  }

  /// Goes on with others, whose credentials may be newer. What is under way is not touched.
  func replaceProviders(_ renewed: CredentialedProviders) {
    guard !isRetired, requests.replaceProviders(renewed.providers), let serial = renewed.serial else {
      return
    }
    answers.renew(serial: serial)
    schedule.isCredentialRefused = false
  }

  /// Goes on with the credential that was refused.
  func tryCredentialAgain() { if !isRetired { answers.tryAgain(&schedule) } }

  /// Requests that were made ahead are made anew.
  /// - Parameter isAnother: they go to another receiver.
  func updateReceiver(isAnother: Bool) {
    requests.dropReady()
    if isAnother { answers.replaceReceiver(&schedule) }
  }

  private func sampleID(_ notification: PlannedNotification) -> SampleID {
    SampleID(target: id, sequence: notification.sequence)
  }

  // MARK: Stopping

  /// Ends the plan: what waits is missed, what is under way may still be answered.
  func stop(at now: MonotonicTime) {
    guard !isStopped else { return }
    isStopped = true
    // Not sent yet: taken back.
    if let request = lanes.cancelOpening() { putBack(request) }
    while let attempt = secondAttempts.popFirst() { giveUp(attempt, at: now) }
    for notification in schedule.stop(at: now) {
      reporter.observeEnd(.missed(sampleID(notification), reason: .stopping, at: now), at: now)
    }
    requests.dropReady()
  }

  /// Plans nothing more; what is due is sent, and what is under way is answered.
  func retire(at now: MonotonicTime) {
    guard !isRetired, !isStopped else { return }
    isRetired = true
    guard let withdrawn = schedule.withdraw(at: now) else { return }
    requests.dropReady(of: withdrawn)
    loop.observe(.withdrawn(id, sequences: withdrawn))
  }

  /// The time for answers is over. How requests would have ended is not known, so nothing is told: the wait has
  /// ended, not the target's timeout.
  func abandon() { close() }

  // MARK: Telling

  /// Everything is sent and answered, or given up.
  func reportEnd() { reporter.reportEnd() }

  func currentStatistics() -> TimingStatistics.Target {
    var statistics = statistics
    statistics.counts = schedule.counts
    statistics.inFlight = lanes.inFlight
    statistics.waiting = schedule.waitingCount
    return statistics
  }
}
