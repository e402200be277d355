import Foundation
import HTTPTestKit
import Measurement
import TestKit
import TestTraits
import Testing

@testable import Configuration
@testable import Monitoring
@testable import Store

@Suite(.ownThread) struct ExpositionTests {
  private static let run: RunID = {
    var generator = SeededGenerator(seed: 7)
    return RunID(at: WallTime(microseconds: 1_700_000_000_000_000), using: &generator)
  }()

  private func change(
    _ sequence: Int64, _ state: NotificationState, delivery: Int64? = nil,
    verdict: SampleChange.Verdict = .settled
  ) -> SampleChange {
    var sample = Sample(
      id: SampleID(target: TargetID(rawValue: 1), sequence: sequence), variant: .none,
      plannedAt: WallTime(microseconds: 1_700_000_000_000_000), plannedMonotonic: 0)
    sample.state = state
    sample.scheduleLag = 57
    sample.acceptLatency = 1257
    sample.serviceTime = 1200
    sample.deliveryLatency = delivery
    sample.deliveryError = delivery == nil ? nil : 0
    return SampleChange(
      sample: sample, notification: NotificationID(run: Self.run, sample: sample.id), verdict: verdict,
      isCounted: true, newValues: .init(of: sample), isDue: true, newDuplicates: 0, inFlight: 0,
      origin: nil)
  }

  /// A target with a name that has to be escaped, three verdicts and a correction.
  private func state() -> MetricsState {
    var state = MetricsState(objectives: [
      .init(name: "fast", target: "a\"b\\c", metric: .delivery, limit: 250_000)
    ])
    state.begin(
      ObservedRun(
        id: Self.run,
        targets: [
          ObservedRun.Target(
            registration: RegisteredTarget(id: TargetID(rawValue: 1), name: "a\"b\\c", variants: []),
            variants: [],
            askedRate: 4, receiptDeadline: 1_000_000)
        ]))
    state.add(
      ObservedCommit(
        changes: [
          change(1, .delivered, delivery: 30_000), change(2, .delivered, delivery: 700_000), change(3, .lost),
          change(4, .late, delivery: 3_000_000, verdict: .corrected(from: .lost)),
        ], clockOffsets: [ObservedClockOffset(device: "phone", offset: -1500)],
        failedHandshakes: [.unknownCA: 3, .closed: 1], took: .milliseconds(3),
        at: WallTime(microseconds: 1_700_000_001_000_000)))
    state.add([
      ObservedConnection(
        target: TargetID(rawValue: 1), connection: 1, isOpen: true,
        at: WallTime(microseconds: 1_700_000_000_000_000))
    ])
    return state
  }

  private func encoded(_ format: ExpositionFormat, separatesBuckets: Bool = false) -> [UInt8] {
    format.encode(
      state().families(
        labels: [ConfiguredLabel(name: "region", value: "eu")], version: "1.2.3",
        at: WallTime(microseconds: 1_700_000_002_500_000)), separatesBuckets: separatesBuckets)
  }

