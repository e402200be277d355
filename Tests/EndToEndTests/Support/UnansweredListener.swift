import Foundation
import Glibc
import TestKit

/// A listening socket that accepts no connection, so that attempts stay in its queue.
final class UnansweredListener {
  private let descriptor: Int32
  let port: Int

  init() throws {
    descriptor = FreePort.makeSocket()
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    port = FreePort.bind(descriptor) ?? 0
    guard port > 0, listen(descriptor, 16) == 0 else {
      throw NeverHappened(what: "a listener", seen: String(cString: strerror(errno)))
    }
  }

  deinit { close(descriptor) }

  /// Connections since the last call.
  func callers() -> Int {
    var count = 0
    while case let caller = accept(descriptor, nil, nil), caller >= 0 {
      close(caller)
      count += 1
    }
    return count
  }
}
