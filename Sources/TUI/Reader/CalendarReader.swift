import Measurement
import Store

/// Reads the hours of a run for the heat map of hours and days: once when they are asked for, then once a minute while the
/// run goes on.
struct CalendarReader {
  private let clock: any HostClock
  private var order: CalendarOrder?
  private var run: RunID?
  /// Monotonic µs.
  private var readAt: Int64 = .min / 2

  /// How often the hours of a run that goes on are read, µs.
  private static let interval: Int64 = 60_000_000
  /// The longest stretch that a screen can show, µs: the last weeks of a long run.
  private static let longest: Int64 = 120 * 86_400_000_000
  /// Rollup rows read at a time.
  private static let mostRows = 20_000

  init(clock: any HostClock) { self.clock = clock }

  /// - Returns: `nil` when there is nothing new.
  mutating func read(
    _ wanted: CalendarOrder, of snapshot: Snapshot, _ reader: any DashboardSource
  ) throws -> CalendarFigures? {
    guard snapshot.condition == .ready, let run = snapshot.run else { return nil }
    let now = clock.monotonicNow().microseconds
    if wanted == order, run.id == self.run {
      guard run.isLive, now - readAt >= Self.interval else { return nil }
    }
    let targets = wanted.targets.filter(snapshot.targets.indices.contains).map { snapshot.targets[$0].id }
    let end = max(snapshot.edge, clock.wallNow()).advanced(byMicroseconds: RollupSpan.hour.microseconds)
    let start = max(run.startedAt, end.advanced(byMicroseconds: -Self.longest))
    let hour = RollupSpan.hour.microseconds
    func whole(_ time: WallTime) -> WallTime {
      WallTime(microseconds: time.microseconds.flooringDivision(by: hour) * hour)
    }
    var sums: [Int64: (counts: StateCounts, values: LatencyHistogram)] = [:]
    var (reached, last) = (whole(start), whole(end))
    while reached < last {
      let page = try reader.rollups(
        of: targets, from: reached, to: last, span: .hour, metrics: [wanted.metric],
        limit: Self.mostRows)
      for row in page.rows {
        let place = whole(row.start).microseconds
        var sum = sums.removeValue(forKey: place) ?? (StateCounts(), LatencyHistogram())
        sum.counts = sum.counts + row.counts
        if let packed = row.histogram(of: wanted.metric) { sum.values.merge(packed) }
        sums[place] = sum
      }
      guard page.coveredTo > reached else { break }
      reached = page.coveredTo
    }
    (order, self.run, readAt) = (wanted, run.id, now)
    let hours = sums.keys.sorted().compactMap { start -> CalendarFigures.Hour? in
      guard let sum = sums[start] else { return nil }
      return CalendarFigures.Hour(
        start: WallTime(microseconds: start), p90: sum.values.value(.p90), counts: sum.counts)
    }
    return CalendarFigures(order: wanted, run: run.id, hours: hours)
  }

  /// Reads everything anew at the next call.
  mutating func forget() { order = nil }
}
