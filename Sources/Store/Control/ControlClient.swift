import FoundationEssentials
import GRDB
import Measurement

/// Lets other processes control the collector of a store: start or stop a run, rename or delete one, annotate.
///
/// While a collector is running, a command is a row of the store's `control` table, and the collector answers in the
/// same row. Without one, the client renames, deletes and annotates itself, under the collector's lock. Calls block, deletions
/// until they are complete.
public struct ControlClient: Sendable {
  private let path: String
  private let clock: any HostClock

  public init(storePath: String, clock: any HostClock) {
    path = StoreFile(path: storePath).path
    self.clock = clock
  }

  /// Submits a command, or carries it out.
  /// - Throws: ``StoreError``: `noCollector` for `start`, `stop` and devices without a collector, `unknownRun`, `nameTooLong`,
  ///   `reservedName`, and the errors of opening a store.
  public func submit(_ command: ControlCommand) throws -> ControlSubmission {
    if let refusal = command.refusal(path: path) { throw refusal }
    guard CollectorLock.state(atStore: path).isHeld else { return try carryOut(command) }
    return try leave(command)
  }

  /// Completes the rollups, on which depends what can be deleted. A collector does that all the time.
  /// - Throws: ``StoreError``.
  public func rollUp() throws {
    // Makes no store where there is none.
    try StoreReader.open(at: path).close()
    guard !CollectorLock.state(atStore: path).isHeld else { return }
    let store = try StoreAdministration.open(path, clock: clock)
    defer { store.close() }
    while try store.rollUp() {}
  }

  /// The outcome of a command.
  public func outcome(of submission: ControlSubmission) throws -> ControlOutcome {
    guard let row = submission.row else { return .done }
    // Before the row is read, so that an answer in between is seen.
    let isHeld = CollectorLock.state(atStore: path).isHeld
    let reader = try StoreReader.open(at: path)
    defer { reader.close() }
    let outcome = try reader.controlOutcome(row: row)
    guard outcome == .waiting, !isHeld else { return outcome }
    return .refused("the collector ended before it carried out the command; try again")
  }

  private func leave(_ command: ControlCommand) throws -> ControlSubmission {
    try checkSubject(of: command)
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(5)
    configuration.label = "pushscope.control"
    return try StoreError.wrapping(path: path) {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      return try queue.inDatabase { db in
        try db.execute(
          sql: "INSERT INTO control (at, command, run, name) VALUES (?, ?, ?, ?)",
          arguments: [
            clock.wallNow().microseconds, command.word, command.run?.description, command.name,
          ])
        return ControlSubmission(row: db.lastInsertedRowID)
      }
    }
  }

  /// Also refuses a file that is not a store of this version, before anything is written to it.
  private func checkSubject(of command: ControlCommand) throws {
    let reader = try StoreReader.open(at: path)
    defer { reader.close() }
    if let id = command.finding, try reader.finding(id) == nil {
      throw StoreError.unknownFinding(id, path: path)
    }
    guard let run = command.run else { return }
    if try reader.run(run) == nil { throw StoreError.unknownRun(run.description, path: path) }
  }

  private func carryOut(_ command: ControlCommand) throws -> ControlSubmission {
    switch command {
    case .start, .stop, .device: throw StoreError.noCollector(path)
    case .rename(let run, let name):
      try withStore(command) { try $0.rename(run, to: name) }
    case .delete(let run):
      try withStore(command) { store in
        try store.beginDeletion(of: run)
        while try store.continueDeletion() {}
      }
    case .hide(let finding): try withStore(command) { try $0.setHidden(true, finding: finding) }
    case .unhide(let finding): try withStore(command) { try $0.setHidden(false, finding: finding) }
    case .annotate(let annotation): try withStore(command) { try $0.annotate(annotation) }
    case .prune(let time):
      try withStore(command) { store in
        while try store.rollUp() {}
        try store.markPruned(samplesBefore: time)
        // What nobody asked to delete waits until it is forwarded.
        let policy = RetentionPolicy(keepsWhatIsNotForwarded: true)
        var budget = PruneBudget()
        while true {
          let step = try store.prune(policy, within: budget.time, waitsForLog: false)
          guard step.isMore else { break }
          budget.record(step.held)
        }
      }
    }
    return ControlSubmission(row: nil)
  }

  private func withStore(_ command: ControlCommand, _ body: (CollectorStore) throws -> Void) throws {
    try checkSubject(of: command)
    let store = try StoreAdministration.open(path, clock: clock)
    defer { store.close() }
    try body(store)
  }
}
