import Glibc

/// Lines for people, on stderr; stdout carries data only.
enum StandardError {
  static func write(_ line: String) {
    let text = line.hasSuffix("\n") ? line : line + "\n"
    text.utf8.withContiguousStorageIfAvailable { bytes in
      var offset = 0
      while offset < bytes.count {
        guard let base = bytes.baseAddress else { return }
        let written = Glibc.write(STDERR_FILENO, base + offset, bytes.count - offset)
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { return }
        offset += written
      }
    }
  }
}

extension String {
  func replacingPrefix(_ prefix: String, with replacement: String) -> String {
    hasPrefix(prefix) ? replacement + dropFirst(prefix.count) : self
  }
}
