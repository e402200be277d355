import Measurement

/// One target's open-loop schedule, as a value that a clock steps: it says what to plan, what is due and what is
/// missed, and never looks at an answer except to count what is unanswered.
///
/// A notification passes three places, in order of its sequence number:
/// 1. **planned**: in a block handed out by ``nextBlock(at:)``; not touched before the block is acknowledged as
///    committed.
/// 2. **waiting**: its instant has come (``admit(at:)``). What cannot go out at once waits here, and nowhere else: that
///    wait is schedule lag.
/// 3. **taken**: handed to the transport (``takeNext(at:inFlight:)``), or missed.
///
/// Lateness has two rules:
/// - Whatever waits longer than ``ScheduleLimits/maxLag`` is missed (`lag`).
/// - What is *first seen* more than ``stallTolerance`` after its instant, because the thread, the host or the store
///   stood still, is missed (`lag`) if a later one has come due as well. So a stall is never followed by a bunch of
///   sends: at most what ``stallTolerance`` holds goes out, and a slow schedule still sends its newest one late.
struct TargetSchedule: Sendable {
  enum Step: Sendable, Equatable {
    case send(PlannedNotification)
    case missed(PlannedNotification, MissedReason)
  }

  /// Hiccups of a hypervisor or a slow commit are shorter: those sends go out late and show as schedule lag. What is
  /// longer is a stall.
  static let stallTolerance = Duration.milliseconds(100)
  /// How far ahead there must be a plan: a block's commit takes 0.1 s or so.
  static let lead = Duration.seconds(1)
  /// How far a new block reaches beyond the lead.
  static let blockSpan = Duration.milliseconds(500)
  static let maximumBlock = 16_384

  let target: TargetID
  let start: MonotonicTime
  let limits: ScheduleLimits
  /// One for each provider of the target, or none.
  let variants: [VariantID]
  private(set) var counts = ScheduleCounts()
  private(set) var pausedUntil: MonotonicTime?
  /// There is none yet, or the provider refused it: what comes due meanwhile is missed (`credential`).
  var isCredentialRefused = false

  private var arrivals: ArrivalSequence
  /// The instant drawn but not yet in a block.
  private var drawn: MonotonicTime?
  private var lastSequence: Int64 = 0
  private var committedThrough: Int64 = 0
  private var isPlanComplete = false
  private var planned = FIFO<PlannedNotification>()
  private var waiting = FIFO<PlannedNotification>()
  private var isStopping = false
  private var limiters: [SendLimiter]

  init(
    target: TargetID, arrivals: ArrivalSequence, limits: ScheduleLimits, variants: [VariantID] = []
  ) {
    self.target = target
    self.arrivals = arrivals
    self.limits = limits
    self.variants = variants
    limiters = limits.provider.map { SendLimiter($0) }
    start = arrivals.start
  }

  /// Nothing is planned or waiting any more, and nothing will be.
  var isFinished: Bool { isPlanComplete && planned.isEmpty && waiting.isEmpty }

  /// How many wait for a place on a connection.
  var waitingCount: Int { waiting.count }

  // MARK: Planning

  /// The next block to commit, while the plan does not reach far enough ahead.
  mutating func nextBlock(at now: MonotonicTime) -> PlannedBlock? {
    guard !isPlanComplete, needsPlan(at: now) else { return nil }
    let horizon = max(now, start) + Self.lead + Self.blockSpan
    var block = PlannedBlock(target: target, firstSequence: lastSequence + 1, planned: [])
    while let instant = nextInstant(), block.planned.count < Self.maximumBlock {
      guard instant <= horizon || block.planned.isEmpty else { break }
      drawn = nil
      lastSequence += 1
      block.planned.append(instant)
      if !variants.isEmpty {
        block.variants.append(variants[Self.index(of: lastSequence, in: variants.count)])
      }
      planned.append(PlannedNotification(sequence: lastSequence, planned: instant))
    }
    return block.planned.isEmpty ? nil : block
  }

  /// Which of so many variants a sequence number goes by: they take turns.
  static func index(of sequence: Int64, in count: Int) -> Int {
    count <= 1 ? 0 : Int((sequence - 1) % Int64(count))
  }

  private func needsPlan(at now: MonotonicTime) -> Bool {
    guard let last = planned.last else { return true }
    return last.planned <= now + Self.lead
  }

  /// Draws an instant if none is held; `nil` once the limits are reached.
  private mutating func nextInstant() -> MonotonicTime? {
    if let drawn { return drawn }
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
    drawn = instant
    return instant
  }

  /// The store has every planned number up to and including this one.
  mutating func acknowledge(through sequence: Int64) {
    committedThrough = max(committedThrough, sequence)
  }

