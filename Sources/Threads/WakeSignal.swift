import CLinux
import Glibc
import Synchronization

/// Ends the wait of a thread. It stays raised until a wait ends by it, so that a raise between two waits is not lost.
///
/// It is an eventfd: a thread may wait for it alone (``wait(atMost:)``) or among other descriptors (``descriptor``), and a
/// signal handler may raise it. Timeouts are measured by CLOCK_MONOTONIC; Dispatch's semaphores use the wall clock on
/// Linux, where setting the clock back by an hour makes a wait of 250 ms last an hour.
public final class WakeSignal: Sendable {
  /// Readable while the signal is raised.
  public let descriptor: Int32

  /// - Throws: ``ThreadError`` when the system has no descriptor left.
  public init() throws(ThreadError) {
    descriptor = clinux_eventfd()
    guard descriptor >= 0 else {
      throw ThreadError("cannot make an event descriptor", code: errno)
    }
  }

  deinit { close(descriptor) }

  /// Ends the current wait, or the next one.
  public func raise() { Self.raise(descriptor) }

  /// The same by ``descriptor``, for signal handlers.
  public static func raise(_ descriptor: Int32) {
    var one: UInt64 = 1
    // Fails only when the counter is full, and then it is raised.
    _ = write(descriptor, &one, 8)
  }

  /// Lowers the signal.
  public func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }

  /// Returns when the signal is raised, which lowers it, or after `interval`.
  public func wait(atMost interval: Duration) {
    _ = wait(for: nil, events: 0, atMost: interval)
  }

  /// Returns when another descriptor is ready or the signal is raised, which lowers it.
  /// - Parameter events: what to wait for, as for poll(2): `POLLIN`, `POLLOUT`.
  /// - Parameter interval: at most a day; `nil` for no limit.
  /// - Returns: whether the other descriptor is ready or has an error.
  public func wait(for other: Int32?, events: Int16, atMost interval: Duration? = nil) -> Bool {
    let deadline = interval.map { SuspendingClock.now + max(.zero, min($0, .seconds(86_400))) }
    var waiting = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    if let other { waiting.append(pollfd(fd: other, events: events, revents: 0)) }
    while true {
      // poll(2) counts in milliseconds: rounded up, so that a wait is never too short.
      let left = deadline.map { Self.milliseconds(max(.zero, $0 - SuspendingClock.now)) } ?? -1
      let count = poll(&waiting, nfds_t(waiting.count), left)
      // A signal handler ran: wait for the rest.
      if count < 0, errno == EINTR { continue }
      if waiting[0].revents != 0 { clear() }
      return count > 0 && waiting.count > 1 && waiting[1].revents != 0
    }
  }

  private static func milliseconds(_ duration: Duration) -> Int32 {
    let (seconds, attoseconds) = duration.components
    return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}

/// A result that threads or tasks hand to the tasks that wait for it. The first one counts; later ones are ignored.
public final class FirstResult<Value: Sendable, Failure: Error>: Sendable {
  private enum State {
    case waiting([CheckedContinuation<Result<Value, Failure>, Never>])
    case finished(Result<Value, Failure>)
  }

  private let state = Mutex(State.waiting([]))

  public init() {}

  /// Sets the result and resumes every waiting task.
  public func finish(_ result: Result<Value, Failure>) {
    let waiters: [CheckedContinuation<Result<Value, Failure>, Never>] = state.withLock { state in
      guard case .waiting(let waiters) = state else { return [] }
      state = .finished(result)
      return waiters
    }
    for waiter in waiters { waiter.resume(returning: result) }
  }

  /// Waits for the result.
  public func value() async throws(Failure) -> Value {
    let result = await withCheckedContinuation { waiter in
      let finished: Result<Value, Failure>? = state.withLock { state in
        switch state {
        case .finished(let result): return result
        case .waiting(let waiters):
          state = .waiting(waiters + [waiter])
          return nil
        }
      }
      if let finished { waiter.resume(returning: finished) }
    }
    return try result.get()
  }
}

extension FirstResult where Value == Void {
  public func finish() { finish(.success(())) }
}

/// Repeats a round of work on the calling thread and retries the rounds that fail. Of consecutive failures only the first is
/// reported, and then the success that ends them.
public struct RetryLoop {
  private let interval: Duration
  private let report: ((any Error)?) -> Void

  /// - Parameters:
  ///   - interval: how long to rest after a failure.
  ///   - report: told of the first failure, and with `nil` of the first success after it.
  public init(every interval: Duration, report: @escaping ((any Error)?) -> Void) {
    self.interval = interval
    self.report = report
  }

  /// Runs rounds until one has a result.
  /// - Parameters:
  ///   - rest: waits on the calling thread.
  ///   - mayRetry: whether to go on after an error.
  ///   - round: does one round; returns `nil` to go on after the time that it has waited itself.
  /// - Throws: the error that is not retried.
  public func run<Value>(
    rest: (Duration) -> Void, mayRetry: (any Error) -> Bool = { _ in true }, round: () throws -> Value?
  ) throws -> Value {
    var backoff = Backoff(first: interval, longest: interval)
    while true {
      do {
        let value = try round()
        if backoff.succeeded() { report(nil) }
        if let value { return value }
      } catch {
        guard mayRetry(error) else { throw error }
        if backoff.failed() { report(error) }
        rest(backoff.pause)
      }
    }
  }

  /// Runs rounds that have no result until the work is stopped. A stop among failures is not reported as a success.
  /// - Parameters:
  ///   - isStopped: asked before each round.
  ///   - rest: waits on the calling thread, between rounds and after a failure.
  ///   - mayRetry: whether to go on after an error.
  ///   - round: does one round; returns how long to wait before the next.
  /// - Throws: the error that is not retried.
  public func run(
    until isStopped: () -> Bool, rest: (Duration) -> Void, mayRetry: (any Error) -> Bool = { _ in true },
    round: () throws -> Duration
  ) throws {
    do {
      let _: Never = try run(rest: rest, mayRetry: { !($0 is Stopped) && mayRetry($0) }) {
        guard !isStopped() else { throw Stopped() }
        rest(try round())
        return nil
      }
    } catch is Stopped {}
  }

  /// Ends a loop that has no result.
  private struct Stopped: Error {}
}
