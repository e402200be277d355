import Configuration
import Logging
import Measurement
import Store
import Synchronization
import Threads

/// Forwards a store until it is stopped, on a thread of its own that nothing waits for.
public final class FleetForwarding: Sendable {
  private struct State {
    var isStopping = false
    /// When a stop does not wait for the engine any more.
    var deadline: MonotonicTime?
    var thread: Wait?
  }

  private struct Wait {
    var wake: WakeSignal
    var ended: FirstResult<Void, Never>
  }

  private let fleet: FleetConfiguration
  private let clock: any HostClock
  private let logger: Logger
  private let progress: WorkProgress
  private let state = Mutex(State())

  /// Rows are collected so long before they are sent: small inserts cost the engine as much as large ones.
  private static let interval = Duration.seconds(1)
  /// How long the end of the collector waits for the last rows.
  private static let shutdownTimeout = Duration.seconds(5)
  /// The first pause between attempts that fail.
  private static let firstPause = Duration.milliseconds(500)
  private static let longestPause = Duration.seconds(60)

  /// - Parameter progress: told the table that is sent.
  public init(
    _ fleet: FleetConfiguration, logger: Logger, clock: any HostClock = SystemClock(),
    progress: WorkProgress = .unreported
  ) {
    self.fleet = fleet
    self.logger = logger
    self.clock = clock
    self.progress = progress
  }

  /// Starts to forward.
  /// - Throws: `ThreadError`.
  public func start(_ store: any AnalystStore) throws {
    let wake = try WakeSignal()
    let ended = FirstResult<Void, Never>()
    try DedicatedThread.start(name: "forward") { [self] in
      run(store, wake)
      ended.finish()
    }
    state.withLock { $0.thread = Wait(wake: wake, ended: ended) }
    logger.info(
      "forwarding to \(fleet.urls.map(\.origin).joined(separator: ", ")), database \(fleet.database)")
  }

  /// Sends what is left, for some seconds.
  public func stop() async {
    let thread = state.withLock { state in
      state.isStopping = true
      state.deadline = clock.monotonicNow() + Self.shutdownTimeout
      defer { state.thread = nil }
      return state.thread
    }
    guard let thread else { return }
    thread.wake.raise()
    await thread.ended.value()
  }

  /// Whether a request is to be given up.
  private var isCancelled: Bool {
    state.withLock { state in
      guard state.isStopping else { return false }
      return state.deadline.map { clock.monotonicNow() >= $0 } ?? true
    }
  }

  private func run(_ store: any AnalystStore, _ wake: WakeSignal) {
    defer { progress.rest() }
    var backoff = Backoff(first: Self.firstPause, longest: Self.longestPause)
    var logged = LoggedError()
    while true {
      do {
        return try open(store, wake)
      } catch {
        if (error as? StoreError)?.isStoreLost == true || state.withLock({ $0.isStopping }) {
          return logger.error("nothing is forwarded: \(error)")
        }
        backoff.failed()
        if logged.isNew(error) { logger.error("nothing is forwarded: \(error); it is tried again") }
        progress.rest()
        wake.wait(atMost: backoff.pause)
      }
    }
  }

  private func open(_ store: any AnalystStore, _ wake: WakeSignal) throws {
    let reader = try StoreReader.open(at: store.path)
    defer { reader.close() }
    try store.expectForwarding(at: Forwarder.place(of: fleet))
    let forwarder = try Forwarder(fleet, store: store, reader: reader, progress: progress) { [self] in
      progress.goOn()
      return isCancelled
    }
    try work(forwarder, reader, wake)
  }

  private func work(_ forwarder: Forwarder, _ reader: StoreReader, _ wake: WakeSignal) throws {
    var backoff = Backoff(first: Self.firstPause, longest: Self.longestPause)
    var logged = LoggedError()
    var isRenumbering = false
    while true {
      let isStopping = state.withLock { $0.isStopping }
      if isStopping, isCancelled || backoff.isFailing { return logRemaining(reader) }
      do {
        let step = try forwarder.step()
        if backoff.succeeded() { logger.notice("rows are forwarded again to \(forwarder.place)") }
        logged = LoggedError()
        if step.isRenumbering, !isRenumbering {
          logger.notice("the store is an older copy of one that was forwarded: its rows get new revisions")
        }
        isRenumbering = step.isRenumbering
        if step.isMore { continue }
        if isStopping { return }
        progress.rest()
        wake.wait(atMost: Self.interval)
      } catch let error as StoreError where error.isStoreLost {
        throw error
      } catch let error as FleetError where error.code == .cancelled {
        return logRemaining(reader)
      } catch {
        backoff.failed()
        if logged.isNew(error) { logger.error("\(Self.text(error)); nothing is lost, and it is tried again") }
        progress.rest()
        wake.wait(atMost: backoff.pause)
      }
    }
  }

  private func logRemaining(_ reader: StoreReader) {
    guard let backlog = try? reader.forwardBacklog(), backlog > 0 else { return }
    logger.notice(
      "\(CountText.text(backlog, "row waits", plural: "rows wait")) in the store for the next start")
  }

  /// The error's text without the remedy, which is for a person who waits for an answer.
  private static func text(_ error: any Error) -> String {
    guard let error = error as? FleetError, error.code == .busy else { return "\(error)" }
    return "\(error.place): \(error.detail)"
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
