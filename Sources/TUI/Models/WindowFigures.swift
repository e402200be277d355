import Findings
import Measurement

/// The figures that the screen shows. They are taken on the reader's thread.
struct FiguresOrder: Sendable, Hashable {
  /// A window of a plot, and what is shown in it.
  struct Place: Sendable, Hashable {
    /// The window of planned time.
    let window: Range<WallTime>
    /// Indices in the run.
    let targets: [Int]

    init(_ window: TimeWindow, targets: [Int]) {
      self.window = window.start..<window.end
      self.targets = targets
    }
  }

  var places: [Place]
  /// Latency beyond which notifications are counted, µs.
  var threshold: Int64?
  /// The moment of a replay: nothing after it is known.
  var moment: WallTime?
}

/// Quantiles and shares of the places of one order, with intervals that allow for notifications that depend on each other
/// (docs/measurement.md).
struct WindowFigures: Sendable, Equatable {
  let order: FiguresOrder
  let run: RunID
  /// The figures in the order of `order.places`.
  private let places: [PlaceFigures]

  init(_ order: FiguresOrder, run: RunID, places: [PlaceFigures]) {
    self.order = order
    self.run = run
    self.places = places
  }

  /// The figures of these targets, wherever their window has moved to meanwhile.
  func figures(of targets: [Int]) -> PlaceFigures? {
    order.places.firstIndex { $0.targets == targets }.map { places[$0] }
  }
}

/// The figures of one window and its targets.
struct PlaceFigures: Sendable, Equatable {
  private var summaries: [Metric: WindowSummary]
  private let beyond: [Metric: ThresholdFigures]
  /// Round trips of PINGs in the window, each once, µs; empty where the store has none.
  private(set) var pings: [Int64] = []

  init(summaries: [WindowSummary], beyond: [Metric: ThresholdFigures]) {
    self.summaries = Dictionary(uniqueKeysWithValues: summaries.map { ($0.metric, $0) })
    self.beyond = beyond
  }

  /// Replaces the figures of the path.
  mutating func setPath(_ path: WindowSummary, pings: [Int64]) {
    summaries[path.metric] = path
    self.pings = pings
  }

  func summary(of metric: Metric) -> WindowSummary { summaries[metric] ?? WindowSummary(pending: metric) }

  /// What is beyond a threshold; `nil` when another one was asked for.
  func beyond(_ threshold: Int64, of metric: Metric) -> ThresholdFigures? {
    beyond[metric].flatMap { $0.value == threshold ? $0 : nil }
  }
}

/// The quantiles of one metric in one window, of settled notifications.
struct WindowSummary: Sendable, Equatable {
  let metric: Metric
  let count: Int
  /// Whether all values are exact, and not known within ranges only.
  let isExact: Bool
  /// `nil` before they have been taken.
  private let intervals: [Quantile: QuantileInterval]?

  /// The quantiles of panels and titles.
  static let quantiles: [Quantile] = [.p50, .p90, .p99, .p999]

  init(metric: Metric, count: Int, isExact: Bool, _ interval: (Quantile) -> QuantileInterval?) {
    self.metric = metric
    self.count = count
    self.isExact = isExact
    var intervals: [Quantile: QuantileInterval] = [:]
    for quantile in Self.quantiles { intervals[quantile] = interval(quantile) }
    self.intervals = intervals
  }

  /// Nothing has been taken yet.
  init(pending metric: Metric) {
    self.metric = metric
    count = 0
    isExact = true
    intervals = nil
  }

  subscript(quantile: Quantile) -> QuantileFigure {
    guard let intervals else { return .pending }
    guard let interval = intervals[quantile], interval.count >= quantile.smallestCount else {
      return .tooFew(needs: quantile.smallestCount)
    }
    return interval.isUndetermined ? .undetermined(interval) : .known(interval)
  }
}

/// A quantile as it is shown.
enum QuantileFigure: Sendable, Hashable {
  /// The value is known, with at least one end of its interval.
  case known(QuantileInterval)
  /// Fewer values than even independent ones would have to be.
  case tooFew(needs: Int)
  /// Enough values, but they depend on each other so much that they say nothing about the quantile.
  case undetermined(QuantileInterval)
  /// Not taken yet.
  case pending

  /// µs.
  var value: Int64? {
    guard case .known(let interval) = self else { return nil }
    return interval.value
  }

  /// `812 ms`, `≥ 780 ms` where the upper end is open, or `n too small (needs 368)`: never a number from too few values.
  func text(isASCII: Bool = false) -> String {
    switch self {
    case .known(let interval):
      switch (interval.low, interval.high) {
      case (let low?, nil): "\(isASCII ? ">=" : "≥") \(LatencyText.text(low))"
      case (nil, let high?): "\(isASCII ? "<=" : "≤") \(LatencyText.text(high))"
      default: LatencyText.text(interval.value)
      }
    case .tooFew(let needs): "n too small (needs \(CountText.grouped(needs)))"
    case .undetermined(let interval): "n too small (effective \(interval.effectiveText))"
    case .pending: ""
    }
  }

  /// The same where `n` is shown nearby: `needs 368`, `effective 12 345`.
  func shortText(isASCII: Bool = false) -> String {
    switch self {
    case .known, .pending: text(isASCII: isASCII)
    case .tooFew(let needs): "needs \(CountText.grouped(needs))"
    case .undetermined(let interval): "effective \(interval.effectiveText)"
    }
  }

  /// `[780, 840] ms`: the 95 % interval; `nil` where an end is open.
  var interval: String? {
    guard case .known(let interval) = self, let low = interval.low, let high = interval.high else {
      return nil
    }
    return LatencyText.interval(low, high)
  }

  /// `n 38 of 3600`: as many independent values would say as much.
  var effective: String? { effective(columns: .max) }

  /// The same, or `n 12 345` where all of it takes more columns.
  func effective(columns: Int) -> String? {
    guard case .known(let interval) = self else { return nil }
    let count = "n \(interval.effectiveText)"
    let whole = "\(count) of \(CountText.grouped(interval.count))"
    return whole.count <= columns ? whole : count
  }
}

extension QuantileInterval {
  fileprivate var effectiveText: String { CountText.effective(effectiveCount) }
}

/// A threshold, and how many settled notifications of a window took longer.
struct ThresholdFigures: Sendable, Hashable {
  /// µs.
  let value: Int64
  let over: Int
  /// Settled notifications, including those without a latency: without them the share would be too small.
  let due: Int
  /// The 95 % interval of the share.
  let low: Double
  let high: Double

  init(value: Int64, over interval: ShareInterval) {
    self.value = value
    over = interval.events
    due = interval.count
    (low, high) = (interval.low, interval.high)
  }

  /// Share of the settled notifications, `3.2 %`; empty when there are none.
  var share: String {
    due > 0 ? PercentText.fine(Double(over) / Double(due)) : ""
  }

  /// `[1.1, 4.6] %`; empty when there are none.
  var interval: String {
    due > 0 ? "\(PercentText.fineNumber(low)) to \(PercentText.fineNumber(high)) %" : ""
  }
}
