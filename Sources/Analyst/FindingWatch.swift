import Analysis
import Measurement
import Store
import Threads

/// The collector's search for changes, one round at a time: reads what is complete, and saves findings.
///
/// Reads through a connection of its own, so that the recorder never waits for it; each of its writes is one short
/// transaction. Confined to one thread; ``RoundThread`` runs it, tests step it.
final class FindingWatch {
  /// How often there is something to look at: a second of planned time is complete.
  static let interval = Duration.seconds(1)
  /// How often open findings are counted.
  private static let openInterval = Duration.seconds(10)
  /// How many findings are saved at once at most: each holds some kB of what explains it.
  private static let findingsAtOnce = 100

  private let store: any AnalystStore
  private let clock: any HostClock
  private let onLine: (String) -> Void
  private let onOpen: ([OpenFindings]) -> Void
  private let progress: WorkProgress
  private var openCountDue: MonotonicTime?
  private var reader: StoreReader?
  private let settings: DetectionSettings
  private var engine: FindingEngine
  /// What the engine came to and the store does not have yet, in the order in which it is saved; each is one transaction.
  private var unsaved: [FindingChanges] = []
  private var mustReset = false
  private var untold: [String] = []

  /// - Parameters:
  ///   - progress: told the series that is looked at.
  ///   - onOpen: told how many findings are open, now and then.
  ///   - onLine: told each finding that opens or closes, in words.
  init(
    store: any AnalystStore, clock: any HostClock, settings: DetectionSettings = DetectionSettings(),
    progress: WorkProgress = .unreported, onOpen: @escaping ([OpenFindings]) -> Void = { _ in },
    onLine: @escaping (String) -> Void
  ) {
    self.store = store
    self.progress = progress
    self.onOpen = onOpen
    self.clock = clock
    self.onLine = onLine
    self.settings = settings
    engine = FindingEngine(settings: settings, progress: progress)
  }

  /// Looks at what is complete.
  /// - Returns: how long to wait before the next round.
  /// - Throws: the store's error; the next round retries.
  func round() throws -> Duration {
    defer { progress.rest() }
    progress.begin("runs")
    let reader = try self.reader ?? StoreReader.open(at: store.path)
    self.reader = reader
    let start = clock.monotonicNow()
    try commit()
    let step: FindingEngine.Step
    do {
      step = try engine.advance(reader, to: clock.wallNow())
    } catch {
      // It may have taken a part: the next round begins from what is stored.
      engine = FindingEngine(settings: settings, progress: progress)
      throw error
    }
    mustReset = step.mustReset
    untold = step.lines
    enqueue(step.changes)
    try commit()
    if openCountDue.map({ start >= $0 }) ?? true {
      openCountDue = start + Self.openInterval
      onOpen(OpenFindings.count(try reader.openFindings(at: clock.wallNow())))
    }
    let cost = clock.monotonicNow() - start
    // A store that was recorded before is caught up with in a fifth of the time.
    return step.isMore
      ? max(.milliseconds(5), cost * 4) : RoundThread.pause(after: cost, least: Self.interval)
  }

  /// Saves what the engine came to, and tells it. After a save that fails the next round goes on from there, so that
  /// nothing is saved or told twice.
  private func commit() throws {
    if mustReset { try store.resetDetectors() }
    mustReset = false
    while let next = unsaved.first {
      try store.save(next)
      unsaved.removeFirst()
    }
    for line in untold { onLine(line) }
    untold = []
  }

  /// Looks once more, and saves where it is, so that the next collector goes on from here.
  func end() throws {
    _ = try round()
    enqueue(engine.checkpoints())
    try commit()
  }

  /// Checkpoints one by one: they may be large, and the recorder waits for none of them long.
  private func enqueue(_ changes: FindingChanges) {
    var first = changes
    first.detectors = []
    // What is said of findings comes with the last of them.
    while first.findings.count > Self.findingsAtOnce {
      var some = FindingChanges()
      some.findings = Array(first.findings.prefix(Self.findingsAtOnce))
      unsaved.append(some)
      first.findings.removeFirst(Self.findingsAtOnce)
    }
    unsaved.append(first)
    for detector in changes.detectors {
      var one = FindingChanges()
      one.detectors = [detector]
      unsaved.append(one)
    }
  }
}
