import Analysis
import Configuration
import Formats
import Foundation
import Measurement
import TestKit
import TestTraits
import Testing

@testable import Fleet
@testable import Report
@testable import Store

/// What a fleet's engine says of a store's rows is what the store says of them, to the last digit.
@Suite(.ownThread, .enabled(if: TestEngine.isUsable)) struct ReadingTests {
  private let engine: TestEngine

  init() throws {
    engine = try TestEngine()
    try engine.setUp()
  }

  private func forward(_ recording: FleetRecording) throws {
    try Forwarder(engine.configuration, store: recording.store, reader: recording.reader()).all()
  }

  private func text(
    _ table: ExportTable, _ reader: any SampleSource, _ selection: RowSelection,
    rollupsAbove rows: Int = 100_000, _ method: IntervalMethod = .dependent
  ) throws -> [String] {
    let sink = MemorySink()
    try Exporter(
      reader: reader, selection: selection, format: .csv, depth: RollupThreshold(rows: rows), method: method
    ).export(table, to: sink)
    return sink.text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func everyTableOfARunIsTheSameFromBoth() throws {
    let recording = try FleetRecording(["region": "eu-west"], seed: 5)
    try recording.find("f1", from: 400, to: 700)
    try forward(recording)
    let local = try recording.reader()
    for run in recording.runs.map(\.run) {
      let fleet = try FleetReader(engine.configuration, FleetSelection(run: run.description))
      #expect(fleet.selectedRuns == [run])
      for table in ExportTable.allCases {
        let expected = try text(table, local, RowSelection(run: run))
        let seen = try text(table, fleet, RowSelection(run: run))
        let different = zip(expected, seen).first { $0 != $1 }
        #expect(
          expected == seen,
          "\(table): \(expected.count) and \(seen.count) rows; \(different?.0 ?? "")\n\(different?.1 ?? "")")
      }
    }
  }

  @Test(arguments: [IntervalMethod.dependent, .independent])
  func figuresFromBucketsAreTheSameFromBoth(_ method: IntervalMethod) throws {
    let recording = try FleetRecording([:], seed: 6)
    try recording.find("f2", from: 100, to: 130)
    try forward(recording)
    let local = try recording.reader()
    let fleet = try FleetReader(engine.configuration, FleetSelection())
    let run = try #require(try local.runs().last)
    // Whole seconds, and a part that does not begin or end with one.
    let part = RowSelection(
      since: run.startedAt.advanced(byMicroseconds: 31_400_000),
      until: run.startedAt.advanced(byMicroseconds: 301_700_000))
    // The engine is asked the same for both methods.
    let selections =
      method == .dependent || TestLength.isLong
      ? [RowSelection.everything, RowSelection(run: run.id, targets: ["ios"]), part] : [part]
    for selection in selections {
      for table in [ExportTable.summary, .histogram] {
        // More than there are: from single notifications; fewer: from rollups.
        for rows in [100_000, 100] {
          let expected = try text(table, local, selection, rollupsAbove: rows, method)
          let seen = try text(table, fleet, selection, rollupsAbove: rows, method)
          let different = zip(expected, seen).first { $0 != $1 }
          #expect(expected.count > 2)
          #expect(expected == seen, "\(table), \(rows): \(different?.0 ?? "")\n\(different?.1 ?? "")")
        }
      }
    }
    let report = try SummaryReport(fleet, RowSelection(run: run.id), method: method)
    #expect(
      report.runs.map(\.targets)
        == (try SummaryReport(local, RowSelection(run: run.id), method: method)).runs.map(\.targets))
  }

  @Test func labelsSelectAndGroup() throws {
    let west = try FleetRecording(["region": "eu-west", "team": "m"], seed: 7, seconds: [90])
    let east = try FleetRecording(["region": "eu-east", "team": "m"], seed: 8, seconds: [60])
    let other = try FleetRecording(["region": "eu-west", "team": "o'x"], seed: 9, seconds: [30])
    let plain = try FleetRecording([:], seed: 10, seconds: [20])
    for recording in [west, east, other, plain] { try forward(recording) }
    func runs(_ selection: FleetSelection) throws -> [RunRecord] {
      try FleetReader(engine.configuration, selection).runs()
    }
    #expect(try runs(FleetSelection()).count == 4)
    #expect(
      Set(try runs(FleetSelection(labels: [.init(name: "region", value: "eu-west")])).map(\.id))
        == Set([west, other].map { $0.runs[0].run }))
    #expect(
      try runs(
        FleetSelection(labels: [.init(name: "region", value: "eu-west"), .init(name: "team", value: "o'x")])
      ).map(\.id) == [other.runs[0].run])
    #expect(try runs(FleetSelection(labels: [.init(name: "region", value: "")])).isEmpty)
    let groups = try FleetReader(engine.configuration, FleetSelection(grouping: "region"))
    let found = try groups.runs()
    #expect(found.map(\.name) == ["no region", "region=eu-east", "region=eu-west"])
    #expect(found.map(\.counts.planned) == [20 * 8, 60 * 8, 120 * 8])
    #expect(found.map(\.targetNames) == Array(repeating: ["ios", "web"], count: 3))
    let summary = try SummaryReport(groups)
    let counts = try #require(summary.runs.last).targets.map(\.counts)
    var expected: [StateCounts] = [StateCounts(), StateCounts()]
    for recording in [west, other] {
      let targets = try recording.reader().targets(of: recording.runs[0].run)
      for (place, target) in targets.enumerated() {
        let index = target.name == "ios" ? 0 : 1
        _ = place
        expected[index] += target.counts
      }
    }
    #expect(counts == expected)
    // One that both have is read as one series.
    #expect(
      summary.runs.last?.targets.first?.groups.map(\.variant).sorted() == ["priority=10", "priority=5"])
  }

  @Test func whatIsNotThereIsSaid() throws {
    let recording = try FleetRecording([:], seed: 11, seconds: [5])
    try forward(recording)
    func refusal(_ selection: FleetSelection) -> FleetError? {
      do { _ = try FleetReader(engine.configuration, selection) } catch { return error }
      return nil
    }
    #expect(refusal(FleetSelection(run: "nope"))?.code == .noSuchRun)
    #expect(refusal(FleetSelection(run: "latest")) == nil)
    let early = FleetSelection(until: WallTime(microseconds: 1_000_000))
    #expect(try FleetReader(engine.configuration, early).runs().isEmpty)
    try engine.kill()
    #expect(refusal(FleetSelection())?.code == .unreachable)
  }

  @Test func rangesAreDividedIntoWholeSpans() {
    func parts(_ start: Int64, _ end: Int64, _ span: RollupSpan) -> [RollupStretch] {
      span.stretches(from: start, to: end)
    }
    #expect(parts(5, 5, .hour).isEmpty)
    #expect(parts(5, 50, .hour) == [.init(span: .second, start: 5, end: 50)])
    #expect(
      parts(3_590, 7_325, .hour) == [
        .init(span: .second, start: 3_590, end: 3_600), .init(span: .hour, start: 3_600, end: 7_200),
        .init(span: .minute, start: 7_200, end: 7_320), .init(span: .second, start: 7_320, end: 7_325),
      ])
  }
}
