import Synchronization

/// Ends a dashboard from another thread.
public final class DashboardStop: Sendable {
  private struct State {
    var isStopped = false
    var onStop: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  public init() {}

  /// Has `Dashboard.run` return soon. May be called at any time, also before it begins.
  public func stop() {
    let action = state.withLock { state in
      state.isStopped = true
      return state.onStop
    }
    action?()
  }

  var isStopped: Bool { state.withLock { $0.isStopped } }

  /// What wakes the thread that is to look.
  func onStop(_ action: (@Sendable () -> Void)?) { state.withLock { $0.onStop = action } }
}
