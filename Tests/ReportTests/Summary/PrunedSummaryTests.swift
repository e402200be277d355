import Analysis
import Findings
import Formats
import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Report
@testable import Store

/// A window has the same counts before and after retention has deleted what it is of.
@Suite struct PrunedSummaryTests {
  private static let second: Int64 = 1_000_000

  /// Four hours of notifications, one each 1.3 s, from the middle of an hour on; all rolled up.
  private func fixture() throws -> (fixture: StoreFixture, start: WallTime) {
    let fixture = try StoreFixture(
      clock: SteppedHostClock(wall: WallTime(microseconds: 1_772_366_400_000_000 + 1_234_567_890)))
    let start = fixture.clock.wallNow()
    let plans = fixture.plans(fixture.alpha, count: 11_000, interval: 1_300_000)
    try fixture.commit(
      inserted: plans.enumerated().map { index, plan in
        switch index % 7 {
        case 1: return plan.accepted(lag: 100, service: 900).ended(.lost)
        case 2: return plan.accepted(lag: 100, service: 900).ended(.failed)
        case 3: return plan.asMissed(.lag)
        default: return plan.asDelivered(Int64(1_000 + index))
        }
      })
    fixture.clock.advance(by: .seconds(8 * 3_600))
    while try fixture.store.rollUp() {}
    return (fixture, start)
  }

  private func prune(_ fixture: StoreFixture, _ ages: [RetainedKind: Duration]) throws {
    while try fixture.store.prune(RetentionPolicy(ages: ages), within: .seconds(5)).isMore {}
  }

  /// Everything that is counted, as text.
  private func counts(
    _ fixture: StoreFixture, _ window: (since: WallTime?, until: WallTime?),
    _ depth: RollupThreshold = .standard
  ) throws -> [String] {
    let selection = RowSelection(since: window.since, until: window.until)
    let report = try SummaryReport(fixture.reader(), selection, depth: depth)
    return report.runs.flatMap(\.targets).flatMap(\.groups).flatMap { group in
      let states = NotificationState.allCases.map { "\($0) \(group.counts[$0])" }
      let sides = "\(group.duplicates) \(group.outOfOrder) \(group.onFreshConnections)"
      // Which missed ones were refused is not in rollups.
      let shares = group.shares.filter { $0.share != .refused }.map {
        "\($0.name) \($0.interval.events) of \($0.interval.count)"
      }
      let values = group.metrics.map {
        "\($0.metric) \($0.share.counted) \($0.figures.first?.interval?.count ?? 0)"
      }
      return ["planned \(group.counts.planned)", sides] + states + shares + values
    }
  }

  private func windows(from start: WallTime, everySeconds unit: Int64) -> [(
    since: WallTime?, until: WallTime?
  )] {
    let first = start.microseconds / (unit * Self.second) * unit
    func time(_ seconds: Int64) -> WallTime {
      WallTime(microseconds: (first + seconds / unit * unit) * Self.second)
    }
    return [
      (nil, nil), (time(1_801), nil), (nil, time(9_003)), (time(4_000), time(4_061)),
      (time(2_777), time(13_003)),
      (time(7_200), time(7_259 + unit)),
    ]
  }

  @Test func countsStayToTheLastRow() throws {
    let (fixture, start) = try fixture()
    let windows = windows(from: start, everySeconds: 1)
    let before = try windows.map { try counts(fixture, $0) }
    #expect(before[0].contains("planned 11000") && before[3].contains { $0.hasPrefix("in_time") })
    try prune(fixture, [.samples: .seconds(3_600)])
    #expect(try fixture.store.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sample") } == 0)
    for (window, before) in zip(windows, before) {
      let after = try counts(fixture, window)
      #expect(after == before, "\(String(describing: window)) \(after.filter { !before.contains($0) })")
    }
  }

  /// Why a notification was missed is in no rollup.
  @Test func aGateOfRefusalsIsUndecidedThen() throws {
    let (fixture, _) = try fixture()
    let gates = [try Gate(parsing: "refused<1%"), try Gate(parsing: "lost<50%")]
    #expect(
      try GateReport(gates, fixture.reader(), RowSelection(targets: ["alpha"])).results.map(\.decision) == [
        .met, .met,
      ])
    try prune(fixture, [.samples: .seconds(3_600)])
    let report = try GateReport(gates, fixture.reader(), RowSelection(targets: ["alpha"]))
    #expect(report.results.map(\.decision) == [.undecided, .met])
    #expect(report.results[0].measured == "deleted" && report.results[0].hint?.contains("retention") == true)
    #expect(report.json.text.contains(#""below_share": 0.01, "share": null"#))
  }

  @Test(arguments: [60, 3_600])
  func soTheyDoWhereMinutesOrHoursAreLeft(unit: Int64) throws {
    let (fixture, start) = try fixture()
    let windows = windows(from: start, everySeconds: unit).filter { $0.since == nil || $0.since != $0.until }
    let before = try windows.map { try counts(fixture, $0) }
    var ages: [RetainedKind: Duration] = [.samples: .seconds(3_600), .rollupSecond: .seconds(3_600)]
    if unit == 3_600 { ages[.rollupMinute] = .seconds(3_600) }
    try prune(fixture, ages)
    for (window, before) in zip(windows, before) {
      let after = try counts(fixture, window)
      #expect(after == before, "\(String(describing: window)) \(after.filter { !before.contains($0) })")
    }
    // Between them the rollups at the ends count whole, in every figure.
    let odd = (
      since: start.advanced(byMicroseconds: 2_000_300_000) as WallTime?,
      until: start.advanced(byMicroseconds: 9_000_700_000) as WallTime?
    )
    let report = try SummaryReport(fixture.reader(), RowSelection(since: odd.since, until: odd.until))
    let group = try #require(report.runs.first?.targets.first?.groups.first)
    let share = try #require(group.shares.first { $0.share == .failed })
    #expect(share.interval.count == group.counts.planned && share.interval.events == group.counts[.failed])
  }

  /// The notifications at the ends are there, though the seconds that count them are not.
  @Test func nothingIsAddedWhereOnlyFinerRollupsAreGone() throws {
    let (fixture, start) = try fixture()
    let windows =
      windows(from: start, everySeconds: 1) + [
        (start.advanced(byMicroseconds: 2_000_300_000), start.advanced(byMicroseconds: 9_000_700_000))
      ]
    let rolledUp = RollupThreshold(rows: 0)
    let before = try windows.map { try counts(fixture, $0, rolledUp) }
    try prune(fixture, [.rollupSecond: .seconds(3_600), .rollupMinute: .seconds(3_600)])
    for (window, before) in zip(windows, before) {
      let after = try counts(fixture, window, rolledUp)
      #expect(after == before, "\(String(describing: window)) \(after.filter { !before.contains($0) })")
    }
  }
}
