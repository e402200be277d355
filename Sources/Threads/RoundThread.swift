import Synchronization

/// Runs rounds of work on a thread of its own until it is stopped; each round says how long to wait before the next.
public final class RoundThread: Sendable {
  /// What the thread does.
  public struct Work {
    var round: () throws -> Duration
    var end: () throws -> Void

    /// - Parameters:
    ///   - round: returns how long to wait before the next round; one that throws is retried.
    ///   - end: called once after the last round, unless a final error ended the thread.
    public init(round: @escaping () throws -> Duration, end: @escaping () throws -> Void = {}) {
      self.round = round
      self.end = end
    }
  }

  /// The pause after a round, so that rounds that take long take a twentieth of the time.
  /// - Parameters:
  ///   - cost: what the round took.
  ///   - least: the pause after one that took no time.
  ///   - most: the longest pause.
  public static func pause(after cost: Duration, least: Duration, most: Duration = .seconds(20)) -> Duration {
    max(least, min(most, cost * 19))
  }

  private let isStopping = Mutex(false)
  private let signal: WakeSignal
  private let ended = FirstResult<Void, Never>()

  /// Pause after a failed round.
  public static let retryInterval = Duration.seconds(1)

  /// - Parameters:
  ///   - name: the thread's; at most 15 bytes.
  ///   - make: makes the work, on its thread.
  ///   - isFinal: whether an error ends the thread. Other errors are retried, unless the thread is being stopped.
  ///   - onTrouble: receives the first failure of consecutive ones, the error that ends the thread, that of the work's end, and
  ///     `nil` when a round succeeds again; called on the thread.
  public init(
    name: String, make: @escaping @Sendable () -> Work,
    isFinal: @escaping @Sendable (any Error) -> Bool = { _ in false },
    onTrouble: @escaping @Sendable ((any Error)?) -> Void
  ) throws(ThreadError) {
    signal = try WakeSignal()
    try DedicatedThread.start(name: name) { [self] in
      run(make, isFinal, onTrouble)
      ended.finish()
    }
  }

  /// Releases all that was made for the work when it returns: a connection that is still open when the collector closes the
  /// store keeps SQLite from moving the write-ahead log into the store's file.
  private func run(
    _ make: () -> Work, _ isFinal: (any Error) -> Bool, _ onTrouble: @escaping ((any Error)?) -> Void
  ) {
    let work = make()
    let loop = RetryLoop(every: Self.retryInterval, report: onTrouble)
    do {
      try loop.run(
        until: { isStopped }, rest: signal.wait(atMost:), mayRetry: { !isStopped && !isFinal($0) },
        round: work.round)
    } catch {
      // Otherwise the last round failed.
      if isFinal(error) { return onTrouble(error) }
    }
    do { try work.end() } catch { onTrouble(error) }
  }

  private var isStopped: Bool { isStopping.withLock { $0 } }

  /// Starts the next round at once.
  public func wake() { signal.raise() }

  /// Ends the thread after the current round.
  /// - Parameter limit: how long to wait for it; a round that takes longer is left alone, and nothing of it is retried.
  public func stop(within limit: Duration? = nil) async {
    isStopping.withLock { $0 = true }
    signal.raise()
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