  @Test func textHasEveryValueWithItsLabels() {
    let lines = Set(String(decoding: encoded(.text), as: UTF8.self).split(separator: "\n").map(String.init))
    let labels = #"target="a\"b\\c",variant="""#
    for line in [
      #"pushscope_notifications_delivered_total{\#(labels),region="eu"} 2"#,
      #"pushscope_notifications_lost_total{\#(labels),region="eu"} 1"#,
      #"pushscope_notifications_late_total{\#(labels),region="eu"} 0"#,
      #"pushscope_receipt_handshakes_failed_total{alert="unknown_ca",region="eu"} 3"#,
      #"pushscope_receipt_handshakes_failed_total{alert="closed",region="eu"} 1"#,
      #"pushscope_notifications_failed_total{\#(labels),reason="connect",region="eu"} 0"#,
      #"pushscope_notifications_corrections_total{\#(labels),from="lost",to="late",region="eu"} 1"#,
      #"pushscope_delivery_seconds_bucket{\#(labels),region="eu",le="0.05"} 1"#,
      #"pushscope_delivery_seconds_bucket{\#(labels),region="eu",le="0.25"} 1"#,
      #"pushscope_delivery_seconds_bucket{\#(labels),region="eu",le="3600"} 3"#,
      #"pushscope_delivery_seconds_bucket{\#(labels),region="eu",le="+Inf"} 3"#,
      #"pushscope_delivery_seconds_sum{\#(labels),region="eu"} 3.73"#,
      #"pushscope_clock_offset_seconds{device="phone",region="eu"} -0.0015"#,
      #"pushscope_connection_age_seconds{target="a\"b\\c",region="eu"} 2.5"#,
      #"pushscope_rate_asked{target="a\"b\\c",region="eu"} 4"#,
      #"pushscope_objective_good_total{objective="fast",target="a\"b\\c",region="eu"} 1"#,
      #"pushscope_objective_valid_total{objective="fast",target="a\"b\\c",region="eu"} 3"#,
      #"pushscope_build_info{version="1.2.3",region="eu"} 1"#,
      "# TYPE pushscope_delivery_seconds histogram",
    ] { #expect(lines.contains(line), "\(line)") }
  }

  @Test func openMetricsHasExemplarsAndAnEnd() {
    let text = String(decoding: encoded(.openMetrics), as: UTF8.self)
    #expect(text.hasSuffix("\n# EOF\n"))
    #expect(text.contains("# TYPE pushscope_notifications_delivered counter\n"))
    #expect(text.contains("# UNIT pushscope_delivery_seconds seconds\n"))
    let id = NotificationID(run: Self.run, sample: SampleID(target: TargetID(rawValue: 1), sequence: 1))
    #expect(
      text.contains(#"le="0.05"} 1 # {notification_id="\#(id)"} 0.03 1700000001"# + "\n"))
  }

  @Test func promtoolFindsNothingWrong() async throws {
    let promtool = try #require(Programs.find("promtool"), "scripts/bootstrap test unpacks it")
    let outcome = try await Programs.run(
      promtool, ["check", "metrics"], input: String(decoding: encoded(.text), as: UTF8.self))
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.error)")
  }

  /// Messages follow one another, each with its length before it, and nothing is left.
  @Test(arguments: [false, true])
  func protobufIsDelimited(separatesBuckets: Bool) throws {
    let bytes = encoded(.protobuf, separatesBuckets: separatesBuckets)
    var index = 0
    var names: [String] = []
    while index < bytes.count {
      var length = 0
      var shift = 0
      repeat {
        length |= Int(bytes[index] & 0x7F) << shift
        shift += 7
        index += 1
      } while bytes[index - 1] & 0x80 != 0
      #expect(bytes[index] == 0x0A)
      let count = Int(bytes[index + 1])
      names.append(String(decoding: bytes[(index + 2)..<(index + 2 + count)], as: UTF8.self))
      index += length
    }
    #expect(index == bytes.count)
    #expect(names.contains("pushscope_delivery_seconds"))
    #expect(names.contains("pushscope_notifications_delivered_total"))
    #expect(Set(names).count == names.count)
    // Prometheus takes native histograms alone of a message that has both.
    for suffix in ["bucket", "sum", "count"] {
      #expect(names.contains("pushscope_delivery_seconds_\(suffix)") == separatesBuckets)
    }
  }

  @Test(arguments: [
    ("", ExpositionFormat.text), ("*/*", .text), ("text/html", .text),
    ("application/json;q=1, text/plain;q=0.1", .text),
    (
      "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,*/*;q=0.1",
      .openMetrics
    ),
    ("application/openmetrics-text; version=2.0.0, text/plain;version=0.0.4;q=0.5", .text),
    (
      "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,"
        + "text/plain;version=0.0.4;q=0.3", .protobuf
    ),
    ("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text", .text),
    ("application/openmetrics-text;q=0, text/plain", .text), (";;;,,=;q=x", .text),
  ])
  func formatIsNegotiated(accept: String, format: ExpositionFormat) {
    #expect(ExpositionFormat(accept: [accept]) == format)
  }

  @Test(
    arguments: [(0, "0"), (1, "0.000001"), (-1500, "-0.0015"), (2_000_000, "2"), (1_500_000, "1.5")]
      as [(Int64, String)])
  func secondsAreExact(microseconds: Int64, text: String) {
    #expect(MetricNumber.seconds(microseconds) == text)
  }

  /// A collector settled it before this one started: its late receipt is measured, but moves no verdict.
  @Test func rowsOfEarlierCollectorsCountNoVerdict() {
    var state = MetricsState(objectives: [
      .init(name: "fast", target: "old", metric: .delivery, limit: 250_000)
    ])
    var late = change(9, .late, delivery: 100, verdict: .unchanged)
    late.isCounted = false
    late.origin = .init(target: "old", variant: "priority=5")
    state.add(
      ObservedCommit(changes: [late], took: .zero, at: WallTime(microseconds: 1_700_000_001_000_000)))
    let series = state.series[.init(target: "old", variant: "priority=5")]
    #expect(series?.verdicts.values.reduce(0, +) == 0)
    #expect(series?.corrections.isEmpty == true)
    #expect(series?.distributions[.delivery]?.count == 1)
    #expect(state.objectives.first?.valid == 0)
    #expect(state.objectives.first?.good == 0)
  }

  @Test func devicesAreBounded() {
    var state = MetricsState()
    let offsets = (0..<500).map { ObservedClockOffset(device: "d\($0)", offset: 1) }
    state.add(ObservedCommit(changes: [], clockOffsets: offsets, took: .zero, at: WallTime(microseconds: 1)))
    #expect(state.clockOffsets.count == 100)
    #expect(state.clockOffsets.last?.device == "d499")
  }
}
