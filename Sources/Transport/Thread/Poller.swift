import CLinux
import Glibc
import Measurement

/// The timing thread's one place to wait: epoll over the sockets of its connections, a timer on CLOCK_MONOTONIC, a descriptor that
/// tells of steps of the wall clock, and one that other threads wake it by.
struct Poller: ~Copyable {
  /// What a ready descriptor is for.
  enum Source: Equatable {
    case wake
    case timer
    case clockStep
    case socket(target: Int, fd: Int32)
  }

  struct Readiness {
    var source: Source
    /// Bytes can be read, or their end.
    var isReadable: Bool
    var isWritable: Bool
    /// The socket has an error, or stamps of what it sent: it does not say which.
    var isError: Bool
  }

  private let epoll: Int32
  private let timer: Int32
  private let clockStep: Int32
  private var armedFor: MonotonicTime?
  private let ready: UnsafeMutablePointer<clinux_ready>

  private static let wakeTag: UInt64 = 0
  private static let timerTag: UInt64 = 1
  private static let clockStepTag: UInt64 = 2

  /// - Parameter wake: an eventfd, which stays the caller's.
  init(wake: Int32) throws(TransportError) {
    epoll = clinux_epoll_create()
    timer = clinux_timerfd()
    clockStep = clinux_clock_step_fd()
    ready = .allocate(capacity: Int(clinux_most_ready))
    guard epoll >= 0, timer >= 0,
      clinux_epoll_set(epoll, EPOLL_CTL_ADD, wake, clinux_epoll_in, Self.wakeTag) == 0,
      clinux_epoll_set(epoll, EPOLL_CTL_ADD, timer, clinux_epoll_in, Self.timerTag) == 0
    else {
      throw TransportError(
        .system, "no descriptor for the timing thread: \(String(cString: strerror(errno)))")
    }
    // Without it a step of the wall clock is noticed a second later: no reason not to run.
    if clockStep >= 0 {
      _ = clinux_epoll_set(epoll, EPOLL_CTL_ADD, clockStep, clinux_epoll_in, Self.clockStepTag)
    }
  }

  deinit {
    for fd in [epoll, timer, clockStep] where fd >= 0 { close(fd) }
    ready.deallocate()
  }

  /// When the timer will fire, if it is armed.
  var deadline: MonotonicTime? { armedFor }

  /// Returns ``deadline`` and clears it, so that the next wait sets the timer anew.
  mutating func consumeDeadline() -> MonotonicTime? {
    defer { armedFor = nil }
    return armedFor
  }

  /// Waking up too early now and then costs less than a system call each time that a far deadline moves, as that of a timeout does
  /// with every answer.
  private static func earlyWake(for wait: Duration) -> Duration { max(.milliseconds(2), wait / 4) }

  private mutating func arm(for instant: MonotonicTime, at now: MonotonicTime) {
    if let armedFor, armedFor > now, armedFor <= instant,
      instant - armedFor < Self.earlyWake(for: instant - now)
    {
      return
    }
    armedFor = instant
    // 0 would disarm.
    _ = clinux_timerfd_arm(timer, max(1, instant.nanoseconds))
  }

  /// Waits until something is ready, or the instant has come; looks only, if it is over already.
  /// - Returns: how many descriptors are ready; ask ``readiness(at:)`` for each. 0 also where a signal interrupted the wait.
  mutating func wait(until instant: MonotonicTime, at now: MonotonicTime) -> Int {
    guard instant > now else { return Int(clinux_epoll_wait(epoll, ready, 0)) }
    arm(for: instant, at: now)
    return Int(clinux_epoll_wait(epoll, ready, -1))
  }

  /// One of the descriptors that the last wait found ready. Those of the timer and of clock steps are made unready by it.
  mutating func readiness(at index: Int) -> Readiness {
    let event = ready[index]
    let source = Self.source(event.tag)
    if source == .timer {
      Self.drain(timer)
      armedFor = nil
    } else if source == .clockStep {
      Self.drain(clockStep)
    }
    return Readiness(
      source: source,
      isReadable: event.events & (clinux_epoll_in | clinux_epoll_hangup) != 0,
      isWritable: event.events & clinux_epoll_out != 0, isError: event.events & clinux_epoll_error != 0)
  }

  /// Reads the eight bytes that a timerfd or an eventfd holds while it is ready.
  static func drain(_ fd: Int32) {
    var count: UInt64 = 0
    _ = read(fd, &count, 8)
  }

  // MARK: Sockets

  func watch(_ fd: Int32, target: Int, events: UInt32, isNew: Bool) -> Bool {
    let tag = UInt64(target + 1) << 32 | UInt64(UInt32(bitPattern: fd))
    return clinux_epoll_set(epoll, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, events, tag) == 0
  }

  func unwatch(_ fd: Int32) { _ = clinux_epoll_set(epoll, EPOLL_CTL_DEL, fd, 0, 0) }

  private static func source(_ tag: UInt64) -> Source {
    switch tag {
    case wakeTag: .wake
    case timerTag: .timer
    case clockStepTag: .clockStep
    default: .socket(target: Int(tag >> 32) - 1, fd: Int32(bitPattern: UInt32(truncatingIfNeeded: tag)))
    }
  }
}
