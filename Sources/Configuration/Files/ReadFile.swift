import Glibc

/// The content of a regular file, read once and bounded.
struct ReadFile {
  let bytes: [UInt8]

  /// - Parameter isSecret: refuse it when group or others have any right to it.
  init(path: String, maximumBytes: Int, isSecret: Bool = false) throws(FileReadError) {
    // Non-blocking, so that a FIFO is refused instead of waited for.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure(errno, path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure(errno, path) }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG else {
      throw FileReadError(code: kind == S_IFDIR ? .isDirectory : .notRegular, path: path)
    }
    if isSecret, status.st_mode & 0o077 != 0 {
      throw FileReadError(code: .exposed(mode: status.st_mode & 0o777), path: path)
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure(errno, path) }
      if count == 0 { break }
      bytes += chunk[..<count]
      guard bytes.count <= maximumBytes else {
        throw FileReadError(code: .tooLarge(maximumBytes: maximumBytes), path: path)
      }
    }
    self.bytes = bytes
  }

  private static func failure(_ number: Int32, _ path: String) -> FileReadError {
    switch number {
    case ENOENT, ENOTDIR: FileReadError(code: .missing, path: path)
    case EACCES, EPERM: FileReadError(code: .permissionDenied, path: path)
    default: FileReadError(code: .system(errno: number), path: path)
    }
  }
}
