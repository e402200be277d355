import Measurement
import Store
import Threads

/// Runs a ``Recorder`` on a thread of its own until the run is closed.
final class RecorderThread: Sendable {
  private let end = FirstResult<RecorderStatistics, any Error>()

  /// - Parameters:
  ///   - make: makes the recorder, on its thread.
  ///   - onRound: called before each round, also one that is retried; on the recorder's thread.
  ///   - onTrouble: told when a commit fails, and with `nil` when one succeeds again; on the recorder's thread.
  ///   - onFailure: told when the recorder gives up, and what is lost; what is sent from then on would not be recorded.
  init(
    inbox: RecorderInbox, clock: any HostClock, make: @escaping @Sendable () -> Recorder,
    onRound: @escaping @Sendable () -> Void = {}, onTrouble: @escaping @Sendable ((any Error)?) -> Void,
    onFailure: @escaping @Sendable (any Error, RecordingLoss) -> Void = { _, _ in }
  ) throws(ThreadError) {
    try DedicatedThread.start(name: "recorder") { [end] in
      let recorder = make()
      let result = Result {
        try Self.run(recorder, inbox: inbox, clock: clock, onRound: onRound, onTrouble: onTrouble)
      }
      if case .failure(let error) = result {
        onFailure(error, recorder.fail())
      }
      end.finish(result)
    }
  }

  /// Waits until the run is closed.
  /// - Throws: the store's error when the last changes could not be committed.
  func finished() async throws -> RecorderStatistics { try await end.value() }

  private static func run(
    _ recorder: Recorder, inbox: RecorderInbox, clock: any HostClock, onRound: () -> Void,
    onTrouble: @escaping ((any Error)?) -> Void
  ) throws -> RecorderStatistics {
    // Not ended by the inbox: what arrives meanwhile is committed together.
    let pause = try WakeSignal()
    return try RetryLoop(every: Recorder.retryInterval, report: onTrouble).run(
      rest: pause.wait(atMost:),
      mayRetry: { error in
        guard let error = error as? StoreError, error.isTransient else { return false }
        return inbox.closing.map { clock.monotonicNow() <= $0.lastTry } ?? true
      },
      round: {
        onRound()
        switch try recorder.round() {
        case .closed: return recorder.statistics
        case .pause(let interval): pause.wait(atMost: interval)
        case .wait(let interval): inbox.wait(atMost: interval)
        }
        return nil
      })
  }
}

/// What could not be written when recording ended with an error.
struct RecordingLoss: Sendable, Equatable {
  /// Notifications that came due, of which the store knows nothing.
  var notifications = 0
  /// What became of notifications that the store knows.
  var changes = 0
  var receipts = 0
  /// Events and lines of the log.
  var events = 0

  /// `lost: 1 notification, 20 changes of others, 3 events and lines of the log`.
  var words: String {
    let parts = [
      (notifications, "notification", "notifications"), (changes, "change of another", "changes of others"),
      (receipts, "receipt", "receipts"), (events, "event or line of the log", "events and lines of the log"),
    ].filter { $0.0 > 0 }.map { CountText.text($0.0, $0.1, plural: $0.2) }
    return parts.isEmpty
      ? "nothing is lost" : "lost, because they could not be written: " + parts.joined(separator: ", ")
  }
}

/// What recording cost: part of the tool's own error.
public struct RecorderStatistics: Sendable, Equatable {
  public internal(set) var commits = 0
  public internal(set) var rows = 0
  /// The duration of the longest commit.
  public internal(set) var longestCommit: Duration = .zero
  /// Commits that took longer than ``stall``.
  public internal(set) var stalls = 0

  /// A longer commit keeps rows from readers for longer than promised.
  static let stall = Duration.milliseconds(100)

  mutating func record(rows count: Int, took duration: Duration) {
    commits += 1
    rows += count
    longestCommit = max(longestCommit, duration)
    if duration > Self.stall { stalls += 1 }
  }
}

/// Detects steps of the wall clock and suspends of the host, and renews the anchor that maps the clocks.
struct ClockMonitor: Sendable {
  /// How often the clocks are compared.
  static let interval = Duration.seconds(1)
  /// The smallest step that counts, µs. Smaller differences come from reading two clocks one after the other.
  static let smallestStep: Int64 = 1000
  static let smallestSuspend = Duration.milliseconds(10)

  private(set) var anchor: ClockAnchor
  /// How long the host had been suspended since its boot, as last noticed.
  private(set) var suspended: Duration
  private var next: MonotonicTime

  init(clock: any HostClock) {
    anchor = ClockAnchor(reading: clock)
    suspended = clock.suspendedTotal()
    next = anchor.monotonic + Self.interval
  }

  var nextDeadline: MonotonicTime { next }

  /// Compares the clocks if the interval has passed.
  /// - Returns: an event for each step and suspend; with any, the anchor is a new one.
  mutating func check(_ clock: any HostClock) -> [Event] {
    let now = clock.monotonicNow()
    guard now >= next else { return [] }
    next = now + Self.interval
    let reading = ClockAnchor(reading: clock)
    var events: [Event] = []
    let asleep = clock.suspendedTotal() - suspended
    if asleep >= Self.smallestSuspend {
      suspended += asleep
      events.append(
        Event(
          at: reading.wall, kind: .suspended, detail: "the host slept for \(LengthText.text(asleep))"))
    }
    let step = anchor.step(to: reading) - (asleep >= Self.smallestSuspend ? asleep.microseconds : 0)
    if abs(step) >= Self.smallestStep {
      events.append(
        Event(
          at: reading.wall, kind: .clockStep,
          detail: "the wall clock was stepped by \(LatencyText.signed(step))"))
    }
    if !events.isEmpty { anchor = reading }
    return events
  }
}
