import Store
import Synchronization
import Threads

/// Runs rounds of work on a thread of its own until it is stopped; each round says how long to wait before the next.
final class MonitoringThread: Sendable {
  private let isStopping = Mutex(false)
  private let wake: WakeSignal
  private let ended = FirstResult<Void, Never>()
  private static let retryInterval = Duration.seconds(1)

  /// - Parameters:
  ///   - name: the thread's; at most 15 bytes.
  ///   - make: makes the work, on its thread; a round that throws is retried.
  ///   - onTrouble: told of the first failure, and with `nil` of the success after it; on the thread.
  init(
    name: String, make: @escaping @Sendable () -> () throws -> Duration,
    onTrouble: @escaping @Sendable ((any Error)?) -> Void
  ) throws(ThreadError) {
    wake = try WakeSignal()
    try DedicatedThread.start(name: name) { [self] in
      work(make, onTrouble)
      ended.finish()
    }
  }

  /// All that is made for the work is released when this returns, a reader of the store among it.
  private func work(
    _ make: () -> () throws -> Duration, _ onTrouble: @escaping ((any Error)?) -> Void
  ) {
    let round = make()
    let loop = RetryLoop(every: Self.retryInterval, report: onTrouble)
    try? loop.run(
      until: { isStopping.withLock { $0 } }, rest: wake.wait(atMost:),
      mayRetry: { _ in !isStopping.withLock { $0 } }, round: round)
  }

  /// Starts the next round at once.
  func look() { wake.raise() }

  /// Ends the thread after the current round.
  /// - Parameter limit: how long to wait for it; a round that takes longer is left alone, and nothing of it is retried.
  func stop(within limit: Duration? = nil) async {
    isStopping.withLock { $0 = true }
    wake.raise()
    guard let limit else { return await ended.value() }
    let first = FirstResult<Void, Never>()
    let waiting = Task {
      try? await Task.sleep(for: limit)
      first.finish()
    }
    Task { [ended] in
      await ended.value()
      first.finish()
    }
    await first.value()
    waiting.cancel()
  }
}
