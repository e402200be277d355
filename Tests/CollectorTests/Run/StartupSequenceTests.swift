import Measurement
import Store
import Testing

@testable import Collector

@Suite("Start-up sequence") struct StartupSequenceTests {
  private struct Failure: Error, Equatable { var part: Int }

  private final class Journal {
    var entries: [String] = []
  }

  /// Starts three parts, of which one may fail to start or to end, and ends them as a run does.
  private static func run(failsToStart: Int? = nil, failsToEnd: Int? = nil) async -> (Journal, Failure?) {
    let journal = Journal()
    var parts = StartupSequence()
    do {
      for part in 1...3 {
        let started = try await parts.start {
          if part == failsToStart { throw Failure(part: part) }
          journal.entries.append("start \(part)")
          return part
        } end: { part, reason in
          journal.entries.append("end \(part) \(reason)")
          if part == failsToEnd { throw Failure(part: part) }
        }
        #expect(started == part)
      }
      try await parts.end(.completed)
    } catch {
      try? await parts.end(.failed)
      return (journal, error as? Failure)
    }
    return (journal, nil)
  }

  @Test("ends every part once, in reverse") func completes() async {
    let (journal, failure) = await Self.run()
    #expect(
      journal.entries == [
        "start 1", "start 2", "start 3", "end 3 completed", "end 2 completed", "end 1 completed",
      ])
    #expect(failure == nil)
  }

  @Test(
    "a part that fails to start ends those before it",
    arguments: [
      (1, []), (2, ["start 1", "end 1 failed"]),
      (3, ["start 1", "start 2", "end 2 failed", "end 1 failed"]),
    ] as [(Int, [String])])
  func failsToStart(part: Int, expected: [String]) async {
    let (journal, failure) = await Self.run(failsToStart: part)
    #expect(journal.entries == expected)
    #expect(failure == Failure(part: part))
  }

  @Test(
    "a part that fails to end tells the others that the run has failed",
    arguments: [
      (3, ["end 3 completed", "end 2 failed", "end 1 failed"]),
      (2, ["end 3 completed", "end 2 completed", "end 1 failed"]),
      (1, ["end 3 completed", "end 2 completed", "end 1 completed"]),
    ])
  func failsToEnd(part: Int, expected: [String]) async {
    let (journal, failure) = await Self.run(failsToEnd: part)
    #expect(Array(journal.entries.dropFirst(3)) == expected)
    #expect(failure == Failure(part: part))
  }
}
