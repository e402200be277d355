import Synchronization
import Transport

/// Buffers observations of a new configuration's services until it is accepted, so that a rejected one leaves no log lines or
/// events in the run.
final class ObservationBuffer: Sendable {
  private enum State {
    case buffering([Observation])
    case passing
    case discarding
  }

  private let state = Mutex(State.buffering([]))
  private let post: @Sendable ([Observation]) -> Void

  /// - Parameter post: receives the buffered observations in order.
  init(post: @escaping @Sendable ([Observation]) -> Void) { self.post = post }

  func add(_ observations: [Observation]) {
    state.withLock { state in
      switch state {
      case .buffering(let buffered): state = .buffering(buffered + observations)
      case .passing: post(observations)
      case .discarding: break
      }
    }
  }

  /// Posts the buffered observations, and later ones directly.
  func release() {
    state.withLock { state in
      if case .buffering(let buffered) = state, !buffered.isEmpty { post(buffered) }
      state = .passing
    }
  }

  /// Discards all observations.
  func discard() { state.withLock { $0 = .discarding } }
}
