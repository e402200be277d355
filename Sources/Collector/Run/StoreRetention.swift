import CLinux
import Configuration
import Glibc
import Measurement
import Store

/// Deletes what retention does not keep, one short step at a time, and says what keeps it from deleting. Confined to the
/// maintenance thread.
struct StoreRetention {
  /// How often marks and sizes are looked at while there is nothing to delete, and the clocks in any case.
  static let interval = Duration.seconds(10)
  /// How soon a deletion that waits for the write-ahead log is tried again.
  static let retryInterval = Duration.milliseconds(250)
  /// How long a log is pinned before that is reported: readers that last for a moment are usual.
  static let reportingDelay = Duration.seconds(10)
  /// The time between two lines that say that deletion still waits.
  static let reminder = Duration.seconds(600)

  private let store: CollectorStore
  private let host: HostTime
  private let onLine: (String) -> Void
  private var budget = PruneBudget()
  private var due: MonotonicTime
  /// What the pruning that is under way has come to.
  private var deleted = (rows: 0, samples: 0, pages: 0)
  /// The time from which ages count, since the last look at the clocks.
  private var now: WallTime?
  private var clocksDue: MonotonicTime
  private var hasAges = false
  private var wait = LogWait.none

  /// Deletion waits because the write-ahead log is pinned.
  private enum LogWait: Equatable {
    /// Nothing that a collector has said stands in the store.
    case none
    /// What a former collector said may stand in the store.
    case unknown
    /// It was said, and is said again at an instant.
    case told(pin: LogPin, again: MonotonicTime)
  }

  /// - Parameter onLine: told what was deleted or what is waited for, in words.
  init(store: CollectorStore, host: HostTime, onLine: @escaping (String) -> Void) {
    self.store = store
    self.host = host
    self.onLine = onLine
    due = host.clock.monotonicNow()
    clocksDue = due
    wait = .unknown
  }

  /// Has the next step check the store, whenever that is.
  mutating func checkSoon() { due = host.clock.monotonicNow() }

  /// Does the next step.
  /// - Parameter run: the run that is recorded, which events belong to.
  /// - Returns: whether there is more to do now.
  /// - Throws: the store's error; nothing of the step was deleted.
  mutating func step(_ policy: RetentionPolicy, run: RunID? = nil) throws -> Bool {
    let start = host.clock.monotonicNow()
    if start >= clocksDue || hasAges == policy.ages.isEmpty { try checkClocks(policy, run) }
    guard start >= due else { return false }
    let step = try store.prune(policy, at: now, within: budget.time)
    try record(isWaiting: step.isWaiting, isLimited: policy.maximumSize != nil, at: start, run)
    guard !step.isWaiting else {
      due = start + Self.retryInterval
      return false
    }
    if let forced = step.forced { onLine(forced) }
    if step.held > .zero { budget.record(step.held) }
    deleted.rows += step.rows
    deleted.samples += step.samples
    deleted.pages += step.pages
    guard !step.isMore else { return true }
    if deleted.rows > 0 {
      onLine(
        "retention deleted \(CountText.text(deleted.samples, "notification")) and "
          + "\(CountText.text(deleted.rows - deleted.samples, "other row"))"
          + (deleted.pages > 0 ? ", and gave \(CountText.text(deleted.pages, "page")) back" : ""))
    }
    deleted = (0, 0, 0)
    due = start + Self.interval
    return false
  }

  // MARK: The write-ahead log

  /// - Parameter isLimited: whether the store has a maximum size, which a pinned log exceeds whatever is deleted.
  private mutating func record(isWaiting: Bool, isLimited: Bool, at now: MonotonicTime, _ run: RunID?) throws
  {
    guard isWaiting || isLimited, let pin = store.logPin else {
      guard wait != .none else { return }
      try store.recordLogWait(since: nil, holder: nil)
      if case .told(let pin, _) = wait {
        onLine(
          "retention goes on: the write-ahead log was not emptied for \(LengthText.text(now - pin.since))")
      }
      wait = .none
      return
    }
    if case .told(let told, let again) = wait, told == pin, now < again { return }
    let length = now - pin.since
    guard length >= Self.reportingDelay else { return }
    let holder = store.logHolder
    let words =
      "retention waits: the write-ahead log could not be emptied for \(LengthText.text(length)), because "
      + "\(holder.map(Self.name) ?? "a program") is reading the store; "
      + (isWaiting
        ? "nothing is deleted until its read transaction ends, since that would only make the log longer"
        : "until its read transaction ends the log grows, which maximum_size does not count")
    try store.recordLogWait(
      since: host.clock.wallNow() - length, holder: holder)
    try report(words, run)
    wait = .told(pin: pin, again: now + Self.reminder)
  }

