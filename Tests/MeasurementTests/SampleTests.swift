import FoundationEssentials
import Measurement
import Testing

@Suite struct SampleTests {
  private let planned = Sample(
    id: SampleID(target: TargetID(rawValue: 1), sequence: 1), variant: .none,
    plannedAt: WallTime(microseconds: 1_000), plannedMonotonic: 50)

  @Test func beginsAsAPlan() {
    #expect(planned.state == .planned)
    #expect(planned.attempt == 0)
    for metric in Metric.allCases { #expect(planned.value(of: metric) == nil) }
  }

  @Test func timesOfDayFollowFromThePlan() {
    var sample = planned
    sample.scheduleLag = 10
    sample.serviceTime = 20
    sample.acceptLatency = 30
    sample.deliveryLatency = 400
    #expect(sample.receivedAt?.microseconds == 1_400)
    sample.shownLatency = 430
    sample.path = 5
    #expect(Metric.allCases.map { sample.value(of: $0) } == [20, 30, 400, 430, 5])
    #expect(sample.displayTime == 30)
  }

  /// How long a provider took to refuse is no service time of an accepted notification.
  @Test func aRefusalHasNoServiceMetric() {
    var sample = planned
    sample.state = .rejected
    sample.scheduleLag = 10
    sample.serviceTime = 20
    #expect(sample.value(of: .service) == nil)
  }

  @Test func namesAreTheContracts() {
    #expect(
      NotificationState.allCases.map(\.name) == [
        "planned", "in_flight", "accepted", "delivered", "late", "lost", "rejected", "failed", "missed",
        "interrupted",
      ])
    #expect(NotificationState.allCases.map(\.rawValue) == Array(0..<10))
    #expect(NotificationState.allCases.filter { !$0.isSettled } == [.planned, .inFlight])
    #expect(TimestampSource.allCases.map(\.name) == ["kernel", "callback"])
    #expect(HTTPVersion.allCases.map(\.name) == ["1.1", "2"])
    #expect(
      FailureReason.allCases.map(\.rawValue) == [
        "dns", "connect", "tls", "timeout", "reset", "goaway", "refused_stream", "protocol", "closed",
      ])
    #expect(
      MissedReason.allCases.map(\.rawValue) == [
        "lag", "in_flight", "retry_after", "stopping", "provider_limit", "credential", "backoff",
      ])
    #expect(Metric.allCases.map(\.rawValue) == ["service", "accept", "delivery", "shown", "path"])
    #expect(
      EventKind.allCases.map(\.rawValue) == [
        "run_started", "run_stopped", "connected", "disconnected", "goaway", "stream_limit_changed",
        "token_refreshed", "retry_after", "rejected", "failed", "missed", "lost", "late", "duplicate",
        "out_of_order", "unknown_receipt", "forged_receipt", "malformed_receipt", "clock_offset",
        "clock_step", "suspended",
        "config_reloaded", "config_refused", "threshold_crossed", "threshold_cleared", "interrupted",
        "resumed", "annotation", "finding_opened", "finding_closed", "pruned",
        "handshake_failed", "retention_waiting", "part_failed", "device_gone",
      ])
    #expect(
      SeriesMetric.allCases.map(\.rawValue) == [
        "delivery", "accept", "lost", "failed", "refused", "display", "unseen",
      ])
    #expect(
      FindingKind.allCases.map(\.rawValue) == [
        "slower", "faster", "losing", "failing", "refused", "unseen",
      ])
    #expect(DisplayState.allCases.map(\.name) == ["unseen", "shown", "shown_late", "awaited"])
    #expect(
      FindingStatus.allCases.map(\.rawValue) == [
        "provisional", "open", "lasting", "closed", "withdrawn", "daily",
      ])
    #expect(Leg.allCases.map(\.rawValue) == ["lag", "service", "transit", "sent_to_received", "display"])
    #expect(RunEndReason.allCases.map(\.rawValue) == ["completed", "stopped", "failed", "interrupted"])
    #expect(GateDecision.allCases.map(\.rawValue) == ["met", "breached", "undecided"])
  }

  /// The words of the column `cause`; each is read as what it was written as.
  @Test(arguments: [
    (Cause.host, "host"), (.uplink, "uplink"), (.connecting, "connecting"), (.path, "path"),
    (.providerProcessing, "provider-processing"), (.providerDelivery, "provider-delivery"),
    (.providerLoss, "provider-loss"), (.providerErrors, "provider-errors"), (.throttled, "throttled"),
    (.credentials, "credentials"), (.receipts, "receipts"), (.device, "device"),
    (.deviceAsleep, "device-asleep"), (.display, "display"),
    (.undecided(.pathOrProvider), "undecided: path or provider"),
    (.other("phone-network"), "phone-network"),
  ])
  func causesAreRead(_ cause: Cause, _ text: String) throws {
    #expect(cause.rawValue == text && Cause(rawValue: text) == cause)
    #expect(String(decoding: try JSONEncoder().encode([cause]), as: UTF8.self) == "[\"\(text)\"]")
  }
}
