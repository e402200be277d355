import Glibc

extension StoreFile {
  /// Why there is no room to write one page more, as an `errno`; `nil` when there is.
  ///
  /// Asked when SQLite says no more than that a write failed: it forgets what the system said to it in a commit.
  var lackOfRoom: Int32? {
    let page = 8192
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max {
      for path in [path, walPath, sharedMemoryPath] {
        var status = stat()
        if stat(path, &status) == 0, UInt64(max(0, status.st_size)) + UInt64(page) > UInt64(limit.rlim_cur) {
          return EFBIG
        }
      }
    }
    var system = statvfs()
    if statvfs(path, &system) == 0, UInt64(system.f_bavail) * UInt64(system.f_frsize) < UInt64(page) {
      return ENOSPC
    }
    return nil
  }
}
