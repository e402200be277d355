import Glibc

/// Ends a session's wait from another thread: data have come, an animation was asked for.
///
/// Wakes that come before the session looks count as one. Safe to call at any time, also when the session is gone.
public final class TerminalWaker: Sendable {
  let descriptor: Int32
  private let writingEnd: Int32

  init() throws(TerminalError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .system("no pipe to wake the session") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writingEnd) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writingEnd)
  }

  public func wake() {
    var byte: UInt8 = 1
    // It fails only when the pipe is full, and then the session is awake.
    _ = write(writingEnd, &byte, 1)
  }

  /// Takes the wakes that have come.
  func clear() {
    var bytes: [UInt64] = [0, 0, 0, 0, 0, 0, 0, 0]
    while read(descriptor, &bytes, 64) > 0 {}
  }
}
