import Dispatch
import Foundation
import Glibc
import Synchronization
public import Testing

/// Runs each test on a thread of its own, where it may block, and writes down how long it ran.
///
/// Tests that wait for programs or clocks block the thread that they run on. Swift's concurrency has as many threads as there are
/// processors: two tests that wait would hold up all others, whose time limits would count that.
public struct OwnThread: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let executor = ThreadExecutor(name: test.name)
    try await withTaskExecutorPreference(executor) {
      let began = ContinuousClock.now
      defer { Self.record(test, ContinuousClock.now - began, processor: executor.processorTime) }
      try await function()
    }
  }

  /// Appends a line to the file that `scripts/test` names: seconds, how many of them its thread computed, and the test.
  private static func record(_ test: Test, _ time: Duration, processor: Duration) {
    guard let path = ProcessInfo.processInfo.environment["PUSHSCOPE_TEST_TIMES"],
      let file = fopen(path, "a")
    else { return }
    fputs("\(time / .seconds(1)) \(processor / .seconds(1)) \(test.id)\n", file)
    fclose(file)
  }
}

extension Trait where Self == OwnThread {
  /// See ``OwnThread``.
  public static var ownThread: Self { Self() }
}

/// An executor that runs its jobs one after the other, on a thread that no other executor uses meanwhile.
private final class ThreadExecutor: TaskExecutor {
  private struct ProcessorTime {
    var ofEndedJobs = Duration.zero
    /// The thread's time when the job began that runs now.
    var jobBegan = Duration.zero
  }

  private let queue: DispatchQueue
  private let processor = Mutex(ProcessorTime())

  init(name: String) { queue = DispatchQueue(label: name) }

  /// How long its jobs have computed so far, asked by one of them; what other threads did for them is not in it.
  var processorTime: Duration { processor.withLock { $0.ofEndedJobs + Self.threadTime() - $0.jobBegan } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in
      processor.withLock { $0.jobBegan = Self.threadTime() }
      job.runSynchronously(on: asUnownedTaskExecutor())
      processor.withLock { $0.ofEndedJobs += Self.threadTime() - $0.jobBegan }
    }
  }

  private static func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
