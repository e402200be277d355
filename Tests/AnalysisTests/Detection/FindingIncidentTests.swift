import Measurement
import Store
import Testing

@testable import Analysis

@Suite struct FindingIncidentTests {
  private static let run: RunID = {
    var random = SeededGenerator(seed: 1)
    return RunID(at: WallTime(microseconds: 0), using: &random)
  }()

  private static func record(
    _ metric: SeriesMetric, of target: String = "ios", at minute: Int64,
    cause: Cause = .undecided(.init(rawValue: "nothing"))
  ) -> FindingRecord {
    let start = WallTime(microseconds: minute * 60_000_000)
    var record = FindingRecord(
      id: "\(metric)-\(target)", incident: "one", run: run, target: target, variant: "",
      provider: "apns", endpoint: "", device: target, metric: metric,
      kind: metric.kind(isUpward: true), status: .open, startedAt: start, detectedAt: start,
      seenUntil: start)
    record.cause = cause
    return record
  }

  /// What is said beside a finding is its own cause: not that of another metric, which may have another one.
  @Test(
    "a cause explains the findings that it can have caused",
    arguments: [
      ([SeriesMetric.accept, .delivery], SeriesMetric.accept), ([.delivery, .accept], .accept),
      ([.delivery, .lost], .delivery),
      ([.lost, .accept], .lost), ([.accept, .lost], .accept),
    ])
  func explains(metrics: [SeriesMetric], expected: SeriesMetric) throws {
    let first = Self.record(metrics[0], at: 1)
    let second = Self.record(metrics[1], at: 2, cause: .providerDelivery)
    let incident = try #require(FindingIncident.group([first, second]).first)
    #expect(incident.first.metric.word == metrics[0] && incident.explained.metric.word == expected)
  }

  @Test func answersOfAnotherTargetDoNotExplainADelivery() throws {
    let incident = try #require(
      FindingIncident.group([
        Self.record(.delivery, at: 1), Self.record(.accept, of: "android", at: 2, cause: .path),
        Self.record(.delivery, of: "web", at: 3, cause: .uplink),
      ]).first)
    #expect(incident.explained.cause == .uplink)
  }

  @Test func whatBeganBeforeAnotherEndedIsNoRepetition() {
    let closed = [(0, 10), (5, 8), (20, 25), (22, 24), (40, 45)].map {
      (start: Int64, end: Int64) -> FindingRecord in
      var record = Self.record(.delivery, at: start, cause: .host)
      record.endedAt = WallTime(microseconds: end * 60_000_000)
      (record.id, record.incident, record.status) = ("\(start)", "\(start)", Stored(.closed))
      return record
    }
    let folded = FindingRepetition.fold(FindingIncident.group(closed))
    #expect(folded.map { $0.incidents.map(\.first.id) } == [["5", "22"], ["0", "20", "40"]])
  }

  @Test func closedOnesThatRepeatAreOne() {
    let closed = [0, 10, 21, 30].map { (minute: Int64) -> FindingRecord in
      var record = Self.record(.delivery, at: minute, cause: .host)
      (record.id, record.incident, record.status) = ("\(minute)", "\(minute)", Stored(.closed))
      return record
    }
    var open = Self.record(.delivery, at: 40, cause: .host)
    open.incident = "open"
    var lost = Self.record(.lost, at: 60, cause: .receipts)
    (lost.incident, lost.status) = ("lost", Stored(.closed))
    let folded = FindingRepetition.fold(FindingIncident.group(closed + [open, lost]))
    #expect(folded.map(\.incidents.count) == [4, 1, 1])
    #expect(folded.map(\.period) == [.minutes(10), nil, nil])
  }
}
