import Measurement
import Testing

@testable import Findings

@Suite struct IncidentTests {
  private static let minute: Int64 = 60_000_000

  private static func finding(
    _ metric: SeriesMetric = .delivery, at minutes: Int64, length: Int64? = 5, isUpward: Bool = true
  ) -> Finding {
    let start = minutes * minute
    return Finding(
      id: Finding.ID(metric: metric, detectedAt: start + minute), kind: metric.kind(isUpward: isUpward),
      status: length == nil ? .open : .closed, start: start, startInterval: start - minute...start + minute,
      end: length.map { start + $0 * minute }, seenUntil: start + 10 * minute, quantile: 0.5, before: 1,
      after: 2, count: 10, effectiveCount: 5, window: minute, statistic: 20, threshold: 11,
      evidence: Finding.Evidence(edges: [], weights: [], profile: .flat))
  }

  private static func attributed(
    _ finding: Finding, _ target: String, _ provider: String = "apns", _ cause: Cause? = nil,
    scope: String? = nil
  ) -> AttributedFinding {
    AttributedFinding(
      finding: finding, target: target, provider: provider, device: target,
      verdicts: cause.map {
        [Verdict(cause: $0, scope: scope, evidence: "", wouldDecide: nil, targets: [target])]
      } ?? [])
  }

  @Test func deliveryAndAcceptOfOneTargetAreOne() {
    let incidents = Incident.group([
      Self.attributed(Self.finding(.accept, at: 11), "a"),
      Self.attributed(Self.finding(.delivery, at: 10), "a"),
    ])
    #expect(incidents.count == 1)
    #expect(incidents[0].id.metric == .delivery)
    #expect(incidents[0].start == 10 * Self.minute)
    #expect(incidents[0].end == 16 * Self.minute)
  }

  @Test func targetsOfOneCauseAreOneAndOthersAreNot() {
    let incidents = Incident.group([
      Self.attributed(Self.finding(at: 10), "a", "apns", .providerDelivery, scope: "apns"),
      Self.attributed(Self.finding(at: 11), "b", "apns", .providerDelivery, scope: "apns"),
      Self.attributed(Self.finding(at: 11), "c", "fcm", .deviceAsleep, scope: "c"),
      Self.attributed(Self.finding(at: 40, length: nil), "a", "apns", .providerDelivery, scope: "apns"),
    ])
    #expect(incidents.map { $0.findings.map(\.target) } == [["a", "b"], ["c"], ["a"]])
    #expect(incidents.map(\.isOpen) == [false, false, true])
    #expect(incidents[2].end == nil)
    #expect(incidents[0].verdict?.cause == .providerDelivery)
  }

  @Test func betterAndWorseAreNotOneAndWithdrawnOnesAreNone() {
    var gone = Self.finding(at: 10)
    gone.status = .withdrawn
    let incidents = Incident.group([
      Self.attributed(Self.finding(at: 10), "a"), Self.attributed(Self.finding(at: 10, isUpward: false), "a"),
      Self.attributed(gone, "b"),
    ])
    #expect(incidents.count == 2)
  }

  @Test func namesWhatHappenedAtTheStart() {
    let finding = Self.finding(at: 10)
    let events: [(at: WallTime, text: String)] = [
      (WallTime(microseconds: 5 * Self.minute), "deploy 411"),
      (WallTime(microseconds: 10 * Self.minute + 5), "deploy 412"),
    ]
    #expect(finding.events(events) == ["deploy 412"])
  }
}
