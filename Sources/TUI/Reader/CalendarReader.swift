import Measurement
import Store

/// Reads the hours of a run for the heat map of hours and days: once when they are asked for, then once a minute while the
/// run goes on.
struct CalendarReader {
  private let clock: any HostClock
  private var order: CalendarOrder?
  private var run: RunID?
  /// When they may be read again.
  private var due = MonotonicTime.zero

  /// How often the hours of a run that goes on are read.
  private static let interval = Duration.minutes(1)
  /// The longest stretch that a screen can show: the last weeks of a long run.
  private static let longest = Duration.days(120)
  /// Rollup rows read at a time.
  private static let mostRows = 20_000

  init(clock: any HostClock) { self.clock = clock }

  /// - Returns: `nil` when there is nothing new.
  mutating func read(
    _ wanted: CalendarOrder, of snapshot: Snapshot, _ reader: any DashboardSource
  ) throws -> CalendarFigures? {
    guard snapshot.condition == .ready, let run = snapshot.run else { return nil }
    let now = clock.monotonicNow()
    if wanted == order, run.id == self.run {
      guard run.isLive, now >= due else { return nil }
    }
    let targets = wanted.targets.filter(snapshot.targets.indices.contains).map { snapshot.targets[$0].id }
    let end = max(snapshot.edge, clock.wallNow()) + .hours(1)
    let start = max(run.startedAt, end - Self.longest)
    var sums: [WallTime: (counts: StateCounts, values: LatencyHistogram)] = [:]
    var (reached, last) = (start.floored(to: .hours(1)), end.floored(to: .hours(1)))
    while reached < last {
      let page = try reader.rollups(
        of: targets, from: reached, to: last, span: .hour, metrics: [wanted.metric],
        limit: Self.mostRows)
      for row in page.rows {
        let place = row.start.floored(to: .hours(1))
        var sum = sums.removeValue(forKey: place) ?? (StateCounts(), LatencyHistogram())
        sum.counts = sum.counts + row.counts
        if let packed = row.histogram(of: wanted.metric) { sum.values.merge(packed) }
        sums[place] = sum
      }
      guard page.coveredTo > reached else { break }
      reached = page.coveredTo
    }
    (order, self.run, due) = (wanted, run.id, now + Self.interval)
    let hours = sums.keys.sorted().compactMap { start -> CalendarFigures.Hour? in
      guard let sum = sums[start] else { return nil }
      return CalendarFigures.Hour(start: start, p90: sum.values.value(.p90), counts: sum.counts)
    }
    return CalendarFigures(order: wanted, run: run.id, hours: hours)
  }

  /// Reads everything anew at the next call.
  mutating func forget() { order = nil }
}
