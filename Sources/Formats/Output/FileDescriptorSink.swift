import Glibc

/// Writes to an open file descriptor, which stays its owner's.
public final class FileDescriptorSink: ByteSink {
  private let descriptor: Int32
  private let name: String

  /// - Parameter name: what errors call it.
  public init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  public static func standardOutput() -> FileDescriptorSink {
    FileDescriptorSink(descriptor: STDOUT_FILENO, name: "standard output")
  }

  /// Waits for as long as the reader takes, also where someone made the descriptor non-blocking.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
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
      case let number: throw OutputError(errno: number, name: name)
      }
    }
  }
}
