import Foundation
import HTTPTestKit

/// System programs that tests use. Tests whose program is missing are skipped; with CI=true, where the bootstrap has installed
/// all of them, they run and fail.
enum Tool {
  static let isRequired = ProcessInfo.processInfo.environment["CI"] == "true"

  static func find(_ name: String) -> String? { TestServices.find(name) }

  /// Runs openssl, which must succeed.
  static func openssl(_ arguments: [String]) throws {
    guard let openssl = Tool.find("openssl") else { throw ServerProcess.Missing() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: openssl)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ServerProcess.Missing() }
  }

  static let hasNghttpd = isRequired || (find("nghttpd") != nil && find("openssl") != nil)

  static let hasNginx = isRequired || (find("nginx") != nil && find("openssl") != nil)
  static let hasNchan =
    isRequired
    || (hasNginx && Nginx.has(module: "ngx_nchan_module"))
  static let hasNghttpx = isRequired || (find("nghttpx") != nil && find("openssl") != nil)

  static let hasProsody =
    isRequired
    || (find("prosody") != nil && canImport("http_ece") && TestServices.hasUnifiedPush)

  /// The interpreter that has python-h2.
  static let python =
    ProcessInfo.processInfo.environment["PUSHSCOPE_PYTHON"] ?? find("python3") ?? "/usr/bin/python3"

  static let hasPythonH2 = canImport("h2")
  static let hasHypercorn = canImport("hypercorn")
  static let hasPyJWT = canImport("jwt")

  private static func canImport(_ module: String) -> Bool {
    if isRequired { return true }
    guard find("openssl") != nil, FileManager.default.isExecutableFile(atPath: python) else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = ["-c", "import \(module)"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// The directory of scripts that tests of several rooms share.
  static let support = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Support").path
}
