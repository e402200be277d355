import CLinux
import Glibc
import Measurement

/// How the kernel gives the calling thread its turns, as far as nobody has decided that from outside: a process that was
/// started niced, or under another policy (chrt), keeps what it was given.
enum ThreadScheduling {
  /// Of the usual length a tenth: with all cores busy, the difference between 50 µs and 3 ms of waking late.
  private static let short = Duration.microseconds(100)

  static var areUndecided: Bool { clinux_policy() == clinux_usual_turns && clinux_niceness() <= 0 }

  /// Before all usual threads.
  /// - Returns: whether the process may.
  static func goFirst() -> Bool { clinux_set_turns(UInt32(clinux_first_turns), 1, 0) == 0 }

  /// Among the usual threads, in short turns.
  static func goShort() { _ = clinux_set_turns(UInt32(clinux_usual_turns), 0, UInt64(short.nanoseconds)) }

  /// The CPU time that the calling thread has used.
  static var worked: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
