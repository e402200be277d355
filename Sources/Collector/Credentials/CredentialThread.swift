import Synchronization
import Threads

/// The one thread of a run on which credentials are made and renewed, for each of its configurations. It is there as long as there
/// is a credential to renew.
final class CredentialThread: Sendable {
  /// Work of one configuration, confined to the thread.
  protocol Work: AnyObject {
    /// Does what is due.
    /// - Returns: how long nothing will be; `nil` when there is nothing left to do.
    func step() -> Duration?
  }

  private struct State {
    /// Make the works that have not begun.
    var added: [@Sendable () -> any Work] = []
    var isRunning = false
  }

  private let wake: WakeSignal
  private let state = Mutex(State())

  /// - Throws: ``ThreadError``.
  init() throws(ThreadError) { wake = try WakeSignal() }

  /// Begins a work.
  /// - Parameter make: called on the thread.
  /// - Throws: ``ThreadError`` when there is no thread and the system has none left.
  func add(_ make: @escaping @Sendable () -> any Work) throws(ThreadError) {
    let isStarting = state.withLock { state in
      state.added.append(make)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isStarting else { return wake.raise() }
    do {
      try DedicatedThread.start(name: "credentials") { [self] in run() }
    } catch {
      state.withLock { $0 = State() }
      throw error
    }
  }

  /// Ends the current wait: a work has something to do.
  func wakeUp() { wake.raise() }

  private func run() {
    var works: [any Work] = []
    while let added = next(isLast: works.isEmpty) {
      works += added.map { $0() }
      var rest: Duration?
      works.removeAll { work in
        guard let pause = work.step() else { return true }
        rest = min(rest ?? pause, pause)
        return false
      }
      if let rest { wake.wait(atMost: rest) }
    }
  }

  /// - Parameter isLast: whether the thread has nothing left to do.
  /// - Returns: what begins; `nil` to end the thread.
  private func next(isLast: Bool) -> [@Sendable () -> any Work]? {
    state.withLock { state in
      if isLast, state.added.isEmpty {
        state.isRunning = false
        return nil
      }
      defer { state.added = [] }
      return state.added
    }
  }
}
