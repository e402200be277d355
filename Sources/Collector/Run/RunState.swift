import Measurement
import Store

/// State machine of a collector's runs, one after the other: a value that takes what happens and returns what is to be done.
///
/// A run is told to end by a stop, by a recorder that has given up, or by its own completion. Each may come at any time, also
/// before there is anything to end.
struct RunState: Equatable, Sendable {
  /// What a collector does at a time.
  enum Phase: Equatable, Sendable {
    /// No run, and none is requested.
    case idle
    /// A run is being opened, or waits for credentials and subscriptions.
    case preparing(Run)
    /// It sends, or drains after a stop.
    case sending(Run, RunID)
    /// Nothing more is sent; receipts may still arrive. A run that was told to end before it could send has no id here.
    case closing(Run, RunID?)
    /// No run: the last one is closed, or the next one is requested.
    case closed
  }

  /// What is known of a run from its beginning to its end.
  struct Run: Equatable, Sendable {
    /// The longest timeout of its targets so far.
    var timeout = Duration.zero
    /// The longest receipt deadline of its targets so far.
    var receiptDeadline = Duration.zero
    /// The instant of the first request to stop.
    var stoppedAt: MonotonicTime?
    var hasRecordingFailed = false
    /// The commands to answer when the run is closed.
    var stopRows: [Int64] = []

    /// Whether it neither was told to stop nor lost its recorder.
    var mayGoOn: Bool { stoppedAt == nil && !hasRecordingFailed }
  }

  /// What is to be done, in order.
  enum Effect: Equatable, Sendable {
    /// Begin a run with this name.
    case begin(name: String?, row: Int64)
    /// End the wait for credentials and subscriptions.
    case stopServices
    /// End the plan; what is under way may be answered for so long.
    case stopSending(draining: Duration)
    case announce(RecorderInbox.Ending)
    case close(RecorderInbox.Closing)
  }

  /// What a closed run leaves.
  struct Closed: Equatable, Sendable {
    /// The commands that asked for its end.
    var stopRows: [Int64]
    /// Whether it began to send.
    var hasSent: Bool
  }

  /// How much longer than the last receipt deadline the run stays open, so that the receipt can be stored.
  private static let closingMargin = Duration.milliseconds(500)
  /// How long a failing last commit is retried, at least.
  private static let lastCommitRetry = Duration.seconds(5)
  /// How long it is retried after a run that came to its end by itself, at most.
  private static let longestRetry = Duration.seconds(15)

  private(set) var phase = Phase.closed
  /// Whether the collector was told to end: no run begins any more.
  private(set) var isOver = false
  /// Whether the collector waits for another run after one has ended.
  private let staysAfterRun: Bool
  /// How long a stop waits for what is under way.
  private let drain: Duration

  init(staysAfterRun: Bool, drain: Duration) {
    self.staysAfterRun = staysAfterRun
    self.drain = drain
  }

  // MARK: State

  private var run: Run? {
    switch phase {
    case .preparing(let run), .sending(let run, _), .closing(let run, _): run
    case .idle, .closed: nil
    }
  }

  /// The run that is being recorded, once it sends.
  var id: RunID? {
    switch phase {
    case .sending(_, let id): id
    case .closing(_, let id): id
    case .idle, .preparing, .closed: nil
    }
  }

  /// Whether a run is being prepared that may begin to send.
  var isBeginning: Bool {
    guard case .preparing(let run) = phase else { return false }
    return run.mayGoOn
  }

  /// Whether a run sends, as long as it can be recorded.
  var isSending: Bool {
    guard case .sending(let run, _) = phase else { return false }
    return run.mayGoOn
  }

  private mutating func change(_ change: (inout Run) -> Void) {
    guard var run else { return }
    change(&run)
    switch phase {
    case .preparing: phase = .preparing(run)
    case .sending(_, let id): phase = .sending(run, id)
    case .closing(_, let id): phase = .closing(run, id)
    case .idle, .closed: break
    }
  }

  // MARK: From idle to idle

  /// A run is being opened.
  mutating func prepare(at now: MonotonicTime) {
    phase = .preparing(Run(stoppedAt: isOver ? now : nil))
  }

  /// Adds the time limits of targets, at the beginning and whenever a reload begins some.
  mutating func add(timeout: Duration, receiptDeadline: Duration) {
    change { run in
      run.timeout = max(run.timeout, timeout)
      run.receiptDeadline = max(run.receiptDeadline, receiptDeadline)
    }
  }

