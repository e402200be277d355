import Configuration

@testable import LoopbackService

extension ScriptCountTests {
  /// A fate, and whether a scripted request has met it.
  struct Expected {
    var fate: ScriptedOutcome

    var isAccepted: Bool { fate.outcome == .accepted }

    var isAnswered: Bool {
      if case .fault(let fault) = fate.outcome { fault.kind != .silence } else { true }
    }

    func matches(_ request: ScriptedRequest) -> Bool {
      request.answerAfter == fate.answerDelay && request.deliveries == fate.deliveryDelays
        && request.isLost == fate.isLost && request.isReordered == fate.isReordered
    }
  }

  static func expected(_ count: Int, _ scenario: Scenario = scenario) -> [Expected] {
    (0..<count).map { Expected(fate: ScriptedOutcome(index: $0, at: .zero, in: scenario)) }
  }
}
