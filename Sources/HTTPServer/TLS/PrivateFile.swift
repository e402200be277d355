import Glibc

/// Writes files whose mode matters, whole or not at all.
public enum PrivateFile {
  /// Makes the directory and its parents, 0700, unless it is there.
  public static func makeDirectory(_ path: String) throws(HTTPServerError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += part
      if mkdir(made, 0o700) != 0, errno != EEXIST { throw failure(made, "cannot be made") }
      made += "/"
    }
  }

  /// - Parameter mode: 0600 for what only the owner may read.
  ///
  /// Writes beside the file and renames, so that a reader never sees half of it and the mode holds from the start.
  public static func write(_ text: String, to path: String, mode: mode_t) throws(HTTPServerError) {
    let partial = path + ".new"
    unlink(partial)
    let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard file >= 0 else { throw failure(partial, "cannot be written") }
    // The umask may have taken bits away that readers of a public file need.
    fchmod(file, mode)
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let written = bytes[done...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else {
        let problem = failure(partial, "cannot be written")
        close(file)
        unlink(partial)
        throw problem
      }
      done += written
    }
    guard close(file) == 0, rename(partial, path) == 0 else { throw failure(path, "cannot be written") }
  }

  private static func failure(_ path: String, _ what: String) -> HTTPServerError {
    HTTPServerError(
      .write, place: path, message: "\(what) (\(String(cString: strerror(errno))))",
      remedy: "choose a directory that you may write to (--credentials)")
  }
}
