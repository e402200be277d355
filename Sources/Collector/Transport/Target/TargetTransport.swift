import CCurl
import Measurement
import Providers

/// One target on the timing thread: its schedule, its libcurl multi handle (so its own connections and nobody else's)
/// and what is under way. Not thread-safe; ``TimingLoop`` drives it and outlives libcurl's handles.
final class TargetTransport {
  let target: TransportTarget
  let index: Int
  let run: RunID
  unowned let loop: TimingLoop
  let multi: UnsafeMutableRawPointer

  var earlyWake: EarlyWake

  /// Renewed with their credentials; as many as the target began with.
  var providers: [any Provider]
  var schedule: TargetSchedule
  var backoff: ReconnectBackoff
  var availability = ConnectionAvailability()
  var pauseRule: PauseRule
  /// The log was told of a pause, and the provider has taken nothing since.
  var isPauseTold = false
  var trust: CredentialCircuitBreaker
  /// The log was told that a fixed credential is refused, and it was not taken since.
  var isRefusalTold = false
  /// The request that tries a credential.
  var trial: Transfer?

  /// Handles at rest, handles with a request made ahead, and all there are.
  var pool: [Transfer] = []
  var staged = FIFO<Transfer>()
  /// What making one request ready took lately, at most.
  private var preparation = Duration.zero
  var transfers: [Transfer] = []

  /// Every open socket; hardly ever more than one.
  var connections: [Connection] = []
  /// The transfer that libcurl is opening a connection for; everything else waits.
  var opening: Transfer?
  /// Sent and unanswered, over all connections.
  var inFlight = 0
  /// Started since the cork was put on: they leave, and are stamped, together.
  var justStarted: [Transfer] = []
  /// libcurl would have sent these again; they are taken from it as soon as it returns.
  var toldToRetry: [Transfer] = []
  /// What a peer certainly did not process, to be sent once more.
  var secondAttempts = FIFO<SecondAttempt>()
  /// A request of whose answer libcurl's last call gave a part, after which there may be more without any news.
  var partlyRead: Transfer?
  /// What the kernel said of the bytes that libcurl is reading right now.
  var window: ReceiveWindow?
  /// When libcurl wants to be called for its own timers.
  var timer: MonotonicTime?
  var watches: [SocketInterest] = []
  var statistics: TimingStatistics.Target
  private var answers = AnswerMonitor()
  var isStopped = false
  /// libcurl's handles are being given back.
  private(set) var isClosing = false