  /// The run begins to send.
  mutating func send(_ id: RunID) -> [Effect] {
    guard case .preparing(let run) = phase else { return [] }
    phase = .sending(run, id)
    if run.hasRecordingFailed { return [.stopSending(draining: .zero)] }
    return run.stoppedAt == nil ? [] : stopSending(run)
  }

  /// Nothing more is sent.
  ///
  /// A stop may take as long as it was given. A run that is complete waits for its last receipt, and ends soon after it, also on a
  /// full disk.
  mutating func close(at now: MonotonicTime) -> (reason: RunEndReason, effects: [Effect]) {
    guard let run else { return (.stopped, []) }
    phase = .closing(run, id)
    let receipts = now + run.receiptDeadline + Self.closingMargin
    guard let stoppedAt = run.stoppedAt else {
      let lastTry = max(receipts + Self.lastCommitRetry, now + min(drain, Self.longestRetry))
      return (
        .completed,
        [
          .announce(RecorderInbox.Ending(reason: "everything is sent", atMost: run.receiptDeadline)),
          .close(RecorderInbox.Closing(deadline: receipts, lastTry: lastTry)),
        ]
      )
    }
    let drained = stoppedAt + drain
    let deadline = min(receipts, drained)
    let lastTry = max(deadline + Self.lastCommitRetry, drained)
    return (.stopped, [.close(RecorderInbox.Closing(deadline: deadline, lastTry: lastTry))])
  }

  /// The run is closed, or could not begin.
  mutating func finish() -> Closed {
    defer { phase = .closed }
    return Closed(stopRows: run?.stopRows ?? [], hasSent: id != nil)
  }

  /// - Returns: whether to wait for another run.
  mutating func enterIdle() -> Bool {
    guard staysAfterRun, !isOver else { return false }
    phase = .idle
    return true
  }

  // MARK: Ending

  /// Asks the run to end: nothing more is planned, what is under way is awaited, the run is closed.
  /// - Parameter row: the command to answer then.
  mutating func stop(at now: MonotonicTime, row: Int64? = nil) -> [Effect] {
    guard let former = run else { return [] }
    change { run in
      run.stoppedAt = run.stoppedAt ?? now
      if let row { run.stopRows.append(row) }
    }
    guard former.stoppedAt == nil else { return [] }
    switch phase {
    case .preparing: return [.stopServices]
    case .sending: return stopSending(former)
    case .closing:
      let lastTry = now + max(drain, Self.lastCommitRetry)
      return [
        announcement(of: former), .close(RecorderInbox.Closing(deadline: now + drain, lastTry: lastTry)),
      ]
    case .idle, .closed: return []
    }
  }

  /// Asks the collector to end, its run first.
  mutating func end(at now: MonotonicTime) -> [Effect] {
    isOver = true
    return stop(at: now)
  }

  /// The recorder has given up: nothing more is sent.
  mutating func failRecording() -> [Effect] {
    change { $0.hasRecordingFailed = true }
    switch phase {
    case .preparing: return [.stopServices]
    case .sending: return [.stopSending(draining: .zero)]
    case .closing, .idle, .closed: return []
    }
  }

  /// Ends the plan. Requests under way may still be answered, each within its timeout.
  private func stopSending(_ run: Run) -> [Effect] {
    [.stopSending(draining: min(run.timeout, drain)), announcement(of: run)]
  }

  private func announcement(of run: Run) -> Effect {
    let longest = max(run.timeout, run.receiptDeadline)
    return .announce(RecorderInbox.Ending(reason: "told to stop", atMost: min(longest, drain)))
  }

  // MARK: Commands

  /// Answers a request for a run.
  mutating func requestStart(name: String?, row: Int64) -> (reply: ControlReply, effects: [Effect]) {
    if isOver { return (.refused("the collector is ending"), []) }
    switch phase {
    case .preparing, .closed: return (.later, [])
    case .sending(let run, _), .closing(let run, _):
      return (run.stoppedAt == nil ? .refused("a run is being recorded; stop it first") : .later, [])
    case .idle:
      phase = .closed
      return (.taken, [.begin(name: name, row: row)])
    }
  }

  /// Answers a request to end the run.
  mutating func requestStop(row: Int64, at now: MonotonicTime) -> (reply: ControlReply, effects: [Effect]) {
    switch phase {
    case .idle: (.refused("no run is being recorded"), [])
    case .closed: (.later, [])
    case .preparing, .sending, .closing: (.taken, stop(at: now, row: row))
    }
  }
}
