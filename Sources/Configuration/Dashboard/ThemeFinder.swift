/// Finds the file of a theme.
public enum ThemeFinder {
  /// Whether the text names a file rather than a theme: there is a slash in it, or it ends like one.
  public static func isFile(_ text: String) -> Bool {
    text.contains("/") || text.hasSuffix(".yaml") || text.hasSuffix(".yml")
  }

  /// Where themes are looked for by name when there is no configuration: the user's own, then the system's.
  public static func defaultDirectories(environment: [String: String]) -> [String] {
    PushscopeConfiguration.defaultPaths(environment: environment).map { directory(of: $0) + "/themes" }
  }

  /// The files that a theme of this name may be in, in the order to try.
  public static func candidates(for name: String, in directories: [String]) -> [String] {
    // A name is a name: it leads nowhere else.
    guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/") else { return [] }
    return directories.flatMap { ["\($0)/\(name).yaml", "\($0)/\(name).yml"] }
  }

  /// The directory a file is in.
  public static func directory(of file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "." }
    return slash == file.startIndex ? "/" : String(file[..<slash])
  }
}
