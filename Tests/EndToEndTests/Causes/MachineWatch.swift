import Foundation
import Glibc
import Synchronization

/// Notes how much processor time this machine gives to who asks for it, and how late it wakes who sleeps: beside many other
/// programs it stands still for longer than what a test plays, and then nothing can be said about it.
final class MachineWatch: Sendable {
  private struct Note {
    /// Seconds since 1970.
    var time: Double
    /// Of the processor time asked for, the share given at once.
    var share: Double
    /// Seconds that it took to get it.
    var took: Double
    /// Seconds.
    var late: Double
  }

  private struct State {
    var notes: [Note] = []
    var isStopping = false
  }

  private let state = Mutex(State())
  private let ended = DispatchSemaphore(value: 0)

  /// How long it sleeps, and how much processor time it takes then, seconds.
  private static let (pause, work) = (0.05, 0.002)

  init() {
    Thread.detachNewThread { [self] in
      while !state.withLock({ $0.isStopping }) {
        let begin = Self.now(CLOCK_MONOTONIC)
        _ = poll(nil, 0, Int32(Self.pause * 1000))
        let awake = Self.now(CLOCK_MONOTONIC)
        let until = Self.now(CLOCK_THREAD_CPUTIME_ID) + Self.work
        while Self.now(CLOCK_THREAD_CPUTIME_ID) < until {}
        let took = Self.now(CLOCK_MONOTONIC) - awake
        let note = Note(
          time: Date().timeIntervalSince1970, share: min(1, Self.work / took), took: took,
          late: awake - begin - Self.pause)
        state.withLock { $0.notes.append(note) }
      }
      ended.signal()
    }
  }

  func stop() {
    state.withLock { $0.isStopping = true }
    ended.wait()
  }

  /// Whether programs got what they asked for between two times, seconds since 1970: half of the processor on average, and
  /// no wait longer than 100 ms.
  func wasCalm(from start: Double, to end: Double) -> Bool {
    let notes = state.withLock { $0.notes }.filter { (start...end).contains($0.time) }
    guard !notes.isEmpty else { return false }
    let share = notes.reduce(0) { $0 + $1.share } / Double(notes.count)
    return share >= 0.5 && notes.allSatisfy { $0.late < 0.1 && $0.share > Self.work / 0.1 }
  }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
