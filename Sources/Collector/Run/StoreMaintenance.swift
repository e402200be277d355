import Measurement
import Store
import Synchronization
import Threads

/// The collector's work in the store beside recording, one round at a time: it syncs the write-ahead log, answers the control
/// table, writes the collector's heartbeat, updates the rollups, and removes deleted runs and what retention does not keep. Each
/// piece is one short transaction, so that a recorder's commit never waits long. Freed memory goes back to the kernel beside it.
///
/// Confined to one thread; ``RoundThread`` runs it, tests step it.
final class StoreMaintenance {
  /// How often commands are looked for when there is nothing else to do.
  static let interval = Duration.milliseconds(250)
  /// How often the collector's presence is written.
  static let heartbeat = Duration.seconds(1)
  /// The shortest pause between two pieces of long work while no run is recorded.
  static let shortestPause = Duration.milliseconds(1)

  private let store: CollectorStore
  private let control: any RunController
  /// Whether the collector stays after a run.
  private let staysAfterRun: Bool
  private let clock: any HostClock

  /// Commands that are being carried out.
  private var underWay: Set<Int64> = []
  private var deletions: [(row: Int64, run: RunID)] = []
  private var presenceNotedAt: MonotonicTime?
  private let devices: DeviceRegistry?
  /// Outcomes of commands that were carried out on another thread; `refusal` is `nil` for one that is done.
  private let carriedOut = CommandOutcomes()
  private let policy: @Sendable () -> RetentionPolicy
  private var retention: StoreRetention
  private var conditions: ConditionWatch
  private var memory = FreedMemory()

  /// - Parameters:
  ///   - host: the clocks.
  ///   - devices: those that joined; `nil` where none can.
  ///   - policy: what is kept now; a reload may change it.
  ///   - certificates: those that the collector shows now.
  ///   - onLine: told in words what retention deleted or waits for, and of certificates that end.
  init(
    store: CollectorStore, control: any RunController, staysAfterRun: Bool, host: HostTime,
    devices: DeviceRegistry? = nil, policy: @escaping @Sendable () -> RetentionPolicy = { .keepAll },
    certificates: @escaping () -> [ShownCertificate] = { [] },
    onLine: @escaping (String) -> Void = { _ in }
  ) {
    self.store = store
    self.control = control
    self.staysAfterRun = staysAfterRun
    clock = host.clock
    self.devices = devices
    self.policy = policy
    retention = StoreRetention(store: store, host: host, onLine: onLine)
    conditions = ConditionWatch(store, clock: host.clock, certificates: certificates, onLine: onLine)
  }

  /// Does what is due.
  /// - Returns: how long to wait before the next round.
  /// - Throws: the store's error; the next round retries.
  func round() throws -> Duration {
    let rest = Result { try work() }
    memory.giveBack(at: .nanoseconds(clock.monotonicNow().nanoseconds))
    // Whether or not the store can be written to: it needs no lock.
    let synced = Result { try store.syncLog() }
    let noted = Result { try conditions.record(sync: synced) }
    _ = try synced.get()
    let pause = try rest.get()
    try noted.get()
    return pause
  }

  private func work() throws -> Duration {
    try serve()
    try answerCarriedOut()
    devices?.recordAgain()
    try recordPresence()
    let start = clock.monotonicNow()
    var isMore = try store.rollUp()
    isMore = try store.continueDeletion() || isMore
    try answerDeletions()
    // Only rolled-up time can go.
    if !isMore { isMore = try retention.step(policy(), run: control.currentRun) }
    // At last: where its table cannot be written to, the rest is done.
    try conditions.poll()
    guard isMore else { return Self.interval }
    // The recorder gets half of the time.
    return control.currentRun == nil
      ? Self.shortestPause : max(Self.shortestPause, clock.monotonicNow() - start)
  }

