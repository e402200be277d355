import Foundation

/// Tells when standard input is closed: how a child of the demonstration learns that its parent is gone.
enum InputEnd {
  /// Returns when nothing can come from standard input any more.
  static func wait() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var byte: UInt8 = 0
        while true {
          let count = read(STDIN_FILENO, &byte, 1)
          if count == 0 || (count < 0 && errno != EINTR) { break }
        }
        continuation.resume()
      }
    }
  }
}
