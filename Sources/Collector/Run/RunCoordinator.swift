import Measurement
import Store
import Synchronization

/// Which run a collector records: begins the next one on request, ends the one that is recorded, and knows whose commands are to
/// be answered when it has ended.
final class RunCoordinator: RunController {
  /// A requested run.
  struct Start: Sendable {
    var name: String?
    /// The row of the command to answer; `nil` for the first run.
    var row: Int64?
  }

  /// What a reload has to do with a run.
  enum Reloadable: Sendable {
    /// None is recorded, or it is ending: the next one begins with the configuration.
    case nothing
    /// One begins at the moment.
    case beginning
    case sending(CollectorRun)
  }

  private enum Phase { case starting, recording, closing, idle }

  private struct State {
    var phase = Phase.starting
    /// ``RunCoordinator/stop(because:)`` was called.
    var isEnding = false
    var run: CollectorRun?
    var id: RunID?
    /// Whether it has begun to send.
    var hasBegun = false
    /// The rows of commands to answer when the run is closed.
    var stopRows: [Int64] = []
    var failure: StoreError?
  }

  /// The runs that are requested; ends with ``stop(because:)``.
  let starts: AsyncStream<Start>
  private let startRequests: AsyncStream<Start>.Continuation
  /// Whether the collector stays after a run is stopped through the store.
  private let serves: Bool
  private let state = Mutex(State())

  init(serves: Bool) {
    self.serves = serves
    (starts, startRequests) = AsyncStream<Start>.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Ends the run that is recorded, and begins no other. May be called more than once.
  /// - Parameter failure: the loss of the store, if that is why.
  func stop(because failure: StoreError? = nil) {
    let run = state.withLock { state in
      state.isEnding = true
      if let failure { state.failure = failure }
      return state.run
    }
    run?.stop()
    startRequests.finish()
  }

  /// The loss of the store that ended the collector.
  var failure: StoreError? { state.withLock { $0.failure } }

  var reloadable: Reloadable {
    state.withLock { state in
      guard let run = state.run, !state.isEnding, state.phase != .closing else { return .nothing }
      return state.hasBegun ? .sending(run) : .beginning
    }
  }

  // MARK: What a run tells

  /// A run is about to begin.
  func begins(_ run: CollectorRun) {
    let isEnding = state.withLock { state in
      state.run = run
      state.hasBegun = false
      return state.isEnding
    }
    if isEnding { run.stop() }
  }

  /// It begins to send.
  func sends(as id: RunID) {
    state.withLock { state in
      state.hasBegun = true
      state.id = id
      if state.phase == .starting { state.phase = .recording }
    }
  }

  /// Whether the last run has begun to send.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// The run is closed, or could not begin.
  /// - Returns: the rows of the commands that asked for its end.
  func ended() -> [Int64] {
    state.withLock { state in
      state.run = nil
      state.id = nil
      state.phase = .closing
      let rows = state.stopRows
      state.stopRows = []
      return rows
    }
  }

  /// - Returns: whether to wait for another run.
  func enterIdle() -> Bool {
    state.withLock { state in
      guard serves, !state.isEnding else { return false }
      state.phase = .idle
      return true
    }
  }

  // MARK: Commands

  var currentRun: RunID? { state.withLock { $0.id } }

  func requestStart(name: String?, row: Int64) -> ControlReply {
    state.withLock { state in
      if state.isEnding { return .refused("the collector is ending") }
      switch state.phase {
      case .starting, .closing: return .later
      case .recording:
        return .refused("a run is being recorded; stop it first")
      case .idle:
        state.phase = .starting
        startRequests.yield(Start(name: name, row: row))
        return .taken
      }
    }
  }

  func requestStop(row: Int64) -> ControlReply {
    let (reply, run) = state.withLock { state -> (ControlReply, CollectorRun?) in
      switch state.phase {
      case .idle: return (.refused("no run is being recorded"), nil)
      case .starting, .recording, .closing:
        guard let run = state.run else { return (.later, nil) }
        state.phase = .closing
        state.stopRows.append(row)
        return (.taken, run)
      }
    }
    run?.stop()
    return reply
  }
}
