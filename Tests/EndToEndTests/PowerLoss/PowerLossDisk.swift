import Foundation
import Measurement
import TestKit

/// A disk to which recorded operations are done one after the other, and what may be on it when the power fails in between.
///
/// What was written to a file since it was last synced may be there or not: none or all of it, the beginning, or any of its sectors of
/// 512 bytes in any order. A name that was made, changed or removed may still be as it was when the directory was last synced.
struct PowerLossDisk {
  private static let sector = 512

  /// Numbers of files; an inode is of one file at a time.
  private typealias File = Int

  private enum FileChange {
    case write(offset: Int, bytes: Range<Int>)
    case truncate(size: Int)
  }

  private struct Content {
    var synced: [UInt8] = []
    var pending: [FileChange] = []
  }

  private enum NameChange {
    case add(String, File)
    case move(String, String)
    case remove(String)
  }

  private let record: RecordedWrites
  private var files: [Content] = []
  private var numbers: [RecordedWrites.Inode: File] = [:]
  private var names: [String: File] = [:]
  private var pendingNames: [NameChange] = []

  init(_ record: RecordedWrites) { self.record = record }

  mutating func apply(_ operation: RecordedWrites.Operation) {
    switch operation.change {
    case .created(let inode, let name):
      numbers[inode] = files.count
      pendingNames.append(.add(name, files.count))
      files.append(Content())
    case .written(let inode, let offset, let bytes):
      if let file = numbers[inode] { files[file].pending.append(.write(offset: offset, bytes: bytes)) }
    case .truncated(let inode, let size):
      if let file = numbers[inode] { files[file].pending.append(.truncate(size: size)) }
    case .renamed(let from, let to): pendingNames.append(.move(from, to))
    case .unlinked(let name): pendingNames.append(.remove(name))
    case .synced(let inode, _) where inode == record.directory:
      Self.apply(pendingNames[...], to: &names)
      pendingNames = []
    case .synced(let inode, _):
      guard let file = numbers[inode] else { return }
      for change in files[file].pending { apply(change, to: &files[file].synced) }
      files[file].pending = []
    }
  }

  /// Writes what the disk may have now into a directory.
  /// - Parameter name: the store's; other files are left out, and the shared memory, which SQLite builds anew.
  func fail(into directory: String, store name: String, using generator: inout SeededGenerator) throws {
    var found = names
    Self.apply(pendingNames.prefix(Int.random(in: 0...pendingNames.count, using: &generator)), to: &found)
    for (entry, file) in found where entry.hasPrefix(name) && !entry.hasSuffix("-shm") {
      let content = content(of: files[file], using: &generator)
      try Data(content).write(to: URL(fileURLWithPath: directory + "/" + entry))
    }
  }

  private func content(of file: Content, using generator: inout SeededGenerator) -> [UInt8] {
    var content = file.synced
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: break
    case 1: file.pending.forEach { apply($0, to: &content) }
    case 2, 3:
      let whole = Int.random(in: 0...file.pending.count, using: &generator)
      file.pending.prefix(whole).forEach { apply($0, to: &content) }
      if whole < file.pending.count {
        tear(file.pending[whole], share: 50, into: &content, using: &generator)
      }
    default:
      let share = generator.pick([5, 50, 95])
      for change in file.pending.shuffled(using: &generator) where generator.chance(share) {
        tear(change, share: share, into: &content, using: &generator)
      }
    }
    return content
  }

  private func apply(_ change: FileChange, to content: inout [UInt8]) {
    switch change {
    case .write(let offset, let bytes): write(bytes, at: offset, to: &content)
    case .truncate(let size): resize(&content, to: size)
    }
  }

  /// Applies some of a write's sectors.
  private func tear(
    _ change: FileChange, share: Int, into content: inout [UInt8], using generator: inout SeededGenerator
  ) {
    guard case .write(let offset, let bytes) = change else { return apply(change, to: &content) }
    var place = offset
    while place < offset + bytes.count {
      let end = min((place / Self.sector + 1) * Self.sector, offset + bytes.count)
      let part = bytes.lowerBound + place - offset..<bytes.lowerBound + end - offset
      if generator.chance(share) { write(part, at: place, to: &content) }
      place = end
    }
  }

  private func write(_ bytes: Range<Int>, at offset: Int, to content: inout [UInt8]) {
    if content.count < offset + bytes.count { resize(&content, to: offset + bytes.count) }
    content.replaceSubrange(offset..<offset + bytes.count, with: record[bytes])
  }

  private func resize(_ content: inout [UInt8], to size: Int) {
    if size < content.count {
      content.removeLast(content.count - size)
    } else {
      content.append(contentsOf: repeatElement(0, count: size - content.count))
    }
  }

  private static func apply(_ changes: ArraySlice<NameChange>, to names: inout [String: File]) {
    for change in changes {
      switch change {
      case .add(let name, let file): names[name] = file
      case .move(let from, let to): names[to] = names.removeValue(forKey: from)
      case .remove(let name): names[name] = nil
      }
    }
  }
}
