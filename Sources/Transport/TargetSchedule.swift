import DequeModule
import Measurement

/// One target's open-loop schedule, as a value that a clock steps: it says what to plan, what is due and what is
/// missed, and never looks at an answer except to count what is unanswered.
///
/// A notification passes three places, in order of its sequence number:
/// 1. **planned**: in a block handed out by ``nextBlock(at:)``; not touched before the block is acknowledged as
///    committed.
/// 2. **waiting**: its instant has come (``admit(at:)``). What cannot go out at once waits here, and nowhere else: that
///    wait is schedule lag.
/// 3. **taken**: handed to the transport (``removeNext(at:inFlight:failure:)``), missed, or failed for want of a connection.
///
/// Lateness has two rules:
/// - Whatever waits longer than ``ScheduleLimits/maxLag`` is missed (`lag`), or has failed where the transport says that
///   there was no connection since its plan.
/// - What is *first seen* more than ``ScheduleLimits/stallTolerance`` after its instant, because the thread, the host or the store
///   stood still, is missed (`lag`) if a later one has come due as well. So a stall is never followed by a bunch of
///   sends: at most what that tolerance holds goes out, and a slow schedule still sends its newest one late.
///
/// While the store is behind by more than ``lead``, nothing is planned ahead: it would not be committed in time, and writing it
/// twice, as a plan and as missed, would keep the store behind for ever. What comes due meanwhile is planned as missed, in blocks
/// that are written once; when the store has caught up, sending goes on.
struct TargetSchedule: Sendable {
  enum Step: Sendable, Equatable {
    case send(PlannedNotification)
    case missed(PlannedNotification, MissedReason)
    /// There was no connection to send it on.
    case failed(PlannedNotification, FailureReason)
  }

  /// A pause in which probes go on.
  private struct Backoff {
    var until: MonotonicTime
    /// `nil` for no probes.
    var probeEvery: Duration?
    var nextProbe: MonotonicTime
    /// The last one that was let through.
    var probe: Int64?
  }

  /// How far ahead the plan must reach; a block's commit takes about 0.1 s.
  static let lead = Duration.seconds(1)
  /// How far a new block reaches beyond the lead.
  static let blockSpan = Duration.milliseconds(500)
  static let maximumBlock = 16_384
  /// How much of what is missed at once goes into a block, at least.
  private static let arrearsSpan = Duration.milliseconds(100)

  let target: TargetID
  let start: MonotonicTime
  let limits: ScheduleLimits
  /// One for each provider of the target, or none.
  let variants: [VariantID]
  /// Which of the target's configurations in this run it is of.
  let generation: Int
  private(set) var counts = ScheduleCounts()
  private(set) var pausedUntil: MonotonicTime?
  private var backoff: Backoff?
  /// There is no credential, or the provider refused it: what comes due is missed (`credential`).
  var isCredentialRefused = false

  private var arrivals: ArrivalSequence
  /// Instants drawn but not yet in a block.
  private var drawn = Deque<MonotonicTime>()
  private(set) var lastSequence: Int64
  private var committedThrough: Int64 = 0
  /// The last number of each block that is not committed, and when it was handed out.
  private var uncommitted = Deque<(last: Int64, since: MonotonicTime)>()
  /// Nothing is planned ahead until the store has caught up.
  private var isHeldBack = false
  /// When the next arrears can be planned meanwhile; `nil` where nothing is left that could overtake what is due.
  private var arrearsDue: MonotonicTime?
  private var isPlanComplete = false
  private var planned = Deque<PlannedNotification>()
  private var waiting = Deque<PlannedNotification>()
  private var isStopping = false
  private var limiters: [SendLimiter]

  /// - Parameter after: the sequence number before the first one.
  init(
    target: TargetID, arrivals: ArrivalSequence, limits: ScheduleLimits, variants: [VariantID] = [],
    after last: Int64 = 0, generation: Int = 0
  ) {
    lastSequence = last
    self.generation = generation
    self.target = target
    self.arrivals = arrivals
    self.limits = limits
    self.variants = variants
    limiters = limits.provider.map { SendLimiter($0) }
    start = arrivals.start
  }

  /// Nothing is planned or waiting, and nothing will be.
  var isFinished: Bool { isPlanComplete && planned.isEmpty && waiting.isEmpty }

  /// How many wait for a stream.
  var waitingCount: Int { waiting.count }

  // MARK: Planning

