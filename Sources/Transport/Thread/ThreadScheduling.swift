import CLinux
import Glibc
import Measurement

/// How the kernel gives the calling thread its turns, as far as nobody has decided that from outside: a process that was
/// started niced, or under another policy (chrt), keeps what it was given.
enum ThreadScheduling {
  /// The length of a short turn, a tenth of the usual: with all cores busy, the difference between 50 µs and 3 ms of
  /// waking late.
  private static let short = Duration.microseconds(100)

  static var areUndecided: Bool { clinux_policy() == clinux_usual_turns && clinux_niceness() <= 0 }

  /// Puts the calling thread before all usual threads.
  /// - Returns: whether the process may.
  static func goFirst() -> Bool { clinux_set_turns(UInt32(clinux_first_turns), 1, 0) == 0 }

  /// Puts the calling thread among the usual threads, in short turns.
  static func goShort() { _ = clinux_set_turns(UInt32(clinux_usual_turns), 0, UInt64(short.nanoseconds)) }

  /// The CPU time that the calling thread has used.
  static var worked: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

/// Whether the timing thread goes before all usual threads of the host.
///
/// When every core is busy with what other sessions run, the usual scheduling lets a thread that wakes wait for the next
/// tick, up to 4 ms. Where the process may (root, CAP_SYS_NICE, RLIMIT_RTPRIO), the thread therefore takes the lowest of the
/// real-time priorities: it runs the moment it wakes. That is right for a thread that hardly ever works, and unfair from
/// one that works all the time: one that was busy for more than half of a while goes back among the usual ones, and comes
/// again only after ten quiet seconds.
struct ThreadPrecedence: Sendable, Equatable {
  /// The largest share of its time that a thread with precedence may work; ``quiet`` is the largest with which it
  /// gets it back.
  static let most = 0.5
  static let quiet = 0.25
  static let quietTime = Duration.seconds(10)
  /// A share of less time says little: any thread is busy when it has just woken.
  static let shortestLook = Duration.milliseconds(100)

  /// What is to be done about the thread's scheduling.
  enum Change: Sendable, Equatable {
    case give
    case take
  }

  private(set) var isHeld: Bool
  private var worked: Duration
  private var lookedAt: MonotonicTime
  private var quietSince: MonotonicTime

  /// - Parameters:
  ///   - isHeld: whether the thread has it.
  ///   - worked: the thread's CPU time so far.
  init(isHeld: Bool, worked: Duration, at now: MonotonicTime) {
    self.isHeld = isHeld
    self.worked = worked
    lookedAt = now
    quietSince = now
  }

  /// Looks at what the thread did since the last look that was long enough ago; a few times a second.
  mutating func check(worked total: Duration, at now: MonotonicTime) -> Change? {
    guard now - lookedAt >= Self.shortestLook else { return nil }
    let share = Double((total - worked).nanoseconds) / Double((now - lookedAt).nanoseconds)
    worked = total
    lookedAt = now
    if share >= Self.quiet { quietSince = now }
    if isHeld, share > Self.most {
      isHeld = false
      return .take
    }
    if !isHeld, now - quietSince >= Self.quietTime {
      isHeld = true
      return .give
    }
    return nil
  }
}
