import Measurement
import Store
import TestKit

/// A store in a temporary directory, and its collector, which opens it, begins runs and writes when the test says so.
public final class RecordedStore {
  /// The boot in which it is recorded if no other is given.
  public static let bootID = "7f0c7f43-0000-4000-8000-00000000b007"

  private let directory: TemporaryDirectory
  public let bootID: String
  public let clock: SteppedHostClock
  public private(set) var collector: CollectorStore?
  /// The run that was begun last, and when.
  public private(set) var run: RunRegistration?
  public private(set) var start: ClockAnchor
  private var generator = SeededGenerator(seed: 99)

  public init(clock: SteppedHostClock, bootID: String = RecordedStore.bootID) throws {
    self.clock = clock
    self.bootID = bootID
    start = ClockAnchor(monotonic: clock.monotonicNow(), wall: clock.wallNow())
    directory = try TemporaryDirectory("recorded")
  }

  deinit { collector?.close() }

  public var path: String { directory.file("store.sqlite") }

  public func open() throws {
    collector = try CollectorStore.open(
      at: path, clock: clock, options: CollectorStoreOptions(bootID: bootID))
  }

  public func close() {
    collector?.close()
    collector = nil
  }

  public func reader() throws -> StoreReader { try StoreReader.open(at: path) }

  /// Begins a run, at the clock's time if no other is given.
  /// - Parameter seed: what makes the run's UUID; otherwise the next of a fixed sequence.
  @discardableResult
  public func begin(
    _ targets: [TargetDescription], name: String? = nil, at begun: ClockAnchor? = nil, seed: UInt64? = nil
  ) throws -> RunRegistration {
    start = begun ?? ClockAnchor(monotonic: clock.monotonicNow(), wall: clock.wallNow())
    var seeded = seed.map { SeededGenerator(seed: $0) } ?? generator
    let id = RunID(at: start.wall, using: &seeded)
    if seed == nil { generator = seeded }
    let registration = try recorded.beginRun(
      RunDescription(
        id: id, name: name, startedAt: start.wall, startedMonotonic: start.monotonic, bootID: bootID,
        targets: targets))
    run = registration
    return registration
  }

  public func write(_ batch: WriteBatch) throws { _ = try recorded.commit(batch) }

  /// Lets time pass until all that is there is rolled up.
  public func rollUp(after seconds: Int64 = 100_000) throws {
    clock.advance(by: .seconds(seconds))
    while try recorded.rollUp() {}
  }

  public func end(_ run: RunID, at wall: WallTime, reason: RunEndReason) throws {
    try recorded.endRun(run, at: wall, reason: reason)
  }

  public func save(_ changes: FindingChanges) throws { try recorded.save(changes) }

  public func save(_ findings: [FindingRecord]) throws {
    var changes = FindingChanges()
    changes.findings = findings
    try save(changes)
  }

  public func record(_ calibration: Calibration) throws { try recorded.record(calibration) }

  /// The collector's store, opened if it is not.
  private var recorded: CollectorStore {
    get throws {
      if collector == nil { try open() }
      guard let collector else { throw NeverHappened(what: "the store is open") }
      return collector
    }
  }
}
