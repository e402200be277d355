import Glibc

/// Data for programs, on stdout.
enum StandardOutput {
  /// Writes a line at once, whatever stdout is.
  static func writeLine(_ line: String) {
    Array((line + "\n").utf8).withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count, let base = bytes.baseAddress {
        let written = Glibc.write(STDOUT_FILENO, base + offset, bytes.count - offset)
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { return }
        offset += written
      }
    }
  }
}