  private func serve() throws {
    let requests = try store.controlRequests()
    underWay.formIntersection(requests.map(\.row))
    for request in requests where !underWay.contains(request.row) {
      switch request.command {
      case .start(let name): try recordReply(control.requestStart(name: name, row: request.row), request.row)
      case .stop: try recordReply(control.requestStop(row: request.row), request.row)
      case .rename(let run, let name):
        try answer(request.row) { try store.rename(run, to: name) }
      case .delete(let run):
        try answer(request.row, isDone: false) {
          if try !store.isDeleting(run) { try store.beginDeletion(of: run) }
          underWay.insert(request.row)
          deletions.append((row: request.row, run: run))
        }
      case .hide(let finding):
        try answer(request.row) { try store.setHidden(true, finding: finding) }
      case .unhide(let finding):
        try answer(request.row) { try store.setHidden(false, finding: finding) }
      case .annotate(let annotation): try answer(request.row) { try store.annotate(annotation) }
      case .prune(let time):
        try answer(request.row) { try store.markPruned(samplesBefore: time) }
        retention.checkSoon()
      case .device(let command): try serve(command, request.row)
      case nil:
        try store.answer(request.row, refusal: "this version of pushscope does not know the command")
      }
    }
  }

  private func serve(_ command: DeviceCommand, _ row: Int64) throws {
    guard let devices else {
      return try store.answer(row, refusal: "the collector's configuration has no section devices")
    }
    if case .invite = command, !staysAfterRun {
      return try store.answer(
        row,
        refusal: "a run with --count or --duration takes no invitations: start pushscope collect without them"
      )
    }
    underWay.insert(row)
    Task { [carriedOut] in
      let refusal = await devices.carryOut(command)
      carriedOut.add(CommandOutcomes.Outcome(row: row, refusal: refusal))
    }
  }

  private func recordReply(_ reply: ControlReply, _ row: Int64) throws {
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

  private func answerCarriedOut() throws {
    while let outcome = carriedOut.first {
      try store.answer(outcome.row, refusal: outcome.refusal)
      carriedOut.removeFirst()
    }
  }

  private func answerDeletions() throws {
    for deletion in deletions where try !store.isDeleting(deletion.run) {
      try store.answer(deletion.row)
      deletions.removeAll { $0.row == deletion.row }
    }
  }

  private func recordPresence() throws {
    let now = clock.monotonicNow()
    if let last = presenceNotedAt {
      // While a run is recorded, its commits are the heartbeat.
      if control.currentRun != nil || now - last < Self.heartbeat { return }
    }
    try store.recordPresence(staysAfterRun: staysAfterRun)
    presenceNotedAt = now
  }
}

/// Outcomes of commands that were carried out on another thread, until they are answered.
private final class CommandOutcomes: Sendable {
  struct Outcome: Sendable {
    var row: Int64
    /// Why it is refused; `nil` when it is done.
    var refusal: String?
  }

  private let outcomes = Mutex<[Outcome]>([])

  func add(_ outcome: Outcome) { outcomes.withLock { $0.append(outcome) } }
  var first: Outcome? { outcomes.withLock { $0.first } }
  func removeFirst() { outcomes.withLock { _ = $0.removeFirst() } }
}

/// Starts and stops runs when another process asks for it.
protocol RunController: Sendable {
  /// The run that is being recorded, once it sends; otherwise `nil`.
  var currentRun: RunID? { get }

  /// Begins a run, if none is being recorded.
  /// - Parameter row: the command's row, answered when the run has begun or has failed to.
  func requestStart(name: String?, row: Int64) -> ControlReply

  /// Ends the run that is being recorded.
  /// - Parameter row: the command's row, answered when the run is closed.
  func requestStop(row: Int64) -> ControlReply
}

/// What a ``RunController`` does with a command.
enum ControlReply: Sendable, Equatable {
  /// It carries the command out and answers it.
  case taken
  /// Not possible at the moment: ask again.
  case later
  /// The reason, as a sentence for people.
  case refused(String)
}
