import Configuration

@testable import LoopbackService

extension ScriptCountTests {
  /// A scripted, and whether a scripted request has met it.
  struct Expected {
    var scripted: ScriptedOutcome

    var isAccepted: Bool { scripted.outcome == .accepted }

    var isAnswered: Bool {
      if case .fault(let fault) = scripted.outcome { fault.kind != .silence } else { true }
    }

    func matches(_ request: ScriptedRequest) -> Bool {
      request.answerAfter == scripted.answerDelay && request.deliveries == scripted.deliveryDelays
        && request.isLost == scripted.isLost && request.isReordered == scripted.isReordered
    }
  }

  static func expected(_ count: Int, _ scenario: Scenario = scenario) -> [Expected] {
    (0..<count).map { Expected(scripted: ScriptedOutcome(index: $0, at: .zero, in: scenario)) }
  }
}
