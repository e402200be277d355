import Synchronization

/// Holds back what services of a configuration on trial say, so that a refused one leaves nothing in the run's log and events.
final class HeldObservations: Sendable {
  private enum State {
    case holding([Observation])
    case passing
    case dropping
  }

  private let state = Mutex(State.holding([]))
  private let post: @Sendable ([Observation]) -> Void

  /// - Parameter post: takes them once the configuration is taken, in their order.
  init(post: @escaping @Sendable ([Observation]) -> Void) { self.post = post }

  func add(_ observations: [Observation]) {
    state.withLock { state in
      switch state {
      case .holding(let held): state = .holding(held + observations)
      case .passing: post(observations)
      case .dropping: break
      }
    }
  }

  /// The configuration is taken: passes on what was held, and what comes from now on.
  func release() {
    state.withLock { state in
      if case .holding(let held) = state, !held.isEmpty { post(held) }
      state = .passing
    }
  }

  /// The configuration is refused.
  func drop() { state.withLock { $0 = .dropping } }
}
