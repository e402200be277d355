import Glibc

/// Ends another thread's wait. Ringing it is safe in a signal handler.
final class Alarm: Sendable {
  private let readingEnd: Int32
  /// A byte written here rings it.
  let descriptor: Int32

  init() throws(DashboardError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw DashboardError(
        code: .system, message: "cannot make a pipe: \(String(cString: strerror(errno)))",
        remedy: "close some files or programs and try again")
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (readingEnd, descriptor) = (ends[0], ends[1])
  }

  deinit {
    close(readingEnd)
    close(descriptor)
  }

  func ring() { Alarm.ring(descriptor) }

  static func ring(_ descriptor: Int32) {
    var byte: UInt8 = 1
    // It fails only when the pipe is full, and then it rings already.
    _ = write(descriptor, &byte, 1)
  }

  /// Returns when a descriptor can be written to, or when it rings.
  /// - Returns: whether the descriptor can be written to, or is beyond hope.
  func wait(untilWritable other: Int32) -> Bool {
    var waiting = [
      pollfd(fd: other, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: readingEnd, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&waiting, 2, -1) > 0 else { return false }
    if waiting[1].revents != 0 { clear() }
    return waiting[0].revents != 0
  }

  /// Returns when it rings, when it has rung since the last wait, or when the time is over.
  func wait(milliseconds: Int32) {
    var waiting = pollfd(fd: readingEnd, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, milliseconds) > 0 else { return }
    clear()
  }

  private func clear() {
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { bytes in
      while read(readingEnd, bytes.baseAddress, bytes.count) == bytes.count {}
    }
  }
}
