import Findings
import Foundation
import Measurement
import TestKit
import TestTraits
import Testing

/// Causes, played by real services and met by a real collector: stamps, PINGs and states are those of a run, what is
/// said is what the collector wrote while it recorded, and the verdict is the right one, with the right name.
@Suite("Causes of a change, end to end", .ownThread, .serialized)
struct CauseTests {
  /// Makes cases longer, for a quieter look at one.
  private static let seconds = ProcessInfo.processInfo.environment["PUSHSCOPE_CAUSE_SECONDS"].flatMap {
    Double($0)
  }
  /// A young series has a reference after a quarter of a minute; the older half of what was recorded is in it.
  private static let pace = CauseInstallation.Pace(
    quiet: 30 + 2 * (seconds ?? 8), episode: seconds ?? 8, after: 4, rate: 30)
  /// How many are played at the same time: more would be in each other's way on two cores. Three take nearly all of two slow ones.
  private static let together = TestLength.isLong ? 2 : 3
  /// How often a case is played before what was said about it counts. This machine has other things to do, too, and every
  /// disturbance of its own is a change that a collector may find.
  private static let attempts = 3

  @Test("one right verdict for each", .timeLimit(.minutes(40)))
  func verdicts() async throws {
    let watch = MachineWatch()
    defer { watch.stop() }
    var open = TestLength.isLong ? CauseCase.all : CauseCase.short
    var problems: [(name: String, problem: Problem)] = []
    for attempt in 1...Self.attempts where !open.isEmpty {
      problems = try await Self.play(open, attempt: attempt, watch)
      for (name, problem) in problems { print("\(name), attempt \(attempt): \(problem)") }
      open = open.filter { instance in problems.contains { $0.name == instance.name } }
    }
    // Of a machine that was busy each time, no more is asked than that all programs end well.
    for (name, problem) in problems where !problem.isDisturbed { Issue.record("\(name): \(problem)") }
  }

  /// What is wrong with what was said about a case.
  private struct Problem: CustomStringConvertible {
    var description: String
    /// Whether the machine stood still meanwhile.
    var isDisturbed: Bool
  }

  private static func play(
    _ cases: [CauseCase], attempt: Int, _ watch: MachineWatch
  ) async throws -> [(name: String, problem: Problem)] {
    var waiting = cases[...]
    return try await withThrowingTaskGroup(of: (name: String, problem: Problem?).self) { group in
      func addNext() {
        guard let instance = waiting.popFirst() else { return }
        group.addTask {
          (instance.name, try await onThreadOfItsOwn { try problem(of: instance, attempt: attempt, watch) })
        }
      }
      for _ in 0..<together { addNext() }
      var found: [(name: String, problem: Problem)] = []
      while let (name, problem) = try await group.next() {
        if let problem { found.append((name, problem)) }
        addNext()
      }
      return found
    }
  }

  /// Plays a case and compares what was said with what is right.
  private static func problem(of instance: CauseCase, attempt: Int, _ watch: MachineWatch) throws -> Problem?
  {
    let installation = try CauseInstallation(instance, pace: pace)
    let episode = try installation.play(seed: 20 + attempt)
    let expected = Set(instance.expected)
    // What it is compared with, and the receipts after it, count as well.
    let isCalm = watch.wasCalm(
      from: episode.lowerBound - pace.quiet, to: episode.upperBound + pace.after)
    func problem(_ words: String) -> Problem { Problem(description: words, isDisturbed: !isCalm) }

    let verdicts = try installation.verdicts()
    let byRows = verdicts.map { CauseCase.Expectation(cause: $0.cause.rawValue, scope: $0.scope) }
    guard counted(byRows, instance) == expected else {
      return problem("by its rows: \(verdicts.map(words)), not \(instance.expected)")
    }
    // A start is known to some bins of a second.
    let findings = try installation.findings().filter { (-1.5..<pace.episode).contains($0.after) }
    guard !findings.isEmpty else { return problem("it was not found") }
    // Of a finding that begins a second late, a part may stay undecided; what is decided is right.
    let said = counted(findings.flatMap(\.causes), instance)
    guard expected.isSubset(of: said), said.filter(\.isDecided).isSubset(of: expected) else {
      return problem("as found: \(findings), not \(instance.expected)")
    }
    return nil
  }

  /// Tests run beside others: where the machine is busy, this host does stall now and then, and that is said.
  private static func counted(
    _ said: [CauseCase.Expectation], _ instance: CauseCase
  ) -> Set<CauseCase.Expectation> {
    Set(said.filter { instance.isStalling || $0.cause != Cause.host.rawValue })
  }

  private static func words(_ verdict: Verdict) -> String {
    "\(verdict.cause.rawValue) \(verdict.scope ?? "") (\(verdict.evidence)) on \(verdict.targets.joined(separator: ", "))"
  }

  /// Does blocking work without taking a thread from other tests.
  private static func onThreadOfItsOwn<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: work)) }
    }
  }
}
