import Glibc
import Measurement

/// Lines for people, on stderr; stdout carries data only. A message may quote what anybody wrote: paths, options, words
/// of a provider; whatever would act on a terminal is shown instead.
enum StandardError {
  static func write(_ line: String) {
    let shown = EscapedText.make(line, keepsLines: true)
    var text = shown.hasSuffix("\n") ? shown : shown + "\n"
    text.makeContiguousUTF8()
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
