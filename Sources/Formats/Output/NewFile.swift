import Glibc

/// A file that did not exist before: whatever is there already is left alone.
public final class NewFile: ByteSink {
  /// Its name without the directory.
  public let name: String
  public let path: String
  private let descriptor: Int32
  private let sink: FileDescriptorSink
  private var isFinished = false

  /// Creates `STEM.EXTENSION` in a directory, or `STEM-2.EXTENSION` and so on where that is taken.
  public init(in directory: String, stem: String, extension suffix: String) throws(OutputError) {
    var number = 1
    while true {
      let name = number == 1 ? "\(stem).\(suffix)" : "\(stem)-\(number).\(suffix)"
      let path = directory.isEmpty ? name : "\(directory)/\(name)"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 {
        self.name = name
        self.path = path
        self.descriptor = descriptor
        sink = FileDescriptorSink(descriptor: descriptor, name: path)
        return
      }
      guard errno == EEXIST, number < Self.mostNumbers else { throw OutputError(errno: errno, name: path) }
      number += 1
    }
  }

  private static let mostNumbers = 1_000

  public func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) { try sink.write(bytes) }

  /// Keeps it; one that was not finished goes away with this object.
  public func finish() throws(OutputError) {
    guard fsync(descriptor) == 0 else { throw OutputError(errno: errno, name: path) }
    isFinished = true
  }

  deinit {
    close(descriptor)
    if !isFinished { unlink(path) }
  }
}
