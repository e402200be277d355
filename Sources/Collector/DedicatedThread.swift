import CLinux
import Glibc
import Measurement

/// A real thread for work that blocks or keeps time. Tasks would do neither well: their pool has a thread a core, and
/// whoever blocks one takes it from everybody.
enum DedicatedThread {
  /// Starts a detached thread that runs `body` to its end.
  /// - Parameter name: at most 15 bytes; shown by ps and top.
  static func start(name: String, _ body: sending @escaping () -> Void) {
    let box = Unmanaged.passRetained(Start(name: name, body: body))
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { pthread_attr_destroy(&attributes) }
    let status = pthread_create(&thread, &attributes, enter, box.toOpaque())
    precondition(status == 0, "the system has no thread left (pthread_create: \(status))")
  }

  private final class Start {
    let name: String
    let body: () -> Void

    init(name: String, body: @escaping () -> Void) {
      self.name = name
      self.body = body
    }
  }

  private static let enter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    pointer in
    guard let pointer else { return nil }
    let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
    _ = clinux_name_thread(start.name)
    // Signals are for the thread that waits for them.
    _ = clinux_block_signals()
    start.body()
    return nil
  }
}

/// What a thread waits on between two rounds of its work: ends the wait when it is raised or when the time is over.
///
/// The time is CLOCK_MONOTONIC's. Dispatch's semaphores wait on the wall clock on Linux, so that setting it back by an
/// hour makes a wait of a quarter of a second last an hour.
final class WakeSignal: @unchecked Sendable {
  // Unchecked: `isRaised` is only touched with the mutex held, and the pointers never change.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isRaised = false

  init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    condition.initialize(to: pthread_cond_t())
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Ends the wait that is under way, or the next one.
  func raise() {
    pthread_mutex_lock(mutex)
    isRaised = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Returns once it was raised since the last wait, or when `interval` is over.
  func wait(atMost interval: Duration) {
    let deadline = SystemClock().monotonicNow() + max(.zero, min(interval, .seconds(86_400)))
    var time = timespec(
      tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
    pthread_mutex_lock(mutex)
    while !isRaised, pthread_cond_timedwait(condition, mutex, &time) == 0 {}
    isRaised = false
    pthread_mutex_unlock(mutex)
  }
}
