import Glibc

/// Who else may read a secret's file, and whether that is acceptable.
///
/// The owner alone is. So is one of this process's groups where somebody else owns the file and chose so: a volume of secrets in a
/// container belongs to root, is readable by the group of the pod (0440), and its modes cannot be changed from inside. Nobody but
/// root, the owner and this user may then be able to put another file in its place.
struct SecretAccess: Sendable, Hashable {
  /// Permission bits.
  var mode: UInt32
  var owner: UInt32
  var group: UInt32
  /// The directory that the file is in, links resolved; `nil` where that is not known.
  var directory: Directory?
  /// This process's user and groups.
  var user: UInt32
  var groups: Set<UInt32>

  struct Directory: Sendable, Hashable {
    var mode: UInt32
    var owner: UInt32
    /// Whether its file system is mounted read-only, as volumes of secrets are, whatever their modes.
    var isReadOnly: Bool
  }

  /// Why the secret is not used; `nil` where it may be.
  var problem: FileReadError.Code? {
    guard mode & 0o077 != 0 else { return nil }
    guard mode & 0o077 == 0o040, owner != user, groups.contains(group), let directory else {
      return .exposed(mode: mode & 0o777)
    }
    if directory.isReadOnly { return nil }
    let isSafe = directory.mode & 0o022 == 0 && [0, user, owner].contains(directory.owner)
    return isSafe ? nil : .replaceable
  }

  private static func ownGroups() -> Set<UInt32> {
    var groups: Set<UInt32> = [getegid()]
    let count = getgroups(0, nil)
    guard count > 0 else { return groups }
    var list = [gid_t](repeating: 0, count: Int(count))
    let found = getgroups(count, &list)
    if found > 0 { groups.formUnion(list.prefix(Int(found))) }
    return groups
  }
}

extension SecretAccess {
  /// - Parameters:
  ///   - descriptor: the open file.
  ///   - status: of the file.
  init(_ descriptor: Int32, _ status: stat) {
    self.init(
      mode: status.st_mode & 0o7777, owner: status.st_uid, group: status.st_gid,
      directory: Directory(ofFile: descriptor), user: geteuid(), groups: Self.ownGroups())
  }
}

extension SecretAccess.Directory {
  /// - Returns: `nil` where it cannot be found, as of a file that is deleted.
  init?(ofFile descriptor: Int32) {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/fd/\(descriptor)", &bytes, Int(PATH_MAX))
    guard length > 0 else { return nil }
    let path = String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard let slash = path.lastIndex(of: "/") else { return nil }
    let directory = slash == path.startIndex ? "/" : String(path[..<slash])
    var status = stat()
    var system = statvfs()
    guard stat(directory, &status) == 0, statvfs(directory, &system) == 0 else { return nil }
    mode = status.st_mode & 0o7777
    owner = status.st_uid
    isReadOnly = system.f_flag & UInt(ST_RDONLY) != 0
  }
}
