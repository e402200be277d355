import Configuration
import Measurement
import Store
import Synchronization
import Transport

/// The state of a collector's runs, shared by its threads, and what carries out what follows from a change of it.
final class RunCoordinator: RunController {
  /// A requested run.
  struct Start: Sendable {
    var name: String?
    /// The row of the command to answer; `nil` for the first run.
    var row: Int64?
  }

  /// A run that sends, and the thread that sends for it.
  struct Sending: Sendable {
    let run: ActiveRun
    let thread: TimingThread
  }

  /// What a reload has to do with a run.
  enum Reloadable: Sendable {
    /// None is recorded, or it is ending: the next one begins with the configuration.
    case nothing
    /// One begins at the moment.
    case beginning
    case sending(Sending)
  }

  private struct State {
    var run: RunState
    /// The parts that effects apply to, each from when it exists.
    var inbox: RecorderInbox?
    var services: TargetServices?
    /// Stays until the next run is opened.
    var sending: Sending?
    var failure: StoreError?
  }

  /// The runs that are requested; ends with ``stop(because:)``.
  let starts: AsyncStream<Start>
  private let startRequests: AsyncStream<Start>.Continuation
  private let clock: any HostClock
  private let state: Mutex<State>

  /// - Parameters:
  ///   - staysAfterRun: whether the collector stays after a run is stopped through the store.
  ///   - drain: how long a stop waits for what is under way.
  init(staysAfterRun: Bool, drain: Duration, clock: any HostClock) {
    self.clock = clock
    state = Mutex(State(run: RunState(staysAfterRun: staysAfterRun, drain: drain)))
    (starts, startRequests) = AsyncStream<Start>.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Changes the state and carries out what follows, in the order of the effects.
  private func apply(_ change: (inout RunState) -> [RunState.Effect]) {
    let (effects, state) = state.withLock { state in (change(&state.run), state) }
    perform(effects, state)
  }

  private func perform(_ effects: [RunState.Effect], _ state: State) {
    for effect in effects {
      switch effect {
      case .begin(let name, let row): startRequests.yield(Start(name: name, row: row))
      case .stopServices: state.services?.stop()
      case .stopSending(let draining): state.sending?.thread.stop(draining: draining)
      case .announce(let ending): state.inbox?.announce(ending)
      case .close(let closing): state.inbox?.close(by: closing.deadline, lastTry: closing.lastTry)
      }
    }
  }

  // MARK: Ending

  /// Ends the run that is recorded, and begins no other. May be called from any thread, at any time, more than once.
  /// - Parameter failure: the loss of the store, if that is why.
  func stop(because failure: StoreError? = nil) {
    if let failure { state.withLock { $0.failure = failure } }
    let now = clock.monotonicNow()
    apply { $0.end(at: now) }
    startRequests.finish()
  }

  /// The loss of the store that ended the collector.
  var failure: StoreError? { state.withLock { $0.failure } }

  /// The recorder has given up: nothing more is sent.
  func failRecording() { apply { $0.failRecording() } }

  // MARK: A run, from its opening to its end

  /// A run is about to be opened.
  func prepare() {
    let now = clock.monotonicNow()
    state.withLock { state in
      (state.inbox, state.services, state.sending) = (nil, nil, nil)
      state.run.prepare(at: now)
    }
  }

  /// The run is being recorded from now on.
  func open(_ inbox: RecorderInbox) { state.withLock { $0.inbox = inbox } }

  /// Adds the time limits of targets, at the beginning and whenever a reload begins some.
  func add(_ targets: [TargetBuilder]) {
    let timeout = targets.map(\.configuration.timeout).max() ?? .zero
    let receiptDeadline = targets.compactMap(\.configuration.receiptDeadline).max() ?? .zero
    state.withLock { $0.run.add(timeout: timeout, receiptDeadline: receiptDeadline) }
  }

  /// Waits for the credentials and subscriptions that sending needs.
  /// - Returns: `nil` when the run was told to end meanwhile.
  func ready(_ services: TargetServices) async throws -> Readiness? {
    let mayWait = state.withLock { state in
      state.services = services
      return state.run.isBeginning
    }
    guard mayWait else { return nil }
    do {
      let readiness = try await services.ready()
      return isBeginning ? readiness : nil
    } catch {
      guard isBeginning else { return nil }
      throw error
    }
  }

  private var isBeginning: Bool { state.withLock { $0.run.isBeginning } }

  /// Starts to send, or ends at once if the run was told to end meanwhile.
  /// - Parameter onEnd: called when everything is sent.
  /// - Throws: ``ThreadError``, `TransportError`.
  func send(_ sending: Sending, onEnd: @escaping @Sendable () -> Void) throws {
    let (effects, state) = state.withLock { state in
      state.sending = sending
      return (state.run.send(sending.run.id), state)
    }
    try sending.thread.start(onEnd: onEnd)
    perform(effects, state)
  }

  /// Asks the recorder to close the run, after the last receipt or, when it was told to stop, within the time for that.
  func close(_ inbox: RecorderInbox) -> RunEndReason {
    let (now, wall) = (clock.monotonicNow(), clock.wallNow())
    let (reason, effects, state) = state.withLock { state in
      let (reason, effects) = state.run.close(at: now)
      return (reason, effects, state)
    }
    inbox.post([.event(Event(at: wall, kind: .runStopped, detail: reason.rawValue))])
    perform(effects, state)
    return reason
  }

  /// The run is closed, or could not begin.
  func finish() -> RunState.Closed { state.withLock { $0.run.finish() } }

  /// - Returns: whether to wait for another run.
  func enterIdle() -> Bool { state.withLock { $0.run.enterIdle() } }

  // MARK: State

  /// Sends for the current run, or has sent for the last one.
  var timing: TimingThread? { state.withLock { $0.sending?.thread } }

  /// Whether the run sends as long as it can be recorded.
  var isSending: Bool { state.withLock { $0.run.isSending } }

  var reloadable: Reloadable {
    state.withLock { state in
      if state.run.isSending, let sending = state.sending { return .sending(sending) }
      return state.run.isBeginning ? .beginning : .nothing
    }
  }

  // MARK: Commands

  var currentRun: RunID? { state.withLock { $0.run.id } }

  func requestStart(name: String?, row: Int64) -> ControlReply {
    reply { $0.requestStart(name: name, row: row) }
  }

  func requestStop(row: Int64) -> ControlReply {
    let now = clock.monotonicNow()
    return reply { $0.requestStop(row: row, at: now) }
  }

  private func reply(
    _ request: (inout RunState) -> (reply: ControlReply, effects: [RunState.Effect])
  ) -> ControlReply {
    let (answer, state) = state.withLock { state in (request(&state.run), state) }
    perform(answer.effects, state)
    return answer.reply
  }
}
