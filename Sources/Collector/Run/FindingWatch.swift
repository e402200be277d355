import Analysis
import Measurement
import Store

/// The collector's search for changes, one round at a time: reads what is complete, and saves findings.
///
/// Reads through a connection of its own, so that the recorder never waits for it; each of its writes is one short
/// transaction. Confined to one thread; ``RoundThread`` runs it, tests step it.
final class FindingWatch {
  /// How often there is something to look at: a second of planned time is complete.
  static let interval = Duration.seconds(1)
  /// The longest pause: of a large store it is the twentieth part of the time that is taken.
  static let longestPause = Duration.seconds(20)

  private let store: CollectorStore
  private let clock: any HostClock
  private let onLine: (String) -> Void
  private var reader: StoreReader?
  private let settings: DetectionSettings
  private var engine: FindingEngine
  /// What the engine came to and the store does not have yet.
  private var unsaved: FindingEngine.Step?

  /// - Parameter onLine: told each finding that opens or closes, in words.
  init(
    store: CollectorStore, clock: any HostClock, settings: DetectionSettings = DetectionSettings(),
    onLine: @escaping (String) -> Void
  ) {
    self.store = store
    self.clock = clock
    self.onLine = onLine
    self.settings = settings
    engine = FindingEngine(settings: settings)
  }

  /// Looks at what is complete.
  /// - Returns: how long to wait before the next round.
  /// - Throws: the store's error; the next round retries.
  func round() throws -> Duration {
    let reader = try self.reader ?? StoreReader.open(at: store.path)
    self.reader = reader
    let start = clock.monotonicNow()
    if let unsaved { try commit(unsaved) }
    let step: FindingEngine.Step
    do {
      step = try engine.advance(reader, to: clock.wallNow())
    } catch {
      // It may have taken a part: the next round begins from what is stored.
      engine = FindingEngine(settings: settings)
      throw error
    }
    unsaved = step
    try commit(step)
    let cost = clock.monotonicNow() - start
    // A store that was recorded before is caught up with in a fifth of the time.
    return step.isMore
      ? max(.milliseconds(5), cost * 4) : min(Self.longestPause, max(Self.interval, cost * 19))
  }

  /// Saves what the engine came to, and tells it. A save that fails is made good by the next round.
  private func commit(_ step: FindingEngine.Step) throws {
    if step.mustReset { try store.resetDetectors() }
    try save(step.changes)
    unsaved = nil
    for line in step.lines { onLine(line) }
  }

  /// Looks once more, and saves where it is, so that the next collector goes on from here.
  func end() throws {
    _ = try round()
    try save(engine.checkpoints())
  }

  /// Checkpoints one by one: they may be large, and the recorder waits for none of them long.
  private func save(_ changes: FindingChanges) throws {
    var first = changes
    first.detectors = []
    try store.save(first)
    for detector in changes.detectors {
      var one = FindingChanges()
      one.detectors = [detector]
      try store.save(one)
    }
  }
}
