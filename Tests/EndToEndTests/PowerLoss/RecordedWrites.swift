import Foundation
import Glibc
import TestKit

/// What programs did to the files of a directory, in order, as Tests/Support/write_recorder.c recorded it.
struct RecordedWrites {
  /// A file is known by its inode, which a file that is created later may have again.
  typealias Inode = UInt64

  enum Change {
    case created(Inode, name: String)
    case written(Inode, offset: Int, bytes: Range<Int>)
    case truncated(Inode, size: Int)
    case renamed(from: String, to: String)
    case unlinked(name: String)
    /// A file, or the directory; by a descriptor that also writes to it, or by another.
    case synced(Inode, byWriter: Bool)
  }

  struct Operation {
    var change: Change
    /// CLOCK_MONOTONIC.
    var microseconds: Int
  }

  let operations: [Operation]
  /// The directory's own inode.
  let directory: Inode
  private let log: [UInt8]

  subscript(bytes: Range<Int>) -> ArraySlice<UInt8> { log[bytes] }

  /// Reads what was recorded of the files that lie directly in a directory.
  /// - Parameter file: the recorder's log.
  init(of directory: TemporaryDirectory, from file: String) throws {
    let log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    var status = stat()
    guard stat(directory.path, &status) == 0 else {
      throw NeverHappened(what: directory.path, seen: "no directory")
    }
    var (operations, place): ([Operation], Int) = ([], 0)
    func name(_ bytes: ArraySlice<UInt8>) -> String {
      String(String(decoding: bytes, as: UTF8.self).dropFirst(directory.path.count + 1))
    }
    while place + Header.size <= log.count {
      let header = log.withUnsafeBytes { Header($0, at: place) }
      let bytes = place + Header.size..<place + Header.size + header.length
      place = bytes.upperBound
      let change: Change? =
        switch header.kind {
        case 1: .created(header.file, name: name(log[bytes]))
        case 2: .written(header.file, offset: header.offset, bytes: bytes)
        case 3: .truncated(header.file, size: header.offset)
        case 4:
          .renamed(
            from: name(log[bytes].prefix(header.offset)), to: name(log[bytes].dropFirst(header.offset)))
        case 5: .unlinked(name: name(log[bytes]))
        case 6: .synced(header.file, byWriter: header.offset != 0)
        default: nil
        }
      guard let change else {
        throw NeverHappened(what: "the log is whole", seen: "kind \(header.kind) at \(place)")
      }
      operations.append(Operation(change: change, microseconds: header.microseconds))
    }
    (self.log, self.operations, self.directory) = (log, operations, Inode(status.st_ino))
  }

  /// `struct record` of the recorder.
  private struct Header {
    static let size = 32
    let kind, length: Int
    let file: Inode
    let offset, microseconds: Int

    init(_ bytes: UnsafeRawBufferPointer, at place: Int) {
      kind = Int(bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
      length = Int(bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self))
      file = bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)
      offset = bytes.loadUnaligned(fromByteOffset: place + 16, as: Int.self)
      microseconds = bytes.loadUnaligned(fromByteOffset: place + 24, as: Int.self)
    }
  }
}

/// Records what programs do that are started with its environment.
struct WriteRecorder {
  static let isAvailable = Programs.has("clang") || Programs.has("cc")

  private let directory: TemporaryDirectory
  private let own: TemporaryDirectory

  /// - Parameter directory: what happens to the files in it is recorded.
  init(of directory: TemporaryDirectory) throws {
    self.directory = directory
    own = try TemporaryDirectory("recorder")
    let built = try Programs.run(
      Programs.find("clang") ?? "cc",
      [
        "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", library, Programs.scripts + "/write_recorder.c",
        "-ldl",
      ])
    guard built.status == 0 else { throw NeverHappened(what: "the recorder is built", seen: built.error) }
  }

  private var library: String { own.file("write_recorder.so") }
  private var log: String { own.file("log") }

  var environment: [String: String] {
    ["LD_PRELOAD": library, "RECORDER_BELOW": directory.path, "RECORDER_LOG": log]
  }

  /// What was recorded; call when the programs have ended.
  func recorded() throws -> RecordedWrites { try RecordedWrites(of: directory, from: log) }
}
