import Configuration
import Logging
import Measurement
import Store
import Synchronization
import Threads

/// Looks at objectives once a second, on a thread of its own: saves what they say, tells what begins and ends, and raises
/// alerts. Reads through a connection of its own, so that the recorder never waits for it.
final class ObjectiveWatch: Sendable {
  private struct State {
    var settings: AlertingSettings
    /// The settings are new: the evaluator is made again, with what it knows.
    var isChanged = false
    var run: ObservedRun?
    var heard = HeardTargets()
  }

  private let state: Mutex<State>
  private let store: any AnalystStore
  private let alerts: AlertSender
  private let clock: any HostClock
  private let logger: Logger
  private let progress: WorkProgress

  static let interval = Duration.seconds(1)
  /// How often it is saved how far it has looked.
  private static let saveInterval = Duration.seconds(10)

  init(
    _ settings: AlertingSettings, store: any AnalystStore, alerts: AlertSender, clock: any HostClock,
    logger: Logger, progress: WorkProgress
  ) {
    state = Mutex(State(settings: settings))
    self.store = store
    self.alerts = alerts
    self.clock = clock
    self.logger = logger
    self.progress = progress
  }

  func start() throws(ThreadError) -> RoundThread {
    try RoundThread(
      name: "objectives",
      make: { [self] in
        RoundThread.Work(round: Worker(self).round)
      },
      onTrouble: { [logger] error in
        if let error {
          logger.error("\(error); objectives are judged again each second")
        } else {
          logger.notice("objectives are judged again")
        }
      })
  }

  func set(_ settings: AlertingSettings) {
    state.withLock { state in
      state.settings = settings
      state.isChanged = true
    }
  }

  /// Events belong to it.
  func set(_ run: ObservedRun) { state.withLock { $0.run = run } }

  func set(_ heard: HeardTargets) { state.withLock { $0.heard = heard } }

  /// What the thread has to itself.
  private final class Worker {
    private let watch: ObjectiveWatch
    private var reader: StoreReader?
    private var evaluator: ObjectiveEvaluator?
    private var saved: [ObjectiveRecord] = []
    private var unsaved = ObjectiveChanges()
    private var saveDue: MonotonicTime?

    init(_ watch: ObjectiveWatch) { self.watch = watch }

    func round() throws -> Duration {
      defer { watch.progress.rest() }
      let reader = try self.reader ?? StoreReader.open(at: watch.store.path)
      self.reader = reader
      let now = watch.clock.monotonicNow()
      let wall = watch.clock.wallNow()
      let (settings, isChanged, run, heard) = watch.state.withLock { state in
        defer { state.isChanged = false }
        return (state.settings, state.isChanged, state.run, state.heard)
      }
      var evaluator: ObjectiveEvaluator
      if let known = self.evaluator, !isChanged {
        evaluator = known
      } else {
        evaluator = ObjectiveEvaluator(settings.objectives, stored: try reader.objectives(), at: wall)
      }
      let step = try evaluator.round(
        reader, heard, wall: wall, now: now, progress: watch.progress)
      self.evaluator = evaluator
      report(step, run: run, at: wall)
      watch.alerts.replaceObjectives(
        with: step.records.filter { isOpen($0, at: wall) }.compactMap {
          AlertSources.alert(of: $0, labels: settings.labels)
        })
      try save(step.records, at: now)
      let cost = watch.clock.monotonicNow() - now
      return RoundThread.pause(after: cost, least: ObjectiveWatch.interval)
    }

    /// An incident lasts until its breach has been over for ten minutes.
    private func isOpen(_ record: ObjectiveRecord, at now: WallTime) -> Bool {
      guard record.breachedAt != nil else { return false }
      return record.endedAt.map { now - $0 < IncidentState.quietPeriod } ?? true
    }

    private func report(_ step: ObjectiveEvaluator.Step, run: ObservedRun?, at now: WallTime) {
      for (record, change) in step.changes {
        let isOpened = change == .opened
        let name = EscapedText.make(record.name)
        let text =
          isOpened
          ? "objective \(name) is breached: \(record.sentence)"
          : "objective \(name) is kept again" + (record.endedAt.map { " since \($0.rfc3339)" } ?? "")
        let target = run?.targets.first { $0.registration.name == record.target }?.registration.id
        unsaved.run = run?.id
        if run != nil {
          unsaved.events.append(
            Event(
              at: now, kind: isOpened ? .thresholdCrossed : .thresholdCleared, target: target, detail: text))
          unsaved.log.append(
            LogLine(
              at: now, level: isOpened ? .warning : .notice, target: target, label: "objectives",
              message: text))
        }
        watch.logger.log(
          level: isOpened ? .warning : .notice, "\(EscapedText.make("\(record.target): \(text)"))")
      }
    }

    /// Saves what changed in what it says at once, and how far it has looked now and then.
    private func save(_ records: [ObjectiveRecord], at now: MonotonicTime) throws {
      let isDue = saveDue.map { now >= $0 } ?? true
      let isNews =
        records.count != saved.count || zip(records, saved).contains { !$0.saysTheSame(as: $1) }
      if isDue || isNews { unsaved.objectives = records }
      guard !unsaved.isEmpty else { return }
      try watch.store.save(unsaved)
      unsaved = ObjectiveChanges()
      saved = records
      saveDue = now + ObjectiveWatch.saveInterval
    }
  }
}

extension ObjectiveRecord {
  /// Whether only the instant of the look and the figures differ.
  fileprivate func saysTheSame(as other: ObjectiveRecord) -> Bool {
    name == other.name && verdict == other.verdict && breachedAt == other.breachedAt
      && endedAt == other.endedAt
  }
}
