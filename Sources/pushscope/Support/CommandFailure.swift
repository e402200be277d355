/// Exit codes that scripts rely on (sysexits(3) where it has one).
enum ExitStatus: Int32 {
  case failed = 1
  case usage = 64
  case noInput = 66
  case unavailable = 69
  case cannotCreate = 73
  case configuration = 78
  case threshold = 99
  /// The reader of our output went away: quiet, and no failure of ours.
  case brokenPipe = 0
}

/// What ends a command: a sentence that says what is wrong, where and what to do, and the exit code.
struct CommandFailure: Error {
  var message: String
  var exitStatus: ExitStatus

  init(_ message: String, exitStatus: ExitStatus) {
    self.message = message
    self.exitStatus = exitStatus
  }
}
