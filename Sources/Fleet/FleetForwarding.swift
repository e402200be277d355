import Configuration
import Logging
import Measurement
import Store
import Synchronization
import Threads

/// Forwards a collector's store for as long as the collector has it, on a thread of its own that nothing waits for.
public final class FleetForwarding: Sendable {
  private struct State {
    var isStopping = false
    /// When a stop does not wait for the engine any more.
    var deadline: MonotonicTime?
    var backlog: Int?
    var thread: Wait?
  }

  private struct Wait {
    var wake: WakeSignal
    var ended: FirstResult<Void, Never>
  }

  private let fleet: FleetConfiguration
  private let clock: any HostClock
  private let logger: Logger
  private let state = Mutex(State())

  /// Rows are collected so long before they are sent: small inserts cost the engine as much as large ones.
  private static let interval = Duration.seconds(1)
  /// How long the end of the collector waits for the last rows.
  private static let farewell = Duration.seconds(5)
  /// The first pause between attempts that fail.
  private static let firstPause = Duration.milliseconds(500)
  private static let longestPause = Duration.seconds(60)

  public init(_ fleet: FleetConfiguration, logger: Logger, clock: any HostClock = SystemClock()) {
    self.fleet = fleet
    self.logger = logger
    self.clock = clock
  }

  /// Rows that are not in the fleet, as counted last; `nil` before the first time.
  public var backlog: Int? { state.withLock { $0.backlog } }

  /// Whether a request is to be given up.
  private var isCancelled: Bool {
    state.withLock { state in
      guard state.isStopping else { return false }
      return state.deadline.map { clock.monotonicNow() >= $0 } ?? true
    }
  }

  private func run(_ store: CollectorStore, _ wake: WakeSignal) {
    do {
      let reader = try StoreReader.open(at: store.path)
      defer { reader.close() }
      try store.expectForwarding(at: Forwarder.place(of: fleet))
      let counter = BacklogCounter(reader, clock) { [self] in note($0) }
      // Also while the engine takes its time.
      let forwarder = try Forwarder(fleet, store: store, reader: reader) { [self] in
        counter.countWhenDue()
        return isCancelled
      }
      try work(forwarder, counter, wake)
    } catch {
      logger.error("nothing is forwarded: \(error)")
    }
  }

  private func work(_ forwarder: Forwarder, _ counter: BacklogCounter, _ wake: WakeSignal) throws {
    var backoff = Backoff(first: Self.firstPause, longest: Self.longestPause)
    var logged = LoggedError()
    var isRenumbering = false
    while true {
      let isStopping = state.withLock { $0.isStopping }
      if isStopping, isCancelled || backoff.isFailing { return logRemaining(counter) }
      do {
        let step = try forwarder.step()
        if backoff.succeeded() { logger.notice("rows are forwarded again to \(forwarder.place)") }
        logged = LoggedError()
        if step.isRenumbering, !isRenumbering {
          logger.notice("the store is an older copy of one that was forwarded: its rows get new revisions")
        }
        isRenumbering = step.isRenumbering
        guard !step.isMore else {
          counter.countWhenDue()
          continue
        }
        counter.isDone()
        if isStopping { return }
        wake.wait(atMost: Self.interval)
      } catch let error as StoreError where error.isStoreLost {
        throw error
      } catch let error as FleetError where error.code == .cancelled {
        return logRemaining(counter)
      } catch {
        backoff.failed()
        if logged.isNew(error) { logger.error("\(Self.text(error)); nothing is lost, and it is tried again") }
        counter.countWhenDue()
        wake.wait(atMost: backoff.pause)
      }
    }
  }

  private func logRemaining(_ counter: BacklogCounter) {
    counter.count()
    guard let backlog, backlog > 0 else { return }
    logger.notice(
      "\(CountText.text(backlog, "row waits", plural: "rows wait")) in the store for the next start")
  }

  /// The error's text without the remedy, which is for a person who waits for an answer.
  private static func text(_ error: any Error) -> String {
    guard let error = error as? FleetError, error.code == .busy else { return "\(error)" }
    return "\(error.place): \(error.detail)"
  }

  private func note(_ backlog: Int?) { state.withLock { $0.backlog = backlog } }
}

/// Counts the rows that wait while they are not all forwarded. Confined to one thread.
private final class BacklogCounter {
  private let reader: StoreReader
  private let clock: any HostClock
  private let note: (Int?) -> Void
  private var countedAt: MonotonicTime?

  private static let interval = Duration.seconds(10)

  init(_ reader: StoreReader, _ clock: any HostClock, note: @escaping (Int?) -> Void) {
    (self.reader, self.clock, self.note) = (reader, clock, note)
  }

  func countWhenDue() {
    let now = clock.monotonicNow()
    guard countedAt.map({ now - $0 >= Self.interval }) ?? true else { return }
    countedAt = now
    count()
  }

  func count() { note(try? reader.forwardBacklog()) }

  /// Nothing waits.
  func isDone() {
    countedAt = nil
    note(0)
  }
}

/// Tells an error from the one before: attempts that fail alike are logged once.
struct LoggedError {
  private var text: String?

  mutating func isNew(_ error: any Error) -> Bool {
    defer { text = "\(error)" }
    return text != "\(error)"
  }
}

extension FleetForwarding: CollectionObserver {
  public func opened(_ store: CollectorStore) async throws {
    let wake = try WakeSignal()
    let ended = FirstResult<Void, Never>()
    state.withLock { $0.thread = Wait(wake: wake, ended: ended) }
    try DedicatedThread.start(name: "forward") { [self] in
      run(store, wake)
      ended.finish()
    }
    logger.info(
      "forwarding to \(fleet.urls.map(\.origin).joined(separator: ", ")), database \(fleet.database)")
  }

  /// Sends what is left, for some seconds.
  public func closing() async {
    let thread = state.withLock { state in
      state.isStopping = true
      state.deadline = clock.monotonicNow() + Self.farewell
      defer { state.thread = nil }
      return state.thread
    }
    guard let thread else { return }
    thread.wake.raise()
    await thread.ended.value()
  }
}
