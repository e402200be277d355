import Glibc

/// Writes to file descriptors.
public enum DescriptorOutput {
  /// Blocks until everything is written, also when the descriptor is non-blocking.
  /// - Returns: the error's number; `nil` when everything was written.
  public static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
      case let number: return number
      }
    }
    return nil
  }
}
