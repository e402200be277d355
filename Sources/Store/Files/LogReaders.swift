import Glibc

/// Finds who reads old states of a store, by SQLite's locks on the index of the write-ahead log (the file `-shm`).
///
/// The file is never opened for this: closing it would release the locks that SQLite itself has on it in this process. SQLite's
/// own descriptor is used, which is open for as long as the store is.
enum LogReaders {
  /// Layout of the index (SQLite's file format, 4.3): the last frame in the header, then the marks of five readers and a byte
  /// to lock for each. The first mark is that of readers who need nothing of the log.
  private static let lastFrameOffset = 16
  private static let marksOffset = 100
  private static let checkpointLock: off_t = 121
  private static let firstReaderLock: off_t = 123
  private static let readers = 5

  /// The process that reads the oldest state that is kept in the log, or that keeps checkpoints from beginning.
  static func oldest(of file: StoreFile) -> Int32? {
    guard let index = FileIdentity(path: file.sharedMemoryPath), let descriptor = descriptor(of: index) else {
      return nil
    }
    var head = [UInt8](repeating: 0, count: marksOffset + 4 * readers)
    guard pread(descriptor, &head, head.count, 0) == head.count else { return nil }
    func word(at offset: Int) -> UInt32 {
      head.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }
    let last = word(at: lastFrameOffset)
    let marks = (0..<readers).map { (reader: $0, mark: $0 == 0 ? 0 : word(at: marksOffset + 4 * $0)) }
    for (reader, mark) in marks.sorted(by: { $0.mark < $1.mark }) where reader == 0 || mark < last {
      if let holder = holder(of: firstReaderLock + off_t(reader), descriptor) { return holder }
    }
    return holder(of: checkpointLock, descriptor)
  }

  /// This process's own locks are none that the kernel reports.
  private static func holder(of byte: off_t, _ descriptor: Int32) -> Int32? {
    var request = flock()
    request.l_type = Int16(F_WRLCK)
    request.l_whence = Int16(SEEK_SET)
    request.l_start = byte
    request.l_len = 1
    guard fcntl(descriptor, F_GETLK, &request) == 0, Int32(request.l_type) != F_UNLCK, request.l_pid > 0
    else { return nil }
    return request.l_pid
  }

  /// A descriptor of a file that this process has open.
  private static func descriptor(of file: FileIdentity) -> Int32? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let number = Int32(name), FileIdentity(descriptor: number) == file { return number }
    }
    return nil
  }
}
