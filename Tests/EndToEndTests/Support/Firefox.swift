import TestKit
import Testing

/// A real browser that subscribes to push (Tests/Support/firefox.py).
enum Firefox {
  static let isPossible = Programs.has("firefox-esr", "certutil", "openssl", "basenc")
  static let need: Comment =
    "skipped: no browser subscribes to push here; Debian's firefox-esr and libnss3-tools are needed (scripts/bootstrap test)"

  /// Starts the driver.
  /// - Parameters:
  ///   - before: arguments before those that every use has.
  ///   - after: arguments behind the profile's directory.
  static func start(_ before: [String] = [], in directory: TemporaryDirectory, _ after: [String]) throws
    -> RunningProcess
  {
    try RunningProcess(
      Programs.python,
      [Programs.scripts + "/firefox.py"] + before + [
        Programs.find("firefox-esr") ?? "firefox-esr", Programs.find("certutil") ?? "certutil",
        directory.file("firefox"),
      ] + after)
  }
}
