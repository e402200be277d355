import Glibc

/// How this process takes signals that mean the same to every command. What ends a command in order is
/// ``StopRequest``'s; the dashboard's screen has signals of its own beside these.
enum ProcessSignals {
  /// Ignores what would end a command by accident. To be called once, before anything else.
  ///
  /// - SIGPIPE and SIGXFSZ: a reader that has seen enough (`| head`) is not an error worth a signal, nor is a file that may
  ///   not grow: the write fails, and whoever wrote says so.
  /// - SIGUSR1, SIGUSR2 and SIGALRM mean nothing to pushscope, and their default is to kill.
  static func ignoreStrays() {
    for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM] { signal(number, SIG_IGN) }
  }

  /// Whether a signal was ignored when the process began, as SIGHUP is under `nohup`; whoever asked for that means it.
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
