import Synchronization

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
