import Glibc
import Measurement
import Threads

/// Records the script in memory, in a file, or not at all. Used on the service's event loop.
final class ScriptRecorder {
  /// Where the lines go.
  private enum Output {
    case none
    /// A regular file, which takes what it is given.
    case file(Int32)
    /// A pipe or a terminal, whose reader may stop reading.
    case stream(Int32, LineWriter)
  }

  private static let chunk = 64 * 1024
  /// Bytes that may wait for the reader of a pipe.
  private static let waiting = 8 << 20

  private(set) var entries: [ScriptEntry] = []
  /// Entries beyond the capacity of memory.
  private(set) var dropped = 0
  private let capacity: Int
  private let output: Output
  private var unwritten: [UInt8] = []

  /// - Parameters:
  ///   - capacity: how many entries memory may hold; 0 for none.
  ///   - path: a file of JSON lines, written anew.
  init(capacity: Int, path: String?) throws {
    self.capacity = capacity
    guard let path else {
      output = .none
      return
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw LoopbackError(
        .cannotWrite, place: path,
        message: "the script cannot be written there (\(String(cString: strerror(errno))))",
        remedy: "name a file in a directory that you may write to")
    }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      output = .file(descriptor)
    } else {
      output = .stream(
        descriptor,
        try LineWriter(descriptor, name: "script", capacity: Self.waiting) {
          "{\"entry\":\"unwritten\",\"count\":\($0)}"
        })
    }
  }

  deinit {
    switch output {
    case .none: break
    case .file(let descriptor):
      flush()
      close(descriptor)
    case .stream(let descriptor, let writer):
      if writer.close(within: .seconds(1)) { close(descriptor) }
    }
  }

  var isRecording: Bool {
    if case .none = output { capacity > 0 } else { true }
  }

  func record(_ entry: ScriptEntry) {
    if capacity > 0 {
      if entries.count < capacity { entries.append(entry) } else { dropped += 1 }
    }
    switch output {
    case .none: break
    case .stream(_, let writer): writer.write(entry.json)
    case .file:
      unwritten.append(contentsOf: entry.json.utf8)
      unwritten.append(UInt8(ascii: "\n"))
      if unwritten.count >= Self.chunk { flush() }
    }
  }

  /// Writes buffered entries. On a full disk the rest of the script is lost; the service continues.
  func flush() {
    guard case .file(let file) = output else { return }
    var rest = unwritten[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { break }
      rest = rest.dropFirst(written)
    }
    unwritten.removeAll(keepingCapacity: true)
  }
}
