import CLinux
import Glibc
import Measurement
import Threads

/// The timing thread's work: wait, look at what is ready, let each target take its turn, hand on what was seen.
///
/// Everything it owns belongs to one thread; other threads reach it through ``TimingMailbox`` only.
final class TimingLoop: LaneEnvironment {
  private let clock: any HostClock
  private let mailbox: TimingMailbox
  private let onCredential: @Sendable (CredentialFeedback) -> Void
  private let sink: @Sendable ([Observation]) -> Void
  private var poller: Poller
  private var targets: [TargetTransport] = []
  /// Targets by the number that their sockets are watched under; `nil` once they have ended.
  private var slots: [TargetTransport?] = []
  /// Counts of configurations that have ended, by target.
  private var ended: [TargetID: TimingStatistics.Target] = [:]
  /// The last sequence number of each of them.
  private var lastSequences: [TargetID: Int64] = [:]
  /// Whether it waits for further targets when it has none, or all have ended.
  private let staysOpen: Bool
  private var isStopped = false
  private let runID: RunID
  private let start: MonotonicTime

  private(set) var offset: RealtimeOffset
  private var offsetDue: MonotonicTime
  private var observations: [Observation] = []
  private var lastConnectionID: Int64 = 0
  private var lag = LagHistogram()
  private var statisticsDue: MonotonicTime
  /// `nil` where it may not be had.
  private var precedence: ThreadPrecedence?
  /// When a stop that waits for answers ends.
  private var drainDeadline: MonotonicTime?

  /// How long before the first planned instant: its block has to be committed first.
  static let runUp = Duration.milliseconds(300)
  private static let statisticsInterval = Duration.milliseconds(250)
  /// Requests are made ahead only while nothing is due for so long.
  private static let idleEnough = Duration.microseconds(150)

  init(
    run: RunID, targets: [TransportTarget], staysOpen: Bool = false, clock: any HostClock,
    mailbox: TimingMailbox, onCredential: @escaping @Sendable (CredentialFeedback) -> Void,
    sink: @escaping @Sendable ([Observation]) -> Void
  ) throws(TransportError) {
    self.clock = clock
    self.mailbox = mailbox
    self.onCredential = onCredential
    self.sink = sink
    self.staysOpen = staysOpen
    poller = try Poller(wake: mailbox.wake.descriptor)
    let now = clock.monotonicNow()
    offset = RealtimeOffset(reading: clock)
    offsetDue = now + RealtimeOffset.interval
    statisticsDue = now
    runID = run
    start = now + Self.runUp
    for target in targets { add(target, start: start) }
  }

  private func add(_ target: TransportTarget, start: MonotonicTime, after last: Int64 = 0) {
    let transport = TargetTransport(
      target, index: slots.count, run: runID, start: start, after: last, loop: self)
    targets.append(transport)
    slots.append(transport)
  }

  // MARK: For the targets

  func now() -> MonotonicTime { clock.monotonicNow() }

  func observe(_ observation: Observation) { observations.append(observation) }

  func report(_ feedback: CredentialFeedback) { onCredential(feedback) }

  func nextConnectionID() -> Int64 {
    lastConnectionID += 1
    return lastConnectionID
  }

  func watch(_ fd: Int32, target: Int, events: UInt32, isNew: Bool) -> Bool {
    poller.watch(fd, target: target, events: events, isNew: isNew)
  }

  func unwatch(_ fd: Int32) { poller.unwatch(fd) }

  // MARK: The loop

  /// Returns when every target has come to its end, unless others may come, or was stopped and drained.
  func run() {
    setUpThread()
    while true {
      for target in targets { target.step() }
      let now = now()
      doHousekeeping(at: now)
      releaseRetired()
      handOn()
      if targets.allSatisfy(\.isFinished), isStopped || !staysOpen { break }
      let next = nextDeadline(at: now)
      if next - now > Self.idleEnough {
        if targets.contains(where: { $0.probePath(until: next) }) { continue }
        for target in targets { target.prepareAhead(until: next) }
      }
      wait(until: next, at: now)
    }
    mailbox.recordEnd(of: now())
    publishStatistics()
    for target in targets { target.reportEnd() }
    for target in targets { target.close() }
    handOn()
  }

  private func wait(until next: MonotonicTime, at now: MonotonicTime) {
    let count = poller.wait(until: next, at: now)
    // A wait ends with nothing when it is interrupted, as where the process was stopped. The timer may have fired meanwhile.
    if count == 0, next > now, let deadline = poller.consumeDeadline() {
      let late = self.now() - deadline
      if late > .zero { lag.record(late.nanoseconds) }
    }
    for index in 0..<count {
      // The timer's own instant is gone once it has fired.
      let deadline = poller.deadline
      let event = poller.readiness(at: index)
      switch event.source {
      case .wake: handleCommands()
      case .timer:
        if let deadline { lag.record((self.now() - deadline).nanoseconds) }
      case .clockStep: offset = RealtimeOffset(reading: clock)
      case .socket(let target, let fd): slots[target]?.socketReady(event, fd: fd)
      }
    }
  }

