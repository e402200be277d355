import Glibc

/// Records the script in memory, in a file, or not at all. Used on the service's event loop.
final class ScriptRecorder {
  private static let chunk = 64 * 1024

  private(set) var entries: [ScriptEntry] = []
  /// Entries beyond the capacity of memory.
  private(set) var dropped = 0
  private let capacity: Int
  private let file: Int32?
  private var unwritten: [UInt8] = []

  /// - Parameters:
  ///   - capacity: how many entries memory may hold; 0 for none.
  ///   - path: a file of JSON lines, written anew.
  init(capacity: Int, path: String?) throws(LoopbackError) {
    self.capacity = capacity
    guard let path else {
      file = nil
      return
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw LoopbackError(
        .cannotWrite, place: path,
        message: "the script cannot be written there (\(String(cString: strerror(errno))))",
        remedy: "name a file in a directory that you may write to")
    }
    file = descriptor
  }

  deinit { closeFile() }

  var isRecording: Bool { capacity > 0 || file != nil }

  func record(_ entry: ScriptEntry) {
    if capacity > 0 {
      if entries.count < capacity { entries.append(entry) } else { dropped += 1 }
    }
    guard file != nil else { return }
    unwritten.append(contentsOf: entry.json.utf8)
    unwritten.append(UInt8(ascii: "\n"))
    if unwritten.count >= Self.chunk { flush() }
  }

  /// Writes buffered entries. On a full disk the rest of the script is lost; the service continues.
  func flush() {
    guard let file else { return }
    var rest = unwritten[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { break }
      rest = rest.dropFirst(written)
    }
    unwritten.removeAll(keepingCapacity: true)
  }

  private func closeFile() {
    flush()
    if let file { close(file) }
  }
}
