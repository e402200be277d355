import NIOCore
import Synchronization

/// The way onto an event loop for threads that may outlive it: closed before the loop ends.
final class EventLoopHandle: Sendable {
  private let eventLoop: any EventLoop
  private let isOpen = Mutex(true)

  init(_ eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
  }

  /// Runs `task` on the loop, or drops it when the gate is closed.
  func execute(_ task: @escaping @Sendable () -> Void) {
    isOpen.withLock { if $0 { eventLoop.execute(task) } }
  }

  func close() {
    isOpen.withLock { $0 = false }
  }
}
