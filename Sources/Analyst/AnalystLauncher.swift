import CLinux
import Glibc
import Threads

/// How the analyst's process is started: this program once more, with a hidden command.
struct AnalystLauncher: Sendable {
  /// The hidden command of `pushscope`.
  static let name = "analyst"
  /// Environment variables that are passed on. Those that a configuration names hold secrets, and are not among them.
  private static let passed = [
    "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "LD_PRELOAD", "PATH", "TMPDIR", "TZ",
  ]
  private static let backtrace =
    "\(CrashReportOptions.variable)=\(CrashReportOptions.text(frames: 16, output: "stderr"))"

  /// `nil`: this program, as it is when a process is started.
  private let program: String?
  private let arguments: [String]
  private let environment: [String]

  /// - Parameters:
  ///   - environment: the collector's.
  ///   - program: what is run; this program by default.
  init(
    environment: [String: String], program: String? = nil,
    arguments: [String] = [AnalystLauncher.name]
  ) {
    self.program = program
    self.arguments = arguments
    var passed = Self.passed
    #if DEBUG
      passed.append("PUSHSCOPE_TEST_FAULT")
    #endif
    self.environment =
      passed.compactMap { name in environment[name].map { "\(name)=\($0)" } } + [Self.backtrace]
  }

  /// - Throws: ``ThreadError`` when the system has no process or descriptor left.
  func spawn() throws(ThreadError) -> clinux_analyst {
    var child = clinux_analyst()
    let code = CStringArray.with([program ?? OwnProgram.path] + arguments) { arguments in
      CStringArray.with(environment) {
        clinux_spawn_analyst(arguments, $0, DescriptorLimit.inherited, &child)
      }
    }
    guard code == 0 else { throw ThreadError("cannot start the analyst's process", code: code) }
    return child
  }
}
