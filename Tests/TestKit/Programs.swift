import Foundation

/// Programs that tests start: the one under test, and independent ones that it is compared with.
public enum Programs {
  private static let environment = ProcessInfo.processInfo.environment

  /// Continuous integration never skips: there a test whose program is missing runs and fails.
  public static let isContinuousIntegration = environment["CI"] == "true"

  /// The repository.
  public static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// The directory of scripts that tests of several rooms share.
  public static let scripts = repository + "/Tests/Support"

  /// `scripts/bootstrap` unpacks programs that belong to services (nginx, nghttpx, prosody) here, since installing their
  /// packages would start the services. Where the system has them, the system's are used.
  private static let services = repository + "/.build/services"

  /// The binary of this build, next to the test bundle.
  public static let pushscope: String = {
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (bundle as NSString).deletingLastPathComponent + "/pushscope"
  }()

  /// `PUSHSCOPE_PYTHON`, which has the packages of Tests/Support/requirements.txt (`make test` sets it up), or the system's.
  public static let python = environment["PUSHSCOPE_PYTHON"] ?? find("python3") ?? "python3"

  /// Where a program is: among the unpacked services, in the PATH, or in the system's directories for daemons.
  /// - Parameter name: a name, or a path that is returned as it is.
  public static func find(_ name: String) -> String? {
    let manager = FileManager.default
    if name.contains("/") { return manager.isExecutableFile(atPath: name) ? name : nil }
    let path = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return ([services + "/bin"] + path + ["/usr/sbin", "/usr/local/sbin", "/sbin"]).map { "\($0)/\(name)" }
      .first(where: manager.isExecutableFile(atPath:))
  }

  /// A file or directory below `/usr`, unpacked or of the system.
  public static func resource(_ path: String) -> String? {
    ["\(services)/root\(path)", path].first { FileManager.default.fileExists(atPath: $0) }
  }

  /// Whether a test that needs `names` can run.
  public static func has(_ names: String...) -> Bool {
    isContinuousIntegration || names.allSatisfy { find($0) != nil }
  }

  /// Whether a test that needs Prosody with the modules for UnifiedPush can run.
  public static let hasUnifiedPush =
    isContinuousIntegration || resource("/usr/lib/prosody/modules/mod_unified_push") != nil
    || resource("/usr/lib/prosody/modules/mod_unified_push.lua") != nil

  /// What a program that has ended left behind.
  public struct Outcome: Sendable {
    /// 128 + n for signal n.
    public var status: Int32
    public var output: String
    public var error: String

    /// One value for each line of JSON on standard output.
    public func jsonLines<Line: Decodable>(as type: Line.Type) throws -> [Line] {
      try output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }
  }

  /// Runs a program to its end; blocks the thread.
  /// - Parameter input: its standard input.
  /// - Throws: ``NeverHappened`` when it cannot be started, or is killed because the time limit has passed.
  @discardableResult
  public static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], input: String = "",
    within limit: Duration = eventuallyLimit
  ) throws -> Outcome {
    let process = try RunningProcess(program, arguments, environment: environment, input: .text(input))
    let status = try process.waitForExit(within: limit)
    return Outcome(status: status, output: process.standardOutput, error: process.standardError)
  }

  /// The same without blocking a thread.
  public static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], input: String = "",
    within limit: Duration = eventuallyLimit
  ) async throws -> Outcome {
    let process = try RunningProcess(program, arguments, environment: environment, input: .text(input))
    let status = try await eventually("\(program) ends", within: limit, seen: { process.standardError }) {
      process.outcome()
    }
    return Outcome(status: status, output: process.standardOutput, error: process.standardError)
  }
}
