import Foundation
import Glibc
import Measurement
import Threads

/// Reports of crashes of the dashboard, in `$XDG_STATE_HOME/pushscope/crashes`: where it crashed, without what was in memory.
enum CrashReports {
  /// How many are kept.
  private static let kept = 10

  /// Has this program begin anew, with what Swift's runtime must find in the environment at its start. Returns where that is done
  /// already, where the user has set it otherwise, and where it is not possible.
  static func begin() {
    let environment = ProcessEnvironment.all
    guard environment[CrashReportOptions.variable] == nil, let directory = directory(environment),
      let program = CommandLine.arguments.first
    else { return }
    StateDirectory.keepNewest(kept, in: directory, ending: ".log")
    setenv("PUSHSCOPE_CRASH_REPORTS", directory, 1)
    setenv(CrashReportOptions.variable, CrashReportOptions.text(frames: 32, output: directory + "/"), 1)
    // By its own name, which the report has.
    _ = CStringArray.with([program] + ProcessArguments.all) { execv(OwnProgram.path, $0) }
    // It goes on without reports.
    unsetenv("PUSHSCOPE_CRASH_REPORTS")
    unsetenv(CrashReportOptions.variable)
  }

  private static func directory(_ environment: [String: String]) -> String? {
    guard let base = StateDirectory.path(environment: environment) else { return nil }
    let directory = base + "/crashes"
    // The backtracer's options are separated by commas.
    guard !directory.contains(","), directory.utf8.count < 256 else { return nil }
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      return nil
    }
    return directory
  }
}
