import Measurement
import Testing

@testable import Monitoring
@testable import Store

@Suite("Open findings as a metric") struct OpenFindingsTests {
  private func run(_ names: [String]) -> ObservedRun {
    var generator = SeededGenerator(seed: 1)
    return ObservedRun(
      id: RunID(at: WallTime(seconds: 1_700_000_000), using: &generator),
      targets: names.enumerated().map {
        ObservedRun.Target(
          registration: RegisteredTarget(
            id: TargetID(rawValue: Int64($0.offset + 1)), name: $0.element, variants: []), variants: [],
          askedRate: 1, receiptDeadline: nil)
      })
  }

  private func open(_ target: String, _ count: Int = 1) -> OpenFindings {
    OpenFindings(target: target, kind: "slower", count: count)
  }

  /// The targets of the metric's points, with their numbers.
  private func shown(_ state: MetricsState) -> [String: Int] {
    Dictionary(state.openFindings.map { ($0.key.target, $0.value) }, uniquingKeysWith: +)
  }

  @Test func theEndOfAFindingIsShownWhileItsTargetIsInTheRun() {
    var state = MetricsState()
    state.begin(run(["a", "b"]))
    state.set(openFindings: [open("a"), open("b", 2)])
    state.set(openFindings: [open("b", 2)])
    #expect(shown(state) == ["a": 0, "b": 2])
  }

  /// One of a target that was taken out of the configuration stays until it ends.
  @Test func aTargetThatIsGoneIsForgotten() {
    var state = MetricsState()
    state.begin(run(["a", "b", "c"]))
    state.set(openFindings: [open("a"), open("b", 2), open("c")])
    state.begin(run(["c"]))
    state.set(openFindings: [open("b", 2)])
    #expect(shown(state) == ["b": 2, "c": 0])
    state.set(openFindings: [])
    #expect(shown(state) == ["c": 0])
  }
}
