import Foundation

/// Programs that belong to services (nginx, nghttpx, prosody): `scripts/bootstrap` unpacks them below `.build/services`, since
/// installing their packages would start the services. Where the system has them, the system's are used.
public enum TestServices {
  private static let directory = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent(".build/services").path

  /// Where a program is: below `.build/services`, in the PATH, or in the system's folders for daemons.
  public static func find(_ name: String) -> String? {
    if name.contains("/") { return FileManager.default.isExecutableFile(atPath: name) ? name : nil }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders =
      [directory + "/bin"] + path.split(separator: ":").map(String.init)
      + ["/usr/sbin", "/usr/local/sbin", "/sbin"]
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// A file or folder below `/usr`, unpacked or of the system.
  public static func resource(_ path: String) -> String? {
    ["\(directory)/root\(path)", path].first { FileManager.default.fileExists(atPath: $0) }
  }

  public static let hasUnifiedPush =
    resource("/usr/lib/prosody/modules/mod_unified_push") != nil
    || resource("/usr/lib/prosody/modules/mod_unified_push.lua") != nil
}
