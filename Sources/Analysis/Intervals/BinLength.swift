import Findings
import Measurement
import Store

/// How planned time is divided before it is cut into blocks. Samples, rollups and live values go through the same bins, so
/// that they end up in the same blocks and give the same intervals up to the buckets' width.
public struct BinLength: Sendable, Hashable {
  /// The rollups that have it; `nil` where the window is shorter than 96 seconds, so that rollups are too coarse for it.
  public let span: RollupSpan?

  /// The longest rollup that is no longer than a 96th of the window, and hours for windows of more than four days, of which
  /// minutes would be too many.
  public init(window: Range<WallTime>) { self.init(SentTime(window)) }

  /// Bins for the part of a window in which a series was sent.
  public init(_ sent: SentTime) {
    let length = Duration.microseconds(sent.length)
    let finest = length / 96
    if finest < .seconds(1) {
      span = nil
    } else if finest < .minutes(1) {
      span = .second
    } else if length <= .days(4) {
      span = .minute
    } else {
      span = .hour
    }
  }

  /// The beginning of the bin that an instant belongs to, but not before the stretch's that it is in.
  func start(of time: WallTime, in sent: SentTime) -> WallTime {
    guard let span, let stretch = sent.stretch(of: time) else { return time }
    return max(sent.stretches[stretch].lowerBound, span.start(of: time))
  }
}

/// Which rollups the history of a window is read from, and how long its windows are.
///
/// Earlier windows are rounded down to whole rollups: dependence per value is at least as large in shorter windows, so that
/// the interval does not get narrower by it.
struct HistoryPlan: Sendable, Hashable {
  let span: RollupSpan
  /// The length of each earlier window.
  let windowLength: Duration
  /// Where the last one ends: the last whole bin before the window.
  let end: WallTime
  /// The beginning of what is read.
  let start: WallTime

  /// Windows from an hour on are looked for in 14 days of hours, shorter ones in the last 5 000 minutes (83 h), and those
  /// of less than a minute in the last 5 000 seconds.
  init(window: Range<WallTime>) {
    let length = window.upperBound - window.lowerBound
    let span: RollupSpan = length >= .hours(1) ? .hour : length >= .minutes(1) ? .minute : .second
    self.span = span
    windowLength = span.length * max(1, length.microseconds / span.microseconds)
    end = span.start(of: window.lowerBound)
    start = end - (span == .hour ? LatencyHistory.longest : span.length * 5_000)
  }

  /// The latest beginning of a record that can have the windows it takes.
  var latestStart: WallTime {
    end - windowLength * LatencyHistory.fewestWindows
  }
}