  /// The next block to commit, if the plan does not reach far enough ahead.
  mutating func nextBlock(at now: MonotonicTime) -> PlannedBlock? {
    isHeldBack = false
    guard !isPlanComplete, needsPlan(at: now) else { return nil }
    let isBehind = uncommitted.first.map { now - $0.since > Self.lead } ?? false
    var block = arrears(at: now, isBehind: isBehind)
    if block == nil {
      isHeldBack = isBehind
      if isHeldBack { arrearsDue = nextArrears(at: now) } else { block = planAhead(at: now) }
    }
    if let block { uncommitted.append((block.lastSequence, now)) }
    return block
  }

  /// Plans what comes due until the horizon.
  private mutating func planAhead(at now: MonotonicTime) -> PlannedBlock? {
    let horizon = max(now, start) + Self.lead + Self.blockSpan
    var block = emptyBlock
    while let instant = nextInstant(), block.planned.count < Self.maximumBlock {
      guard instant <= horizon || block.planned.isEmpty else { break }
      plan(instant, into: &block)
      planned.append(PlannedNotification(sequence: lastSequence, planned: instant))
    }
    return block.planned.isEmpty ? nil : block
  }

  /// Plans as missed what is late by a stall already; `nil` where that is not worth a block. The newest of what is due is left to
  /// be sent late, unless it is the last of all and the store is behind: it would be waited for as long as the store is.
  private mutating func arrears(at now: MonotonicTime, isBehind: Bool) -> PlannedBlock? {
    let tolerance = min(limits.stallTolerance, limits.maxLag)
    guard let first = nextInstant(), now >= first + lateness else { return nil }
    var block = emptyBlock
    while let instant = nextInstant(), now - instant > tolerance, block.planned.count < Self.maximumBlock {
      plan(instant, into: &block)
    }
    if nextInstant().map({ $0 > now }) ?? !isBehind, let newest = block.planned.popLast() {
      if !block.variants.isEmpty { block.variants.removeLast() }
      drawn.prepend(newest)
      lastSequence -= 1
      isPlanComplete = false
    }
    guard !block.planned.isEmpty else { return nil }
    let reason = silence(at: now) ?? .lag
    block.missed = reason
    counts.due += Int64(block.planned.count)
    for _ in block.planned { counts.count(reason) }
    return block
  }

  /// The next instant to look for arrears when ``arrears(at:)`` had none: when the first is late enough or, where it
  /// is, when the one after it comes due.
  private func nextArrears(at now: MonotonicTime) -> MonotonicTime? {
    guard let first = drawn.first else { return nil }
    let late = first + lateness
    return late > now ? late : drawn.count > 1 ? drawn[1] : nil
  }

  /// So long after its instant, what is not committed is missed, with all that is late by a stall then.
  private var lateness: Duration {
    min(limits.stallTolerance, limits.maxLag) + Self.arrearsSpan + .nanoseconds(1)
  }

  private var emptyBlock: PlannedBlock {
    var block = PlannedBlock(target: target, firstSequence: lastSequence + 1, planned: [])
    block.generation = generation
    return block
  }

  private mutating func plan(_ instant: MonotonicTime, into block: inout PlannedBlock) {
    drawn.removeFirst()
    lastSequence += 1
    block.planned.append(instant)
    if !variants.isEmpty { block.variants.append(variants[Self.index(of: lastSequence, in: variants.count)]) }
  }

  /// The variant of a sequence number: variants alternate.
  static func index(of sequence: Int64, in count: Int) -> Int {
    count <= 1 ? 0 : Int((sequence - 1) % Int64(count))
  }

  private func needsPlan(at now: MonotonicTime) -> Bool {
    guard let last = planned.last else { return true }
    return last.planned <= now + Self.lead
  }

  /// Draws an instant unless one is held; `nil` once the limits are reached.
  private mutating func nextInstant() -> MonotonicTime? {
    if let first = drawn.first { return first }
    guard !isPlanComplete else { return nil }
    if let count = limits.count, lastSequence >= count {
      isPlanComplete = true
      return nil
    }
    let instant = arrivals.next()
    if let duration = limits.duration, instant >= start + duration {
      isPlanComplete = true
      return nil
    }
    drawn.append(instant)
    return instant
  }

  /// The store has committed every sequence number up to and including this one.
  mutating func acknowledge(through sequence: Int64) {
    committedThrough = max(committedThrough, sequence)
    while let first = uncommitted.first, first.last <= sequence { uncommitted.removeFirst() }
  }

  // MARK: Sending