  /// `process 4711 (sqlite3)`. A service may be kept from seeing the name.
  private static func name(of process: Int32) -> String {
    let descriptor = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "process \(process)" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = read(descriptor, &bytes, bytes.count)
    let name = String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self)
    return "process \(process)" + (name.isEmpty ? "" : " (\(EscapedText.make(name)))")
  }

  // MARK: The clocks

  private mutating func checkClocks(_ policy: RetentionPolicy, _ run: RunID?) throws {
    let reading = host.reading()
    hasAges = !policy.ages.isEmpty
    let updated = try store.updateRetentionClock(to: reading, isContinuing: now != nil, hasAges: hasAges)
    now = updated.clock.now
    clocksDue = host.clock.monotonicNow() + Self.interval
    guard hasAges, let words = Self.words(updated.change, reading) else { return }
    try report(words, run)
  }

  private static func words(_ change: RetentionClock.Change?, _ reading: RetentionClock.Reading) -> String? {
    switch change {
    case .held(let wall, let expected):
      let trial = RetentionClock.trial(isSynchronized: reading.isSynchronized)
      return
        "retention holds back what has become old too fast: the wall clock says \(wall.rfc3339), and the last look and the "
        + "time since come to \(expected.rfc3339); it goes once a collector has run for \(LengthText.text(trial)) without a step of the "
        + "clock" + (reading.isSynchronized ? "" : ", which the kernel does not call synchronized")
    case .released(let from):
      return
        "retention takes the wall clock as right: it says \(reading.wall.rfc3339), and ages counted from \(from.rfc3339)"
    case .corrected:
      return "retention holds nothing back any more: the wall clock says \(reading.wall.rfc3339), as expected"
    case nil: return nil
    }
  }

  private func report(_ words: String, _ run: RunID?) throws {
    try store.record([Event(at: host.clock.wallNow(), kind: .retentionWaiting, detail: words)], run: run)
    onLine(words)
  }
}

/// The clocks of this host, with what tells whether they can be relied on.
struct HostTime: Sendable {
  let clock: any HostClock
  let bootID: String
  /// Whether the kernel calls the wall clock synchronized.
  var isSynchronized: @Sendable () -> Bool = Self.kernelsWord

  /// Where the kernel may not be asked, the clock is taken as not synchronized.
  private static let kernelsWord: @Sendable () -> Bool = {
    var error: Int64 = 0
    return clinux_clock_is_synchronized(&error) == 1
  }

  func reading() -> RetentionClock.Reading {
    RetentionClock.Reading(
      wall: clock.wallNow(),
      boottime: .nanoseconds(clock.monotonicNow().nanoseconds) + clock.suspendedTotal(),
      bootID: bootID, isSynchronized: isSynchronized())
  }
}

extension RetentionPolicy {
  /// What the configuration keeps. What is not forwarded to its fleet stays.
  init(_ configuration: PushscopeConfiguration) {
    self.init(configuration.retention)
    keepsWhatIsNotForwarded = configuration.fleet?.writer != nil
  }

  /// - Parameter configuration: `nil` keeps everything.
  init(_ configuration: RetentionConfiguration?) {
    self = .keepAll
    guard let configuration else { return }
    let ages: [(RetainedKind, Duration?)] = [
      (.samples, configuration.samples), (.receipts, configuration.receipts), (.log, configuration.log),
      (.events, configuration.events), (.clock, configuration.clock), (.path, configuration.path),
      (.findings, configuration.findings), (.rollupSecond, configuration.rollups.second),
      (.rollupMinute, configuration.rollups.minute), (.rollupHour, configuration.rollups.hour),
    ]
    for (kind, age) in ages { self.ages[kind] = age }
    maximumSize = configuration.maximumSize
  }
}
