/// What Swift's runtime is to write when a process crashes.
public enum CrashReportOptions {
  /// The variable that the runtime reads at the start of a process.
  public static let variable = "SWIFT_BACKTRACE"

  /// A report of where the crashing thread was: no registers and no memory, which may hold secrets, and no question on the terminal.
  /// - Parameters:
  ///   - frames: how many at most.
  ///   - output: `stderr`, or a directory with a slash at its end.
  public static func text(frames: Int, output: String) -> String {
    "enable=yes,interactive=no,color=no,threads=crashed,registers=none,images=none,sanitize=yes,limit=\(frames),"
      + "warnings=suppressed,output-to=\(output)"
  }
}
