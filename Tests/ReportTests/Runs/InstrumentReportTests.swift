import Formats
import Measurement
import Store
import StoreTestKit
import Testing

@testable import Report

@Suite struct InstrumentReportTests {
  private func filled(_ rows: Int64) throws -> RecordedStore {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, [TargetDescription(name: "a", provider: "loopback", receiptDeadline: nil, askedRate: 4)])
    let target = run.targets[0].id
    var samples = (1...rows).map { Sample.planned(target, $0).accepted(lag: $0, service: 200 + $0) }
    samples[0].connection = ConnectionUse(id: 1, age: 0, isFresh: true, streamsInFlight: 1)
    samples[0].serviceTime = 90_000
    samples[0].acceptLatency = 90_001
    try fixture.commit(run.run, samples)
    try fixture.end(run, after: 100)
    return fixture
  }

  private func report(_ fixture: RecordedStore) throws -> CalibrationReport {
    try CalibrationReport(
      fixture.reader(), host: "ho\u{1B}st", at: RecordedStore.start, rate: 4, length: .seconds(100))
  }

  @Test func theFloorLeavesOutWhatOpenedAConnection() throws {
    let calibration = try report(filled(500)).calibration
    #expect(calibration.floors.map(\.interval) == [.scheduleLag, .service, .accept])
    let service = try #require(calibration[.service])
    #expect(service.counted == 499)
    #expect(service.minimum == 202)
    #expect(service.maximum == 700)
    #expect(
      service.figures.first?.estimate == ExactQuantiles((2...500).map { Int64($0) + 200 }).estimate(.p50))
    #expect(service.figures.last?.estimate == .tooFew(needs: 36_887))
    #expect(calibration.planned == 500)
  }

  @Test func theFloorIsSaidInWordsAndInJSON() throws {
    let report = try report(filled(100))
    #expect(report.lines[0] == "floor of ho␛st, 2026-03-01 12:00:00 UTC, 100 notifications at 4/s")
    #expect(report.lines.contains { $0.hasPrefix("  p99 ") && $0.contains("n too small (needs 368)") })
    #expect(report.lines.contains { $0.hasPrefix("  speaks for") && $0.contains("99 (99.0 %)") })
    #expect(report.json.text.contains("\"interval\": \"schedule_lag\""))
    #expect(report.lines.allSatisfy { $0.count <= 120 })
  }

  @Test func withoutAnswersThereIsNoFloor() throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, [TargetDescription(name: "a", provider: "loopback", receiptDeadline: nil, askedRate: 4)])
    try fixture.commit(run.run, [Sample.planned(run.targets[0].id, 1).ended(.missed, reason: "lag")])
    #expect(throws: ReportError.self) { try report(fixture) }
  }

  @Test func aRunShowsItsOwnErrorAndTheFloorBesideItsFigures() throws {
    let fixture = try filled(500)
    let run = try #require(try fixture.reader().latestRun())
    #expect(try SummaryReport(fixture.reader()).lines.allSatisfy { !$0.contains("own error") })
    try fixture.record(try report(fixture).calibration)
    try fixture.commit(
      run.id,
      instrument: InstrumentFigures(
        host: "ho\u{1B}st", scheduleLag: .init(count: 500, median: 12, p99: 88, maximum: 1200),
        loopLag: .init(count: 60, median: 7, p99: 41, maximum: 950), commits: 77, longestCommit: 34_000,
        commitStalls: 0))
    for lines in [
      try SummaryReport(fixture.reader()).lines,
      try RunsReport.show(run, in: fixture.reader(), at: SystemClock().wallNow()),
    ] {
      #expect(
        lines.contains {
          $0.hasSuffix(
            "own error: sent late p50 12 µs, p99 88 µs, max 1.20 ms (n 500)")
        })
      #expect(
        lines.contains {
          $0.hasSuffix("timing thread woke late p50 7 µs, p99 n too small (needs 368), max 950 µs (n 60)")
        })
      #expect(lines.contains { $0.hasSuffix("77 commits, longest 34.0 ms, 0 over 100 ms") })
      #expect(
        lines.contains {
          $0.hasSuffix("floor of this host (calibrated 2026-03-01 12:00:00 UTC, 500 at 4/s):")
        }, "\(lines.joined(separator: "\n"))")
      let service = try #require(
        lines.first { $0.hasPrefix("    service p50") || $0.hasPrefix("      service p50") })
      #expect(service.contains("service p50 451 µs (4") && service.contains(", p99 696 µs (6"), "\(service)")
      #expect(service.hasSuffix(" (n 499, 99.8 %)"))
    }
    #expect(try SummaryReport(fixture.reader()).json.text.contains("\"loop_lag_us\""))
  }

  @Test func newConnectionsAreToldApart() throws {
    let report = try SummaryReport(filled(500).reader())
    let group = try #require(report.runs.first?.targets.first?.groups.first)
    #expect(group.onFreshConnections == 1)
    let accept = try #require(group.metrics.last)
    #expect(accept.fresh?.maximum == 90_001)
    #expect(accept.fresh?.share == ShareOfPlanned(counted: 1, planned: 500))
    #expect(accept.fresh?.figures.first?.estimate == .tooFew(needs: 6))
    #expect(group.scheduleLag.share == ShareOfPlanned(counted: 500, planned: 500))
    #expect(group.scheduleLag.maximum == 500)
    #expect(
      report.lines.contains("    accept p50 n too small (needs 6), max 90.0 ms"),
      "\(report.lines.joined(separator: "\n"))")
    #expect(report.lines.contains("  1 opened a connection:"))
    #expect(report.json.text.contains("\"fresh_connections\": {"))
  }

  @Test func everyValueIsKeptWhenExactFiguresAreAskedFor() throws {
    let fixture = try filled(500)
    try fixture.rollUp()
    let reader = try fixture.reader()
    let rough = try SummaryReport(reader, .init(), depth: RollupThreshold(rows: 10))
    let exact = try SummaryReport(reader, isExact: true)
    let metrics = [rough, exact].compactMap { $0.runs.first?.targets.first?.groups.first?.metrics.last }
    #expect(metrics.map(\.isExact) == [false, true])
  }
}