  /// Moves what is due and committed to the queue of waiting ones. What is not committed yet is missed as soon as it is late by
  /// a stall: a store that cannot follow then writes it once, as missed, and catches up. The last of all, which nothing overtakes,
  /// is missed after ``ScheduleLimits/maxLag``.
  /// - Returns: a notification that is missed instead; `nil` when all that are due wait. Call until `nil`.
  mutating func admit(at now: MonotonicTime) -> (PlannedNotification, MissedReason)? {
    let tolerance = min(limits.stallTolerance, limits.maxLag)
    while let next = planned.first, next.planned <= now {
      let isOvertaken = planned.count > 1 && planned[1].planned <= now
      let isCommitted = next.sequence <= committedThrough
      let isStalled =
        isOvertaken
        ? now - next.planned > tolerance
        : !isCommitted && isPlanComplete && planned.count == 1 && now - next.planned > limits.maxLag
      guard isStalled || isCommitted else { break }
      planned.removeFirst()
      counts.due += 1
      if let silence = silence(at: now) {
        guard silence == .backoff, !isStalled, admitProbe(next, at: now) else { return miss(next, silence) }
      } else if isStalled {
        return miss(next, .lag)
      }
      waiting.append(next)
    }
    return nil
  }

  /// Removes the next waiting notification, which is sent, missed or failed; `nil` when none waits.
  /// - Parameters:
  ///   - inFlight: how many are sent and unanswered.
  ///   - failure: why a notification that was not sent in time has failed; `nil` when there was a connection.
  mutating func removeNext(
    at now: MonotonicTime, inFlight: Int,
    failure: (PlannedNotification) -> FailureReason? = { _ in nil }
  ) -> Step? {
    if let ended = removeOverdue(at: now, inFlight: inFlight, failure: failure) { return ended }
    guard let next = waiting.popFirst() else { return nil }
    counts.sent += 1
    for index in limiters.indices { limiters[index].recordSent(at: now) }
    return .send(next)
  }

  /// Removes the first waiting notification if it will not be sent: the only possible step while no stream is free.
  mutating func removeOverdue(
    at now: MonotonicTime, inFlight: Int,
    failure: (PlannedNotification) -> FailureReason? = { _ in nil }
  ) -> Step? {
    guard let next = waiting.first else { return nil }
    let reason: MissedReason
    if let silence = silence(at: now, for: next) {
      reason = silence
    } else if now - next.planned > limits.maxLag {
      if let failure = failure(next) {
        waiting.removeFirst()
        counts.failedUnsent += 1
        return .failed(next, failure)
      }
      reason = .lag
    } else if inFlight >= limits.maxInFlight {
      reason = .inFlight
    } else if !limiters.allSatisfy({ $0.permits(at: now) }) {
      reason = .providerLimit
    } else {
      return nil
    }
    waiting.removeFirst()
    let missed = miss(next, reason)
    return .missed(missed.0, missed.1)
  }

  /// Puts a notification back at the front of the queue, because the transport could not take it.
  mutating func giveBack(_ notification: PlannedNotification) {
    undoSend()
    waiting.prepend(notification)
  }

  /// The notification that was taken last has failed: its connection was not established.
  mutating func recordUnsent() {
    undoSend()
    counts.failedUnsent += 1
  }

  private mutating func undoSend() {
    counts.sent -= 1
    for index in limiters.indices { limiters[index].undoSend() }
  }

  private mutating func miss(
    _ notification: PlannedNotification, _ reason: MissedReason
  ) -> (PlannedNotification, MissedReason) {
    counts.count(reason)
    return (notification, reason)
  }

  /// The notifications to be sent next, waiting ones first, so that their requests can be prepared.
  func upcoming(_ offset: Int) -> PlannedNotification? {
    if offset < waiting.count { return waiting[offset] }
    let offset = offset - waiting.count
    return offset < planned.count ? planned[offset] : nil
  }

  // MARK: Pausing and stopping

  /// The provider asked for a pause: what comes due meanwhile is missed (`retry_after`).
  mutating func pause(until instant: MonotonicTime) {
    pausedUntil = max(pausedUntil ?? instant, instant)
  }

  /// The pause is over at an instant, whatever it was before; `nil`: at once.
  mutating func resume(at instant: MonotonicTime?) { pausedUntil = instant }

  /// The provider fails: until the instant one notification per `probeEvery` is sent, and the rest is missed (`backoff`).
  /// - Parameter probeEvery: also the time to the first probe; `nil` for no probes.
  mutating func backOff(until instant: MonotonicTime, probeEvery: Duration?, at now: MonotonicTime) {
    backoff = Backoff(
      until: max(backoff?.until ?? instant, instant), probeEvery: probeEvery,
      nextProbe: now + (probeEvery ?? .zero))
  }

