import Glibc

/// The space of the file system that a store is in.
public struct DiskSpace: Sendable, Equatable {
  /// Bytes that its users can still write.
  public var free: Int64
  public var total: Int64

  public init(free: Int64, total: Int64) { (self.free, self.total) = (free, total) }

  /// The file system's that a file is in; `nil` where the system does not say.
  fileprivate init?(of path: String) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    func bytes(_ blocks: fsblkcnt_t) -> Int64 {
      let (product, isTooLarge) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
      return isTooLarge ? .max : Int64(clamping: product)
    }
    self.init(free: bytes(status.f_bavail), total: bytes(status.f_blocks))
  }
}

extension StoreReader {
  /// The space where the store is; `nil` where the system does not say.
  public func diskSpace() -> DiskSpace? { DiskSpace(of: path) }
}

extension CollectorStore {
  /// The space where the store is; `nil` where the system does not say.
  public func diskSpace() -> DiskSpace? { DiskSpace(of: path) }
}
