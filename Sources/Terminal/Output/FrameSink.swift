import ConstraintAnimation
import Glibc

/// Writes frames to a descriptor that does not block, one `write` each where the terminal keeps up.
///
/// A terminal that does not read must not block the thread that serves it. While bytes of an earlier frame
/// wait, or the terminal accepts none, new frames are skipped and counted; the next frame includes their changes.
final class FrameSink {
  let descriptor: Int32
  private(set) var statistics = FrameStatistics()
  /// The rest of a partly written frame. A sequence must not be cut, so it is written first.
  private var pending = OutputBytes(capacity: 256)
  private var pendingStart = 0
  private let clock = ContinuousClock()

  /// - Parameter descriptor: open for writing with O_NONBLOCK on a description of its own; not closed here.
  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Whether bytes of an earlier frame still wait for the terminal.
  var hasPending: Bool { pendingStart < pending.count }

  /// Encodes a frame and writes it, or skips it when the terminal accepts no bytes now.
  func present(
    _ buffer: CellBuffer, cursor: CursorPosition?, changed: CellRegion? = nil, writer: DiffWriter
  ) -> FrameOutcome {
    flush()
    guard !hasPending, isWritable else {
      statistics.skippedFrames += 1
      return .skipped
    }
    let start = clock.now
    let bytes = writer.encode(buffer, cursor: cursor, changed: changed)
    let encoded = clock.now
    let outcome: FrameOutcome
    if bytes.isEmpty {
      outcome = .unchanged
    } else {
      outcome = write(bytes) ? .written(bytes: bytes.count) : .failed
    }
    statistics.frames += 1
    statistics.lastFrameBytes = bytes.count
    statistics.totalBytes += bytes.count
    statistics.lastEncodeDuration = start.duration(to: encoded)
    statistics.lastWriteDuration = encoded.duration(to: clock.now)
    return outcome
  }

  /// Writes bytes that belong to no frame (modes, titles), after what still waits.
  func send(_ bytes: UnsafeRawBufferPointer) {
    if hasPending {
      pending.append(bytes)
      flush()
    } else {
      _ = write(bytes)
    }
  }

  /// Writes the waiting bytes, as many as the terminal accepts.
  func flush() {
    while hasPending {
      let rest = UnsafeRawBufferPointer(rebasing: pending.contents[pendingStart...])
      let taken = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if taken < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN { discardPending() }
        return
      }
      pendingStart += taken
    }
    discardPending()
  }

  /// Drops the waiting bytes: the terminal has been restored.
  /// - Returns: whether everything has been written and the terminal accepts more.
  @discardableResult
  func abandon() -> Bool {
    flush()
    let isReading = !hasPending && isWritable
    discardPending()
    return isReading
  }

  private func discardPending() {
    pending.removeAll()
    pendingStart = 0
  }

  /// - Returns: false when the terminal has hung up.
  private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var start = 0
    while start < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      let taken = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if taken < 0 {
        if errno == EINTR { continue }
        guard errno == EAGAIN else { return false }
        pending.append(rest)
        statistics.partialWrites += 1
        return true
      }
      start += taken
    }
    return true
  }

  private var isWritable: Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return Glibc.poll(&poll, 1, 0) > 0 && poll.revents & Int16(POLLOUT) != 0
  }
}
