import Findings
import Formats
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Analysis
@testable import Report
@testable import Store

@Suite struct BreakdownReportTests {
  private let fixture: RecordedStore

  init() throws { fixture = try RecordedStore() }

  private func context(_ network: String, idle: Bool? = nil, os: String? = nil) -> DeviceContext {
    var context = DeviceContext()
    context[.network] = network
    context[.idle] = idle.map { "\($0)" }
    context[.os] = os
    return context
  }

  /// One of the target's notifications, seconds after the start.
  private func sample(
    _ target: TargetID, _ sequence: Int64, at seconds: Int64, delivery: Int64?, context: Int64? = nil,
    bytes: Int = 180
  ) -> Sample {
    var sample = Sample.planned(target, sequence)
    sample.plannedAt = RecordedStore.start.advanced(byMicroseconds: seconds * 1_000_000)
    sample.plannedMonotonic = seconds * 1_000_000
    sample = sample.accepted(lag: 100, service: 900)
    sample.payloadBytes = bytes
    sample.context = context.map { DeviceContextID(rawValue: $0) }
    guard let delivery else { return sample.ended(.lost) }
    return sample.delivered(after: delivery)
  }

  private func report(
    _ keys: [String], within limit: Duration? = nil, zone: LocalTime = .utc,
    _ selection: RowSelection = RowSelection()
  ) throws -> BreakdownReport {
    let keys = try keys.map { try #require(BreakdownKey(name: $0)) }
    return try BreakdownReport(
      fixture.reader(), selection, BreakdownReport.Plan(BreakdownKeys(keys, zone: zone), within: limit))
  }

  private func begin(_ targets: (name: String, deadline: Int64?, device: String?)...) throws
    -> RunRegistration
  {
    try fixture.begin(
      0,
      targets.map {
        TargetDescription(
          name: $0.name, provider: $0.name == "hook" ? "http" : "fcm", receiptDeadline: $0.deadline,
          askedRate: 1,
          device: $0.device)
      })
  }

  @Test func namesAreRead() {
    for name in BreakdownKey.names.split(separator: ", ") where name != "label:NAME" {
      #expect(BreakdownKey(name: String(name))?.name == String(name))
    }
    #expect(BreakdownKey(name: "label:region") == .label("region"))
    for name in ["", "label", "label:", "Hour", "notifications", "prioritySent"] {
      #expect(BreakdownKey(name: name) == nil, "\(name)")
    }
  }

  @Test(arguments: [
    (0, 0, 1), (1, 1, 2), (2, 2, 5), (4, 2, 5), (5, 5, 10), (9, 5, 10), (10, 10, 20), (7_300, 5_000, 10_000),
  ])
  func stepsAreOneTwoAndFive(_ value: Int64, _ start: Int64, _ end: Int64) {
    #expect(DecimalSteps.start(of: value) == start && DecimalSteps.end(from: start) == end)
  }

  @Test("what the device reported divides its notifications, and what was not reported is a row of its own")
  func byWhatTheDeviceReported() throws {
    let run = try begin(("ios", 2_000_000, nil))
    let id = try #require(run["ios"]).id
    let contexts = [context("wifi", idle: false), context("cellular", idle: true), context("5g")]
    try fixture.write(
      WriteBatch(
        run: run.run,
        inserted: (1...40).map { number in
          let kind = Int64(number % 4)
          return sample(
            id, Int64(number), at: Int64(number),
            delivery: kind == 2 ? (number < 5 ? nil : 900_000) : 100_000,
            context: kind == 0 ? nil : kind)
        },
        contexts: contexts.enumerated().map {
          StoredDeviceContext(id: DeviceContextID(rawValue: Int64($0.offset + 1)), context: $0.element)
        }))
    let network = try report(["network"], within: .milliseconds(500))
    #expect(network.rows.map(\.values) == [["wifi"], ["cellular"], ["other"], ["not reported"]])
    #expect(network.rows.map(\.counts.due) == [10, 10, 10, 10])
    #expect(network.rows.map { $0.inTime?.share } == [1, 0, 1, 1])
    #expect(network.rows.map(\.count) == [10, 9, 10, 10])
    #expect(network.all.counts.due == 40 && network.limitSource == "--within")
    let idle = try report(["idle", "target"])
    #expect(idle.rows.map(\.values) == [["true", "ios"], ["false", "ios"], ["not reported", "ios"]])
    #expect(idle.limit == 2_000_000 && idle.limitSource == "receipt_deadline")
    #expect(idle.rows.map { $0.inTime?.share } == [0.9, 1, 1])
    let text = network.lines.joined(separator: "\n")
    #expect(text.contains("within 500 ms") && text.contains("\nnetwork       planned  within 500 ms"))
    #expect(text.contains("n too small"), "strata with too few say so")
    let sink = MemorySink()
    try network.write(.csv, to: sink)
    #expect(sink.text.hasPrefix("network,metric,planned,within_us,in_time_share,"))
    #expect(sink.text.split(separator: "\r\n").count == 5)
  }

  @Test("hours, weekdays and minutes are those of the zone")
  func byTime() throws {
    let run = try begin(("ios", 2_000_000, nil))
    let id = try #require(run["ios"]).id
    // Sunday 12:00 UTC; then 11 hours 50 minutes later.
    try fixture.commit(
      run.run,
      [
        sample(id, 1, at: 0, delivery: 1_000), sample(id, 2, at: 61, delivery: 1_000),
        sample(id, 3, at: 42_600, delivery: 1_000),
      ])
    #expect(try report(["hour"]).rows.map(\.values) == [["12:00"], ["23:00"]])
    #expect(try report(["minute"]).rows.map(\.values) == [["00"], ["01"], ["50"]])
    #expect(try report(["weekday"]).rows.map(\.values) == [["Sun"]])
    // Half past the hour in the east; a zone in which the day is over.
    let zone = LocalTime { _ in 5 * 3_600_000_000 + 1_800_000_000 }
    #expect(try report(["hour"], zone: zone).rows.map(\.values) == [["05:00"], ["17:00"]])
    #expect(try report(["weekday"], zone: zone).rows.map(\.values) == [["Mon"], ["Sun"]])
    #expect(
      try report(["weekday"], zone: LocalTime { _ in -13 * 3_600_000_000 }).rows.map(\.values) == [
        ["Sat"], ["Sun"],
      ])
  }

