import Glibc

/// Where this program keeps what it remembers of its use.
public enum StateDirectory {
  /// A file in it.
  public struct File: Sendable, Equatable {
    public let name: String
    public let path: String
    /// When it was written, in seconds since 1970.
    public let written: Double
  }

  /// `$XDG_STATE_HOME/pushscope`, by default `~/.local/state/pushscope`; `nil` without a home.
  public static func path(environment: [String: String]) -> String? {
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/pushscope" }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.local/state/pushscope"
  }

  /// The regular files of a directory, the newest first; none where it cannot be read.
  public static func files(in directory: String) -> [File] {
    guard let listing = opendir(directory) else { return [] }
    defer { closedir(listing) }
    var files: [File] = []
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      let path = "\(directory)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      let written = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
      files.append(File(name: name, path: path, written: written))
    }
    return files.sorted { ($0.written, $0.name) > ($1.written, $1.name) }
  }

  /// Removes the older ones of a directory's files whose names end the same. What cannot be removed stays.
  public static func keepNewest(_ count: Int, in directory: String, ending: String) {
    for file in files(in: directory).filter({ $0.name.hasSuffix(ending) }).dropFirst(count) {
      unlink(file.path)
    }
  }
}