  // MARK: Sending

  /// Moves what is due and committed to the waiting ones.
  /// - Returns: the next notification that is missed at that, `nil` when all that is due is waiting. Call until `nil`.
  mutating func admit(at now: MonotonicTime) -> (PlannedNotification, MissedReason)? {
    let tolerance = min(Self.stallTolerance, limits.maxLag)
    while let next = planned.first, next.planned <= now, next.sequence <= committedThrough {
      planned.popFirst()
      counts.due += 1
      if let silence = silence(at: now) { return miss(next, silence) }
      let isOvertaken = planned.first.map { $0.planned <= now } ?? false
      if isOvertaken, now - next.planned > tolerance { return miss(next, .lag) }
      waiting.append(next)
    }
    return nil
  }

  /// Takes the next waiting notification: to be sent, or missed. `nil` when none waits.
  /// - Parameter inFlight: how many are sent and unanswered.
  mutating func takeNext(at now: MonotonicTime, inFlight: Int) -> Step? {
    if let missed = takeOverdue(at: now, inFlight: inFlight) { return missed }
    guard let next = waiting.popFirst() else { return nil }
    counts.sent += 1
    for index in limiters.indices { limiters[index].noteSent(at: now) }
    return .send(next)
  }

  /// Takes the first waiting notification if it is to be missed and not sent: the only step there is while no place on
  /// a connection is free.
  mutating func takeOverdue(at now: MonotonicTime, inFlight: Int) -> Step? {
    guard let next = waiting.first else { return nil }
    let reason: MissedReason
    if let silence = silence(at: now) {
      reason = silence
    } else if now - next.planned > limits.maxLag {
      reason = .lag
    } else if inFlight >= limits.maxInFlight {
      reason = .inFlight
    } else if !limiters.allSatisfy({ $0.permits(at: now) }) {
      reason = .providerLimit
    } else {
      return nil
    }
    waiting.popFirst()
    let missed = miss(next, reason)
    return .missed(missed.0, missed.1)
  }

  /// The transport had no place for it after all: it waits again, first in line.
  mutating func giveBack(_ notification: PlannedNotification) {
    counts.sent -= 1
    for index in limiters.indices { limiters[index].takeBack() }
    waiting.prepend(notification)
  }

  private mutating func miss(
    _ notification: PlannedNotification, _ reason: MissedReason
  ) -> (PlannedNotification, MissedReason) {
    counts.count(reason)
    return (notification, reason)
  }

  /// What will be asked for next, so that its request can be made ready before it is due: waiting ones first, then
  /// planned ones.
  func upcoming(_ offset: Int) -> PlannedNotification? {
    if offset < waiting.count { return waiting[offset] }
    let offset = offset - waiting.count
    return offset < planned.count ? planned[offset] : nil
  }

  // MARK: Pausing and stopping

  /// The provider asked for silence: what comes due meanwhile is missed (`retry_after`).
  mutating func pause(until instant: MonotonicTime) {
    pausedUntil = max(pausedUntil ?? instant, instant)
  }

  /// Why nothing may be sent now, whatever is due.
  func silence(at now: MonotonicTime) -> MissedReason? {
    if let pausedUntil, now < pausedUntil { return .retryAfter }
    return isCredentialRefused ? .credential : nil
  }

  /// Ends the plan. What is due and unsent is missed (`stopping`); what is planned for later was never due, stays
  /// unmentioned, and is for the run's end to take out of the plan.
  mutating func stop(at now: MonotonicTime) -> [PlannedNotification] {
    guard !isStopping else { return [] }
    isStopping = true
    isPlanComplete = true
    var missed: [PlannedNotification] = []
    while let next = waiting.popFirst() { missed.append(next) }
    while let next = planned.first, next.planned <= now {
      planned.popFirst()
      counts.due += 1
      missed.append(next)
    }
    planned.removeAll()
    for notification in missed { _ = miss(notification, .stopping) }
    return missed
  }

  // MARK: Time

  /// When the next planned and committed notification comes due.
  var nextDue: MonotonicTime? {
    guard let first = planned.first, first.sequence <= committedThrough else { return nil }
    return first.planned
  }

  /// The next instant at which a step is due by the clock alone; `nil` when only an acknowledgement, a free place or
  /// nothing can bring one.
  var nextInstantOfInterest: MonotonicTime? {
    var next = nextDue
    func consider(_ instant: MonotonicTime) { next = min(next ?? instant, instant) }
    if let first = waiting.first {
      consider(first.planned + limits.maxLag + .nanoseconds(1))
    }
    if !isPlanComplete { consider(planned.last.map { $0.planned - Self.lead } ?? start) }
    return next
  }
}