  @Test("a gap counts from what any target sent to the device before, in the window or not")
  func byGap() throws {
    let run = try begin(("a", 2_000_000, "phone"), ("b", 2_000_000, "phone"), ("c", 2_000_000, nil))
    let ids = try ["a", "b", "c"].map { try #require(run[$0]).id }
    try fixture.commit(
      run.run,
      [
        sample(ids[0], 1, at: 0, delivery: 1_000), sample(ids[0], 2, at: 300, delivery: 1_000),
        sample(ids[1], 1, at: 293, delivery: 1_000), sample(ids[2], 1, at: 299, delivery: 1_000),
      ])
    #expect(
      try report(["gap", "target"]).rows.map(\.values)
        == [
          ["5 s to 10 s", "a"], ["200 s to 500 s", "b"], ["the first", "a"], ["the first", "c"],
        ].map { $0.map { $0.replacing("200 s to 500 s", with: "3 min 20 s to 8 min 20 s") } })
    let late = RowSelection(targets: ["a"], since: RecordedStore.start.advanced(byMicroseconds: 295_000_000))
    #expect(try report(["gap"], late).rows.map(\.values) == [["5 s to 10 s"]])
  }

  @Test func limitsOfTargetsMustAgree() throws {
    let run = try begin(("a", 2_000_000, nil), ("b", 3_000_000, nil), ("hook", nil, nil))
    for name in ["a", "b", "hook"] {
      let id = try #require(run[name]).id
      try fixture.commit(run.run, [sample(id, 1, at: 1, delivery: 1_000)])
    }
    let error = #expect(throws: ReportError.self) { try report(["hour"]) }
    #expect(error?.code == .noCommonLimit && error?.message.contains("a, b") == true)
    let given = try report(["target"], within: .seconds(1))
    #expect(given.rows.map(\.values) == [["a"], ["b"]] && given.leftOut == ["hook"])
    // Of targets without receipts the answer counts.
    let hook = try report(["provider"], within: .seconds(1), RowSelection(targets: ["hook"]))
    #expect(hook.metric == .accept && hook.rows.map(\.values) == [["http"]])
  }

  @Test func bySizeAndConnection() throws {
    let run = try begin(("ios", 2_000_000, nil))
    let id = try #require(run["ios"]).id
    var opened = sample(id, 2, at: 2, delivery: 1_000, bytes: 4_000)
    opened.connection?.isFresh = true
    try fixture.commit(run.run, [sample(id, 1, at: 1, delivery: 1_000, bytes: 180), opened])
    #expect(try report(["payload"]).rows.map(\.values) == [["100 to 199 bytes"], ["2000 to 4999 bytes"]])
    #expect(try report(["fresh"]).rows.map(\.values) == [["false"], ["true"]])
  }

  @Test func nothingIsNothing() throws {
    _ = try begin(("ios", 2_000_000, nil))
    #expect(try report(["hour"], within: .seconds(1)).lines == ["nothing was due here"])
  }
}
