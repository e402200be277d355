import Glibc

/// The file that this process was started from.
public enum OwnProgram {
  /// Its path, or the kernel's link to it where the file was replaced or removed meanwhile.
  public static var path: String {
    let link = "/proc/self/exe"
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &bytes, bytes.count - 1)
    guard count > 0 else { return link }
    let path = String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return access(path, X_OK) == 0 ? path : link
  }
}