  private func nextDeadline(at now: MonotonicTime) -> MonotonicTime {
    var next = min(offsetDue, statisticsDue)
    if let drainDeadline { next = min(next, drainDeadline) }
    for target in targets {
      if let deadline = target.nextDeadline(at: now) { next = min(next, deadline) }
    }
    return next
  }

  private func doHousekeeping(at now: MonotonicTime) {
    if now >= offsetDue {
      offset = RealtimeOffset(reading: clock)
      offsetDue = now + RealtimeOffset.interval
    }
    if now >= statisticsDue {
      publishStatistics()
      updatePriority(at: now)
      statisticsDue = now + Self.statisticsInterval
    }
    if let drainDeadline, now >= drainDeadline {
      self.drainDeadline = nil
      for target in targets { target.abandon() }
    }
  }

  private func setUpThread() {
    clinux_keep_freed_memory()
    let areUndecided = ThreadScheduling.areUndecided
    if areUndecided, ThreadScheduling.goFirst() {
      precedence = ThreadPrecedence(isHeld: true, worked: ThreadScheduling.worked, at: self.now())
    } else if areUndecided {
      ThreadScheduling.goShort()
    }
  }

  private func updatePriority(at now: MonotonicTime) {
    switch precedence?.check(worked: ThreadScheduling.worked, at: now) {
    case .give: _ = ThreadScheduling.goFirst()
    case .take: ThreadScheduling.goShort()
    case nil: break
    }
  }

  private func handOn() {
    guard !observations.isEmpty else { return }
    sink(observations)
    observations.removeAll(keepingCapacity: true)
  }

  private func handleCommands() {
    let commands = mailbox.drain()
    for change in commands.changes { make(change) }
    for (key, sequence) in commands.committed { transport(key)?.acknowledge(through: sequence) }
    for (key, renewed) in commands.providers { transport(key)?.replaceProviders(renewed) }
    for (key, isAnother) in commands.receivers { transport(key)?.updateReceiver(isAnother: isAnother) }
    for key in commands.trials { transport(key)?.tryCredentialAgain() }
    guard let draining = commands.stop else { return }
    let now = now()
    drainDeadline = now + draining
    isStopped = true
    for target in targets { target.stop(at: now) }
    mailbox.recordEnd(of: now)
  }

  private func transport(_ key: TimingMailbox.Commands.Key) -> TargetTransport? {
    targets.first { $0.id == key.target && $0.generation == key.generation }
  }

  // MARK: Changes of targets

  private func make(_ change: TimingMailbox.Commands.TargetChange) {
    let now = now()
    // After a stop nothing begins any more.
    guard drainDeadline == nil else { return }
    let ending = Set(change.ending)
    for target in targets where ending.contains(target.id) && !target.isRetired { target.retire(at: now) }
    // Of a target's configurations an earlier one may be under way for longer than a later one.
    var formers = lastSequences
    for target in targets { formers[target.id] = max(formers[target.id] ?? 0, target.lastSequence) }
    for target in change.beginning {
      var target = target
      // A time limit counts from when the run began.
      if let duration = target.limits.duration {
        target.limits.duration = max(.zero, duration - (now + Self.runUp - start))
      }
      add(target, start: now + Self.runUp, after: formers[target.id] ?? 0)
    }
  }

  /// Closes the connections of configurations that have ended and have nothing under way any more.
  private func releaseRetired() {
    let done = targets.filter { $0.isRetired && $0.isFinished }
    guard !done.isEmpty else { return }
    for target in done {
      target.reportEnd()
      target.close()
      ended[target.id] = target.currentStatistics().added(to: ended[target.id])
      lastSequences[target.id] = max(lastSequences[target.id] ?? 0, target.lastSequence)
    }
    // All at once: a reload may have ended a thousand.
    let gone = Set(done.map(ObjectIdentifier.init))
    targets.removeAll { gone.contains(ObjectIdentifier($0)) }
    for index in slots.indices {
      if let target = slots[index], gone.contains(ObjectIdentifier(target)) { slots[index] = nil }
    }
  }

  private func publishStatistics() {
    var statistics = TimingStatistics()
    statistics.loopLag.count = lag.count
    statistics.loopLag.median = lag.quantile(0.5)
    statistics.loopLag.p99 = lag.quantile(0.99)
    statistics.loopLag.maximum = lag.maximum
    var sums = ended
    for target in targets { sums[target.id] = target.currentStatistics().added(to: sums[target.id]) }
    statistics.targets = sums.values.sorted { $0.id < $1.id }
    mailbox.publish(statistics)
  }
}
