import Measurement
import Store

/// What a collector does beside recording, one round at a time: it answers what other processes ask for, says that it
/// lives, rolls up what was recorded, takes deleted runs away. Each piece of work is one short transaction, so that a
/// commit of the recorder never waits long.
///
/// Confined to one thread; ``StoreMaintenanceThread`` runs it, tests step it.
final class StoreMaintenance {
  /// How often it looks for commands when there is nothing to do.
  static let interval = Duration.milliseconds(250)
  /// How often it says that it lives.
  static let heartbeat = Duration.seconds(1)
  /// Between two pieces of a long work while nothing is recorded.
  static let shortestPause = Duration.milliseconds(1)

  private let store: CollectorStore
  private let control: any RunControl
  /// Whether the collector stays after a run.
  private let serves: Bool
  private let clock: any HostClock

  /// Commands that somebody is at.
  private var underWay: Set<Int64> = []
  private var deletions: [(row: Int64, run: RunID)] = []
  private var presenceNotedAt: MonotonicTime?

  init(store: CollectorStore, control: any RunControl, serves: Bool, clock: any HostClock) {
    self.store = store
    self.control = control
    self.serves = serves
    self.clock = clock
  }

  /// Does what is due.
  /// - Returns: when to come back.
  /// - Throws: what the store says; the next round tries again.
  func round() throws -> Duration {
    try serve()
    try notePresence()
    let start = clock.monotonicNow()
    var isMore = try store.rollUp()
    isMore = try store.continueDeletion() || isMore
    try answerDeletions()
    guard isMore else { return Self.interval }
    // Half of the time is the recorder's.
    return control.currentRun == nil
      ? Self.shortestPause : max(Self.shortestPause, clock.monotonicNow() - start)
  }

  private func serve() throws {
    let requests = try store.controlRequests()
    underWay.formIntersection(requests.map(\.row))
    for request in requests where !underWay.contains(request.row) {
      switch request.command {
      case .start(let name): try note(control.requestStart(name: name, row: request.row), request.row)
      case .stop: try note(control.requestStop(row: request.row), request.row)
      case .rename(let run, let name):
        try answer(request.row) { try store.rename(run, to: name) }
      case .delete(let run):
        try answer(request.row, isDone: false) {
          if try !store.isDeleting(run) { try store.beginDeletion(of: run) }
          underWay.insert(request.row)
          deletions.append((row: request.row, run: run))
        }
      case nil:
        try store.answer(request.row, refusal: "the command makes no sense to this version of pushscope")
      }
    }
  }

  private func note(_ reply: ControlReply, _ row: Int64) throws {
    switch reply {
    case .taken: underWay.insert(row)
    case .later: break
    case .refused(let reason): try store.answer(row, refusal: reason)
    }
  }

  private func answer(_ row: Int64, isDone: Bool = true, _ body: () throws -> Void) throws {
    do {
      try body()
      if isDone { try store.answer(row) }
    } catch let error as StoreError where !error.isTransient {
      try store.answer(row, refusal: error.detail)
    }
  }

  private func answerDeletions() throws {
    for deletion in deletions where try !store.isDeleting(deletion.run) {
      try store.answer(deletion.row)
      deletions.removeAll { $0.row == deletion.row }
    }
  }

  private func notePresence() throws {
    let now = clock.monotonicNow()
    if let last = presenceNotedAt {
      // While a run is recorded, its commits say that the collector lives.
      if control.currentRun != nil || now - last < Self.heartbeat { return }
    }
    try store.notePresence(serves: serves)
    presenceNotedAt = now
  }
}
