import Glibc

/// Writes frames to a descriptor that does not block, one `write` each where the terminal keeps up.
///
/// A terminal that does not read must never hold up the thread that listens to it. While bytes of an earlier frame
/// wait, or the terminal takes none, new frames are left out and counted; what they would have shown is in the next.
final class FrameSink {
  let descriptor: Int32
  private(set) var statistics = FrameStatistics()
  /// What is left of a frame that was not taken whole. A sequence must not be cut, so it has to go out first.
  private var pending = OutputBytes(capacity: 256)
  private var pendingStart = 0
  private let clock = ContinuousClock()

  /// - Parameter descriptor: open for writing with O_NONBLOCK on a description of its own; not closed here.
  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Whether bytes of an earlier frame still wait for the terminal.
  var hasPending: Bool { pendingStart < pending.count }

  /// Encodes a frame and writes it, or leaves it out when the terminal does not take it now.
  func present(_ buffer: CellBuffer, cursor: CursorPosition?, writer: DiffWriter) -> FrameOutcome {
    flush()
    guard !hasPending, isWritable else {
      statistics.skippedFrames += 1
      return .skipped
    }
    let start = clock.now
    let bytes = writer.encode(buffer, cursor: cursor)
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

  /// Writes what still waits, as far as the terminal takes it.
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

  /// Drops what still waits: the terminal has been given back.
  /// - Returns: whether the terminal has taken everything and takes more.
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

  /// - Returns: false when the terminal is gone.
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
