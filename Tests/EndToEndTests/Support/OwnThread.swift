import Dispatch
import Foundation
import Testing

/// Runs each test on a thread of its own, where it may block, and writes down how long it ran.
///
/// Tests that wait for programs block the thread that they run on. Swift's concurrency has as many threads as there are processors:
/// two tests that wait would hold up all others, whose time limits would count that.
struct OwnThread: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let began = ContinuousClock.now
    defer { Self.record(test, ContinuousClock.now - began) }
    try await withTaskExecutorPreference(ThreadExecutor(name: test.name)) { try await function() }
  }

  /// Appends a line of seconds and the test to the file that `scripts/test` names.
  private static func record(_ test: Test, _ time: Duration) {
    guard let path = ProcessInfo.processInfo.environment["PUSHSCOPE_TEST_TIMES"],
      let file = fopen(path, "a")
    else { return }
    fputs("\(time / .seconds(1)) \(test.id)\n", file)
    fclose(file)
  }
}

extension Trait where Self == OwnThread {
  static var ownThread: Self { Self() }
}

/// An executor that runs its jobs one after the other, on a thread that no other executor uses meanwhile.
private final class ThreadExecutor: TaskExecutor {
  private let queue: DispatchQueue

  init(name: String) { queue = DispatchQueue(label: name) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
