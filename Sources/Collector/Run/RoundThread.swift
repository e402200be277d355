import Store
import Synchronization
import Threads

/// Runs rounds of work in the store on a thread of its own, for as long as the collector has the store; each round says how
/// long to wait before the next.
final class RoundThread: Sendable {
  /// What the thread does.
  struct Work {
    /// Returns how long to wait before the next round; one that throws is retried.
    var round: () throws -> Duration
    /// Called once, after the last round.
    var end: () throws -> Void = {}
  }

  private let isStopping = Mutex(false)
  private let wake: WakeSignal
  private let ended = FirstResult<Void, Never>()

  /// How long to wait after a failed round.
  private static let retryInterval = Duration.seconds(1)

  /// - Parameters:
  ///   - name: the thread's; at most 15 bytes.
  ///   - make: makes the work, on its thread.
  ///   - onTrouble: told when a round or the end fails, and with `nil` when a round succeeds again; on the thread.
  ///   - onStoreLost: told once when the store's path no longer names its file, or another collector has it.
  init(
    name: String, make: @escaping @Sendable () -> Work,
    onTrouble: @escaping @Sendable ((any Error)?) -> Void,
    onStoreLost: @escaping @Sendable (StoreError) -> Void = { _ in }
  ) throws(ThreadError) {
    wake = try WakeSignal()
    try DedicatedThread.start(name: name) { [self] in
      work(make, onTrouble, onStoreLost)
      ended.finish()
    }
  }

  /// All that is made for the work is released when this returns: a connection that is still open when the collector closes
  /// the store keeps SQLite from moving the write-ahead log into the store's file.
  private func work(
    _ make: () -> Work, _ onTrouble: @escaping ((any Error)?) -> Void, _ onStoreLost: (StoreError) -> Void
  ) {
    let work = make()
    do {
      try run(work.round, onTrouble)
      try work.end()
    } catch {
      if let error = error as? StoreError, error.isStoreLost {
        onStoreLost(error)
      } else {
        onTrouble(error)
      }
    }
  }

  /// Starts the next round at once: a command may be waiting for what has just changed.
  func look() { wake.raise() }

  /// Ends the thread after the current round.
  func stop() async {
    isStopping.withLock { $0 = true }
    wake.raise()
    await ended.value()
  }

  private func run(
    _ round: @escaping () throws -> Duration, _ onTrouble: @escaping ((any Error)?) -> Void
  ) throws {
    try RetryLoop(every: Self.retryInterval, report: onTrouble).run(
      until: { isStopping.withLock { $0 } }, rest: wake.wait(atMost:),
      mayRetry: { ($0 as? StoreError)?.isStoreLost != true }, round: round)
  }
}