  /// The provider works again.
  mutating func endBackoff() { backoff = nil }

  /// Sends a notification during a back-off, if a probe is due.
  private mutating func admitProbe(_ notification: PlannedNotification, at now: MonotonicTime) -> Bool {
    guard let pause = backoff, let interval = pause.probeEvery, now >= pause.nextProbe else { return false }
    backoff?.nextProbe = now + interval
    backoff?.probe = notification.sequence
    return true
  }

  /// Why nothing may be sent now.
  func silence(at now: MonotonicTime) -> MissedReason? {
    if let pausedUntil, now < pausedUntil { return .retryAfter }
    if isCredentialRefused { return .credential }
    if let backoff, now < backoff.until { return .backoff }
    return nil
  }

  /// The reason why a due notification is not sent; `nil` when it is, also as a probe of a refused credential.
  func silence(at now: MonotonicTime, for notification: PlannedNotification) -> MissedReason? {
    let silence = silence(at: now)
    return silence == .backoff && backoff?.probe == notification.sequence ? nil : silence
  }

  /// Ends the plan. What is due and unsent is missed (`stopping`). What is planned for later was never due; the end of the run
  /// removes it from the store.
  mutating func stop(at now: MonotonicTime) -> [PlannedNotification] {
    guard !isStopping else { return [] }
    isStopping = true
    isPlanComplete = true
    var missed: [PlannedNotification] = []
    while let next = waiting.popFirst() { missed.append(next) }
    while let next = planned.first, next.planned <= now {
      planned.removeFirst()
      counts.due += 1
      missed.append(next)
    }
    planned.removeAll()
    for notification in missed { _ = miss(notification, .stopping) }
    return missed
  }

  /// Ends the plan without ending what is due: that is sent as if nothing had happened.
  /// - Returns: the sequence numbers that were planned for later; they are free again.
  mutating func withdraw(at now: MonotonicTime) -> ClosedRange<Int64>? {
    guard !isPlanComplete || !planned.isEmpty else { return nil }
    isPlanComplete = true
    drawn.removeAll()
    let end = lastSequence
    while let last = planned.last, last.planned > now {
      planned.removeLast()
      lastSequence = last.sequence - 1
    }
    return lastSequence < end ? lastSequence + 1...end : nil
  }

  // MARK: Time

  /// When the next committed notification comes due.
  var nextDue: MonotonicTime? {
    guard let first = planned.first, first.sequence <= committedThrough else { return nil }
    return first.planned
  }

  /// The next instant at which a step is due by time alone.
  var nextInstantOfInterest: MonotonicTime? {
    var next = nextDue
    func consider(_ instant: MonotonicTime) { next = min(next ?? instant, instant) }
    // Not committed: missed by then.
    if next == nil, planned.count > 1 {
      consider(max(planned[0].planned + lateness, planned[1].planned))
    } else if next == nil, isPlanComplete, let last = planned.first {
      consider(last.planned + limits.maxLag + .nanoseconds(1))
    }
    if let first = waiting.first {
      consider(first.planned + limits.maxLag + .nanoseconds(1))
    }
    if isHeldBack {
      if let arrearsDue { consider(arrearsDue) }
    } else if !isPlanComplete {
      consider(planned.last.map { $0.planned - Self.lead } ?? start)
    }
    return next
  }
}

/// A notification in a target's schedule.
struct PlannedNotification: Sendable, Equatable {
  var sequence: Int64
  var planned: MonotonicTime
}

/// The limits of a target's schedule.
public struct ScheduleLimits: Sendable, Equatable {
  /// The largest number of unanswered requests; with that many, a due notification is missed.
  public var maxInFlight: Int
  /// A notification that is not sent this long after its planned instant is missed.
  public var maxLag: Duration
  /// A longer delay of what is due is a stall. Shorter ones, as from a hypervisor or a slow commit, are sent late and show as
  /// schedule lag.
  public var stallTolerance = Duration.milliseconds(100)
  /// Notifications to plan; `nil` for no limit.
  public var count: Int64?
  /// Plan nothing so long after the start; `nil` for no end.
  public var duration: Duration?
  /// The limits that the provider documents; beyond them a due notification is missed (`provider_limit`).
  public var provider: [SendLimit]

  public init(
    maxInFlight: Int = 1000, maxLag: Duration = .seconds(1), count: Int64? = nil, duration: Duration? = nil,
    provider: [SendLimit] = []
  ) {
    self.maxInFlight = maxInFlight
    self.maxLag = maxLag
    self.count = count
    self.duration = duration
    self.provider = provider
  }
}
