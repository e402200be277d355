import Foundation
import HTTPTestKit
import Testing

/// The programs of the suite: the one under test and independent ones it is compared with.
enum Programs {
  /// The binary of this build, next to the test bundle.
  static let pushscope: String = {
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (bundle as NSString).deletingLastPathComponent + "/pushscope"
  }()

  /// Python with the packages of Tests/Support/requirements.txt (`make test` sets it up).
  static let python = ProcessInfo.processInfo.environment["PUSHSCOPE_PYTHON"] ?? "python3"

  static let isContinuousIntegration = ProcessInfo.processInfo.environment["CI"] == "true"

  static func find(_ name: String) -> String? { TestServices.find(name) }

  /// Whether a test that needs a Python package can run; continuous integration never skips.
  static func hasPythonModule(_ module: String) -> Bool {
    isContinuousIntegration || (try? run(python, ["-c", "import \(module)"]).status) == 0
  }

  /// Whether a test that needs `names` can run. Continuous integration never skips: there the test runs and fails.
  static func has(_ names: String...) -> Bool {
    isContinuousIntegration || names.allSatisfy { find($0) != nil }
  }
}

/// An empty directory that is removed when the test releases it.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "pushscope-test-" + UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file that only its owner may read.
  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    let target = file(name)
    try text.write(toFile: target, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target)
    return target
  }
}
