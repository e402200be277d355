import CLinux
import Glibc
import Measurement
import Store
import Synchronization

/// Runs the recorder on a thread of its own until the run is closed.
final class RecorderThread: Sendable {
  private struct End {
    var result: Result<RecorderStatistics, any Error>?
    var waiter: CheckedContinuation<RecorderStatistics, any Error>?
  }

  private let end = Mutex(End())

  /// - Parameters:
  ///   - make: makes the recorder, on its thread.
  ///   - onTrouble: told when a commit fails and when one succeeds again (`nil`); on the recorder's thread.
  ///   - onFailure: told when recording has ended because it cannot go on: nothing that is sent from then on would be
  ///     recorded.
  init(
    inbox: RecorderInbox, clock: any HostClock, make: @escaping @Sendable () -> Recorder,
    onTrouble: @escaping @Sendable ((any Error)?) -> Void,
    onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    DedicatedThread.start(name: "recorder") { [self] in
      let recorder = make()
      let result = Result { try Self.run(recorder, inbox: inbox, clock: clock, onTrouble: onTrouble) }
      if case .failure(let error) = result {
        recorder.fail()
        onFailure(error)
      }
      finish(result)
    }
  }

  /// Waits for the end of the run's record.
  /// - Throws: the store's error when what was left could not be committed.
  func finished() async throws -> RecorderStatistics {
    try await withCheckedThrowingContinuation { waiter in
      let result = end.withLock { end in
        if end.result == nil { end.waiter = waiter }
        return end.result
      }
      if let result { waiter.resume(with: result) }
    }
  }

  private func finish(_ result: Result<RecorderStatistics, any Error>) {
    let waiter = end.withLock { end in
      end.result = result
      return end.waiter
    }
    waiter?.resume(with: result)
  }

  private static func run(
    _ recorder: Recorder, inbox: RecorderInbox, clock: any HostClock, onTrouble: ((any Error)?) -> Void
  ) throws -> RecorderStatistics {
    var isInTrouble = false
    while true {
      do {
        let outcome = try recorder.round()
        if isInTrouble { onTrouble(nil) }
        isInTrouble = false
        switch outcome {
        case .closed: return recorder.statistics
        case .pause(let interval): pause(interval)
        case .wait(let interval): inbox.wait(atMost: interval)
        }
      } catch let error as StoreError where error.isTransient {
        if !isInTrouble { onTrouble(error) }
        isInTrouble = true
        if let closing = inbox.closing, clock.monotonicNow() > closing.lastTry { throw error }
        pause(Recorder.retryInterval)
      }
    }
  }

  /// Lets things gather for a while, whatever the inbox says.
  private static func pause(_ interval: Duration) {
    let (seconds, attoseconds) = interval.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    nanosleep(&time, nil)
  }
}