  /// - Throws: ``TransportError`` when libcurl gives no handle.
  init(_ target: TransportTarget, index: Int, run: RunID, start: MonotonicTime, loop: TimingLoop)
    throws(TransportError)
  {
    guard let multi = curl_multi_init() else {
      throw TransportError(.system, target: target.id, "libcurl gave no handle")
    }
    self.target = target
    self.index = index
    self.run = run
    self.loop = loop
    self.multi = multi
    var seeds = SeededGenerator(seed: target.seed)
    schedule = TargetSchedule(
      target: target.id, arrivals: target.arrivals.sequence(from: start, seed: seeds.next()),
      limits: target.limits, variants: target.variants)
    providers = target.providers
    earlyWake = EarlyWake(perSecond: target.arrivals.rate.perSecond)
    backoff = ReconnectBackoff(seed: seeds.next())
    pauseRule = PauseRule(unnamed: target.unspecifiedRetryDelay, backoff: target.backoff, seed: seeds.next())
    trust =
      target.credential == .fixed
      ? CredentialCircuitBreaker(fixedWithSeed: seeds.next())
      : CredentialCircuitBreaker(isAwaited: target.credential == .awaited)
    schedule.isCredentialRefused = target.credential == .awaited
    statistics = TimingStatistics.Target(id: target.id, askedPerSecond: target.arrivals.rate.perSecond)
    let this = Unmanaged.passUnretained(self).toOpaque()
    ccurl_multi_set_socket_function(multi, curlSocketInterest)
    ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, this)
    ccurl_multi_set_timer_function(multi, curlTimer)
    ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, this)
    ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1)
    ccurl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, max(1, target.maximumStreams))
  }

  /// Gives everything back to libcurl; closes the connections.
  func close() {
    isClosing = true
    for transfer in transfers where transfer.stage == .handed || transfer.stage == .started {
      curl_multi_remove_handle(multi, transfer.easy)
    }
    curl_multi_cleanup(multi)
    transfers.removeAll()
    pool.removeAll()
    staged.removeAll()
    connections.removeAll()
  }

  /// Nothing is planned, waiting or under way any more.
  var isFinished: Bool {
    schedule.isFinished && inFlight == 0 && opening == nil && secondAttempts.isEmpty
  }

  /// There is something to hand to libcurl.
  var hasWaiting: Bool { schedule.waitingCount > 0 || !secondAttempts.isEmpty }

  // MARK: A turn of the loop

  /// Plans ahead, lets libcurl's timers run and sends what is due.
  func step() {
    var now = loop.now()
    while let block = schedule.nextBlock(at: now) { loop.observe(.planned(block)) }
    if let timer, timer <= now {
      batch { runTimers() }
      now = loop.now()
    }
    if trust.takeTrial(at: now) { schedule.isCredentialRefused = false }
    admit(at: now)
    if let due = schedule.nextDue, due > now, due - now <= earlyWake.current, canSendAhead {
      admit(at: due)
    }
    if !isStopped, hasWaiting { batch { dispatch() } }
    settleInterests()
    if let silence = answers.takeOverdue(at: now) { warn(of: silence) }
  }

  /// Whether the next request can be held: only an undisturbed one, and only if it fits into one segment, because the
  /// kernel sends full ones at once.
  private var canSendAhead: Bool {
    guard earlyWake.current > .zero, !isStopped, opening == nil, !hasWaiting, let usable,
      usable.allowance.isPrimed, let next = staged.first
    else { return false }
    return next.payloadBytes + 700 <= usable.segmentSize
  }

  func admit(at now: MonotonicTime) {
    while let (notification, reason) = schedule.admit(at: now) {
      observeMissed(notification, reason, at: now)
    }
    answers.note(due: schedule.counts.due, at: now)
  }

  /// When ``step()`` is to be called again, if nothing else happens before.
  func nextDeadline(at now: MonotonicTime) -> MonotonicTime? {
    if !isStopped, hasWaiting, mayHand(after: 0, at: now) { return now }
    var next = timer
    func consider(_ instant: MonotonicTime?) {
      guard let instant else { return }
      next = min(next ?? instant, instant)
    }
    if isStopped { return next }
    consider(schedule.nextInstantOfInterest)
    if canSendAhead, let due = schedule.nextDue { consider(due - earlyWake.current) }
    if let first = secondAttempts.first {
      consider(first.notification.planned + target.limits.maxLag + .nanoseconds(1))
    }
    if hasWaiting, opening == nil, trial == nil {
      if let usable, usable.inFlight > 0 {
        if usable.inFlight < usable.allowance.ceiling { consider(usable.allowance.nextTry) }
      } else {
        consider(backoff.earliest)
      }
    }
    return next
  }

  /// The connection that new requests go onto, once there is one.
  var usable: Connection? { connections.last { $0.stands && !$0.isLeaving } }

  /// Makes requests ready before they are due, while there is nothing else to do: up to ``readyAhead`` of them, as far as
  /// there is time. Encrypting one for a browser takes longer than the gap between two at high rates.
  /// - Parameter deadline: when the thread has something to do again.
  func prepareAhead(until deadline: MonotonicTime) {
    guard !isStopped else { return }
    while let first = staged.first, isOver(first.notification) {
      staged.popFirst()
      recycle(first)
    }
    while staged.count < Self.readyAhead, let next = schedule.upcoming(staged.count) {
      guard deadline - loop.now() > preparation * 2, let transfer = freeTransfer() else { return }
      prepare(transfer, next)
      staged.append(transfer)
    }
  }

  static let readyAhead = 4

  private func isOver(_ notification: PlannedNotification) -> Bool {
    guard let next = schedule.upcoming(0) else { return true }
    return notification.sequence < next.sequence
  }

  // MARK: Handles and requests

  /// A handle whose request is the one for this notification.
  func readyTransfer(for notification: PlannedNotification) -> Transfer? {
    while let first = staged.first, first.notification.sequence <= notification.sequence {
      staged.popFirst()
      if first.notification.sequence == notification.sequence { return first }
      recycle(first)
    }
    guard let transfer = freeTransfer() else { return nil }
    prepare(transfer, notification)
    return transfer
  }

  /// A handle for a notification that goes onto the wire once more.
  func transfer(for attempt: SecondAttempt) -> Transfer? {
    guard let transfer = freeTransfer() else { return nil }
    prepare(transfer, attempt.notification)
    transfer.attempt = 2
    transfer.firstFailure = attempt.failure
    return transfer
  }

  private func freeTransfer() -> Transfer? {
    if let transfer = pool.popLast() { return transfer }
    guard let transfer = Transfer(target: self) else { return nil }
    transfers.append(transfer)
    return transfer
  }

  private func prepare(_ transfer: Transfer, _ planned: PlannedNotification) {
    let id = NotificationID(run: run, sample: sampleID(planned))
    let notification = PushNotification(
      id: id, mac: target.authenticator?.mac(for: id), plannedAt: loop.offset.wall(planned.planned))
    let began = loop.now()
    transfer.prepare(planned, provider(of: planned).request(for: notification))
    // A hiccup of the host is forgotten within a few more.
    preparation = max(preparation * 3 / 4, min(loop.now() - began, .milliseconds(1)))
  }

  /// The one whose turn it is.
  func provider(of notification: PlannedNotification) -> any Provider {
    providers[TargetSchedule.index(of: notification.sequence, in: providers.count)]
  }

  /// Goes on with others, whose credentials may be newer; requests that were made ahead are made anew. What is under way
  /// is not touched.
  func replaceProviders(_ renewed: CredentialedProviders) {
    guard renewed.providers.count == providers.count else { return }
    providers = renewed.providers
    while let transfer = staged.popFirst() { recycle(transfer) }
    guard let serial = renewed.serial else { return }
    trust.renew(serial: serial)
    schedule.isCredentialRefused = false
  }

  /// Goes on with the credential that was refused.
  func tryCredentialAgain() {
    trust.tryAgain()
    schedule.isCredentialRefused = false
  }

  func recycle(_ transfer: Transfer) {
    if trial === transfer { trial = nil }
    if partlyRead === transfer { partlyRead = nil }
    transfer.recycle()
    pool.append(transfer)
  }

  func sampleID(_ notification: PlannedNotification) -> SampleID {
    SampleID(target: target.id, sequence: notification.sequence)
  }

  // MARK: Telling

  func observeMissed(_ notification: PlannedNotification, _ reason: MissedReason, at now: MonotonicTime) {
    observeEnd(.missed(sampleID(notification), reason: reason, at: now))
  }

  /// Hands on how a notification ended.
  func observeEnd(_ end: Observation) {
    if let length = answers.note(end, at: loop.now()) {
      log(.notice, "good answers again, after \(length.components.seconds) s without")
    }
    loop.observe(end)
  }

  /// Everything is sent and answered, or given up: the last chance to say that nothing was answered well.
  func noteEnd() {
    if let silence = answers.takeEnd(at: loop.now()) { warn(of: silence) }
  }

  private func warn(of silence: AnswerMonitor.Silence) {
    let advice = silence.lastAnswer.map { target.advice($0.status, $0.reason ?? "") } ?? ""
    log(.warning, silence.words + (advice.isEmpty ? "" : "; \(advice)"))
  }

  func emit(_ kind: EventKind, connection: Int64? = nil, at now: MonotonicTime, detail: String) {
    loop.observe(
      .event(
        Event(
          at: loop.offset.wall(now), kind: kind, target: target.id, connectionID: connection, detail: detail))
    )
  }

  func log(_ level: LogLine.Level, _ message: String) {
    loop.observe(
      .log(
        LogLine(
          at: loop.offset.wall(loop.now()), level: level, target: target.id, label: "transport",
          message: message)))
  }

  func currentStatistics() -> TimingStatistics.Target {
    var statistics = statistics
    statistics.counts = schedule.counts
    statistics.inFlight = inFlight
    statistics.waiting = schedule.waitingCount
    statistics.streamLimit = usable?.allowance.learnt
    return statistics
  }
}
