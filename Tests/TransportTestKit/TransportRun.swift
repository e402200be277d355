import Dispatch
import FoundationEssentials
import Glibc
import Measurement
import Providers
import Synchronization
import Transport

/// A timing thread with a recorder that commits every block at once and keeps all observations.
public final class TransportRun: Sendable {
  private struct State {
    var thread: TimingThread?
    var seen = Seen()
    /// What the timing thread has used of the processor, at each of its observations.
    var threadTimes: [(at: Int64, used: Int64)] = []
  }

  /// Observations so far, by notification.
  public struct Seen {
    public var planned: [SampleID: MonotonicTime] = [:]
    public var sent: [SampleID: SentRequest] = [:]
    public var answered: [SampleID: AnsweredRequest] = [:]
    public var failed: [SampleID: (reason: FailureReason, attempt: Int, detail: String)] = [:]
    public var missed: [SampleID: MissedReason] = [:]
    public var pings: [AnsweredPing] = []
    public var events: [Event] = []
    public var logs: [String] = []
    public var credentials: [CredentialFeedback] = []
    /// Violations of the contract.
    public var wrongs: [String] = []
    public var hasEnded = false

    public var accepted: Int { answered.values.count { $0.isAccepted } }
    public var ends: Int { answered.count + failed.count + missed.count }
    public func missed(_ reason: MissedReason) -> Int { missed.values.count { $0 == reason } }
    public func failed(_ reason: FailureReason) -> Int { failed.values.count { $0.reason == reason } }
    public func events(_ kind: EventKind) -> [Event] { events.filter { $0.kind == kind } }
  }

  public static let target = TargetID(rawValue: 3)
  private let state = Mutex(State())
  private let news = DispatchSemaphore(value: 0)
  private let commitsBlocks: Bool

  public init(commitsBlocks: Bool = true) { self.commitsBlocks = commitsBlocks }

  deinit { state.withLock { $0.thread }?.stop(draining: .zero) }

  public static func https(_ server: ServerProcess, path: String = "/") -> String {
    "https://127.0.0.1:\(server.port)\(path)"
  }

  /// A target that sends the same small body to a URL.
  public static func target(
    _ url: String, rate: Double = 100, count: Int64? = nil,
    limits: ScheduleLimits = ScheduleLimits(maxLag: .seconds(60)),
    timeout: Duration = .seconds(20), caFile: String? = TestCertificate.good?.certificate,
    maximumStreams: Int = 1000
  ) throws -> TransportTarget {
    guard let rate = ArrivalRate(perSecond: rate) else { throw ServerProcess.Missing() }
    var limits = limits
    limits.count = count ?? limits.count
    // Where others use the processor too, the timing thread may stand still for longer than the default tolerance.
    limits.stallTolerance = limits.maxLag
    return TransportTarget(
      id: target,
      providers: [HTTPProvider(url: url, headers: [HeaderField("x-probe", "1")], body: Array("{}".utf8))],
      arrivals: .constant(rate), limits: limits, timeout: timeout, caFile: caFile,
      maximumStreams: maximumStreams, seed: 1)
  }

  public func start(_ targets: TransportTarget...) throws {
    var generator = SeededGenerator(seed: 11)
    let run = RunID(at: WallTime(microseconds: 1_700_000_000_000_000), using: &generator)
    let thread = try TimingThread(
      run: run, targets: targets,
      onCredential: { [weak self] in self?.record($0) }, sink: { [weak self] in self?.record($0) })
    state.withLock { $0.thread = thread }
    try thread.start { [weak self] in
      self?.state.withLock { $0.seen.hasEnded = true }
      self?.news.signal()
    }
  }

  public var thread: TimingThread? { state.withLock { $0.thread } }

  public var seen: Seen { state.withLock { $0.seen } }

  /// Waits until the condition holds; `false` if it does not within 180 s.
  public func wait(until isEnough: (Seen) -> Bool) -> Bool {
    let deadline = DispatchTime.now() + .seconds(180)
    repeat {
      if state.withLock({ isEnough($0.seen) }) { return true }
    } while news.wait(timeout: deadline) == .success
    return false
  }

  public func waitForEnd() -> Bool { wait { $0.hasEnded } }

  /// How long the timing thread was on the processor between two instants of CLOCK_MONOTONIC, as far as it told of something
  /// before and after.
  public func threadTime(from: Int64, to: Int64) -> Duration {
    let times = state.withLock { $0.threadTimes }
    guard let before = times.last(where: { $0.at <= from }), let after = times.first(where: { $0.at >= to })
    else { return .seconds(3600) }
    return .nanoseconds(after.used - before.used)
  }

  private func record(_ feedback: CredentialFeedback) {
    state.withLock { $0.seen.credentials.append(feedback) }
    news.signal()
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private func record(_ observations: [Observation]) {
    var commits: [(TargetID, Int64)] = []
    let now = Self.nanoseconds(CLOCK_MONOTONIC)
    let used = Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID)
    let thread = state.withLock { state in
      state.threadTimes.append((now, used))
      for observation in observations {
        if case .planned(let block) = observation { commits.append((block.target, block.lastSequence)) }
        state.seen.record(observation)
      }
      return state.thread
    }
    if commitsBlocks { for (target, sequence) in commits { thread?.committed(target, through: sequence) } }
    news.signal()
  }
}

extension TransportRun.Seen {
  public mutating func record(_ observation: Observation) {
    switch observation {
    case .planned(let block):
      for (offset, instant) in block.planned.enumerated() {
        planned[SampleID(target: block.target, sequence: block.firstSequence + Int64(offset))] = instant
      }
    case .sent(let request):
      if sent.updateValue(request, forKey: request.id) != nil { wrongs.append("sent twice: \(request.id)") }
      if planned[request.id] == nil { wrongs.append("sent unplanned: \(request.id)") }
      if let instant = planned[request.id], request.at < instant {
        wrongs.append("sent early: \(request.id)")
      }
    case .answered(let answer):
      end(answer.id)
      if let request = sent[answer.id], answer.at >= request.at {
      } else {
        wrongs.append("answered unsent: \(answer.id)")
      }
      answered[answer.id] = answer
    case .failed(let id, let reason, let attempt, let detail, _):
      end(id)
      if (attempt == 0) != (sent[id] == nil) { wrongs.append("attempt \(attempt) and sent differ: \(id)") }
      failed[id] = (reason, attempt, detail)
    case .missed(let id, let reason, _):
      end(id)
      if sent[id] != nil { wrongs.append("missed though sent: \(id)") }
      missed[id] = reason
    case .withdrawn(let target, let sequences):
      for sequence in sequences { planned[SampleID(target: target, sequence: sequence)] = nil }
    case .pinged(let ping): pings.append(ping)
    case .event(let event): events.append(event)
    case .log(let line): logs.append(line.message)
    }
  }

  private mutating func end(_ id: SampleID) {
    if planned[id] == nil { wrongs.append("ended unplanned: \(id)") }
    if answered[id] != nil || failed[id] != nil || missed[id] != nil { wrongs.append("ended twice: \(id)") }
  }
}
