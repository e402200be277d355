import Findings
import Foundation
import TestKit
import Testing

/// Each cause, played by real services and met by a real collector: stamps, PINGs and states are those of a run, what is
/// said is what the collector wrote while it recorded, and the verdict is the right one, with the right name.
@Suite("Causes of a change, end to end", .serialized)
struct CauseTests {
  /// Makes cases longer, for a quieter look at one.
  private static let seconds = ProcessInfo.processInfo.environment["PUSHSCOPE_CAUSE_SECONDS"].flatMap {
    Double($0)
  }
  private static let pace = CauseStation.Pace(
    episode: seconds ?? 4, quiet: (seconds ?? 4) + 2, rate: 25)

  @Test(
    "one right verdict for each", .timeLimit(.minutes(20)),
    arguments: [("first", CauseCase.first, 21), ("second", CauseCase.second, 22)])
  func verdicts(series: String, cases: [CauseCase], seed: Int) throws {
    let station = try CauseStation(cases, pace: Self.pace)
    try station.play(seed: seed)
    for (instance, verdicts) in try station.verdicts() {
      let said = verdicts.map { CauseCase.Expectation(cause: $0.cause.text, scope: $0.scope) }
      #expect(
        Self.counted(said, instance) == Set(instance.expected),
        "\(instance.name), by its rows: \(verdicts.map(Self.words))")
    }
    for (instance, findings) in try station.findings() {
      #expect(!findings.isEmpty, "\(instance.name) was not found")
      #expect(
        Self.counted(findings.flatMap(\.causes), instance) == Set(instance.expected),
        "\(instance.name), as found: \(findings)")
    }
  }

  /// Tests run beside others: where the machine is busy, this host does stall now and then, and that is said.
  private static func counted(
    _ said: [CauseCase.Expectation], _ instance: CauseCase
  ) -> Set<CauseCase.Expectation> {
    Set(said.filter { instance.isStalling || $0.cause != Cause.host.text })
  }

  private static func words(_ verdict: Verdict) -> String {
    "\(verdict.cause.text) \(verdict.scope ?? "") (\(verdict.evidence)) on \(verdict.targets.joined(separator: ", "))"
  }
}
