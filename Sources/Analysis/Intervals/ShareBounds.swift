import Findings
import Measurement
import Store

/// The events of a share as measured, and where latencies are known within bounds only, those that are certain and those
/// that are possible.
struct ShareBounds: Sendable {
  private(set) var measured = ShareCollection()
  private var certain: ShareCollection?
  private var possible: ShareCollection?

  mutating func add(_ events: Int, of count: Int, _ start: WallTime) {
    add(events, surely: events, perhaps: events, of: count, start)
  }

  /// Adds a notification: an event where its value of a metric is within a limit, µs.
  mutating func add(
    _ row: borrowing SampleRow, within limit: Int64, _ metric: Metric, plannedAt: WallTime
  ) {
    guard let value = row.value(of: metric) else { return add(0, of: 1, plannedAt) }
    let range = row.range(of: metric)
    add(
      value <= limit ? 1 : 0, surely: (range?.high ?? value) <= limit ? 1 : 0,
      perhaps: (range?.low ?? value) <= limit ? 1 : 0, of: 1, plannedAt)
  }

  /// Adds a rollup: its values of a metric that are within a limit, µs, are the events.
  ///
  /// - Parameter count: the notifications of which the share is.
  mutating func add(
    _ bin: RollupBin, within limit: Int64, _ metric: Metric, of count: Int, plannedFrom start: WallTime
  ) {
    func within(_ packed: PackedLatencies) -> Int {
      min(count, packed.reduce(0) { $0 + ($1.upper <= limit ? $1.count : 0) })
    }
    let values = bin.ranged(metric)
    let events = within(values.values)
    add(
      events, surely: values.isExact ? events : within(values.highs),
      perhaps: values.isExact ? events : within(values.lows), of: count, start)
  }

  private mutating func add(_ events: Int, surely: Int, perhaps: Int, of count: Int, _ start: WallTime) {
    if certain == nil, surely != events || perhaps != events { (certain, possible) = (measured, measured) }
    measured.add(events, of: count, plannedFrom: start)
    guard certain != nil else { return }
    certain?.add(surely, of: count, plannedFrom: start)
    possible?.add(perhaps, of: count, plannedFrom: start)
  }

  func window(_ sent: SentTime) -> WindowShareBounds {
    WindowShareBounds(
      measured: measured.window(sent), certain: certain?.window(sent), possible: possible?.window(sent))
  }
}

/// A share of a window whose events may be known within bounds only.
struct WindowShareBounds: Sendable {
  let measured: WindowShares
  /// `nil` where all are certain.
  let certain: WindowShares?
  let possible: WindowShares?

  func interval(_ method: IntervalMethod, history: ShareHistory? = nil) -> ShareInterval {
    func interval(_ window: WindowShares) -> ShareInterval {
      let known = window.interval(history: history)
      return method == .dependent ? known : ShareInterval(independent: known.events, of: known.count)
    }
    var result = interval(measured)
    guard let certain, let possible else { return result }
    let (least, most) = (interval(certain), interval(possible))
    result.low = min(result.low, least.low)
    result.high = max(result.high, most.high)
    result.effectiveCount = min(result.effectiveCount, least.effectiveCount, most.effectiveCount)
    return result
  }
}
