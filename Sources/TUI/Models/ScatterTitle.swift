import ConstraintAnimation
import Measurement
import Store

/// The line above a plot: metric, legends, counts and quantiles of the window.
enum ScatterTitle {
  static func line(
    facts: WindowStatistics, summary: WindowSummary, colors: SeriesColors, targets: [DisplayedTarget],
    shown: [Int],
    averages: AverageLines, threshold: ShownThreshold?, sums: String?, openSums: String? = nil,
    isTruncated: Bool, isReading: Bool,
    isReadingMarks: Bool,
    width: Int, appearance: Appearance
  ) -> FittedLine {
    var left = [
      LineItem(
        priority: 60, metricLegend(facts.metric, colors, shown: shown, appearance),
        short: LineItem.Short(
          priority: 63, spans: metricLegend(facts.metric, colors, shown: shown, isShort: true, appearance)))
    ]
    if isReading {
      // Counts and quantiles of a part would be taken for those of the window.
      left.append(LineItem(priority: 65, [reading(appearance)]))
      return FittedLine(left: left, right: [], width: TitleRow.room(width), gap: 2, middle: 4)
    }
    if facts.isEmpty, let openSums {
      // Nothing is known before the first sum is over: neither counts of 0 nor a too small n.
      left.append(LineItem(priority: 65, [TextSpan("sums of \(openSums)", appearance(.warning))]))
      return FittedLine(left: left, right: [], width: TitleRow.room(width), gap: 2, middle: 4)
    }
    if facts.metric == .accept || facts.metric == .delivery {
      left.append(LineItem(priority: 15, [TextSpan("from planned send", appearance(.secondary))]))
    }
    left += averageLegend(averages, appearance)
    left += thresholdLegend(threshold, appearance)
    if facts.withinError > 0 {
      left.append(
        LineItem(
          priority: 64,
          [TextSpan("\(FixedPoint.grouped(facts.withinError)) within their error", appearance(.warning))]))
    }
    if isReadingMarks {
      left.append(
        LineItem(
          priority: 63, [TextSpan("reading events\(appearance.glyphs.ellipsis)", appearance(.warning))]))
    }
    if let sums {
      left.append(LineItem(priority: 65, [TextSpan("sums of \(sums)", appearance(.warning))]))
    } else if isTruncated {
      let most = FixedPoint.grouped(PointWindow.capacity)
      left.append(LineItem(priority: 65, [TextSpan("newest \(most) only", appearance(.warning))]))
    }
    let isByTarget = colors.coloring == .target
    if isByTarget { left += targetLegend(targets, shown: shown, appearance) }
    let hasBullet = targets.count < 2 || !isByTarget
    let expectsReceipts = shown.contains { targets.indices.contains($0) && targets[$0].expectsReceipts }
    left += stateLegend(
      facts.counts, colors, expectsReceipts: expectsReceipts, hasBullet: hasBullet, appearance)
    let isNarrow = width < 90
    let right =
      figure(.p50, summary, priority: 80, isNarrow: isNarrow, appearance)
      + figure(.p99, summary, priority: 73, isNarrow: isNarrow, appearance)
    return FittedLine(left: left, right: right, width: TitleRow.room(width), gap: 2, middle: 4)
  }

  /// Shown until the window has been read.
  static func reading(_ appearance: Appearance) -> TextSpan {
    TextSpan("reading\(appearance.glyphs.ellipsis)", appearance(.warning))
  }

  /// The name of the metric, or two names with their colors.
  private static func metricLegend(
    _ metric: Metric, _ colors: SeriesColors, shown: [Int], isShort: Bool = false, _ appearance: Appearance
  ) -> [TextSpan] {
    func title(_ metric: Metric) -> TextSpan {
      TextSpan(isShort ? metric.rawValue : metric.shortTitle, appearance(.strong))
    }
    guard colors.metrics.count > 1 else { return [title(metric)] }
    let spans = colors.metrics.map { metric in
      let place = colors.place(target: shown.first ?? 0, metric: metric, state: .delivered)
      return [TextSpan("\(appearance.glyphs.sign(of: .good)) ", appearance.target(place)), title(metric)]
    }
    return Array(spans.joined(separator: [TextSpan("  ", .plain)]))
  }

  private static func averageLegend(_ averages: AverageLines, _ appearance: Appearance) -> [LineItem] {
    func item(_ glyph: UInt32, _ name: String, _ role: Role) -> LineItem {
      let sign = Unicode.Scalar(glyph).map { String(Character($0)) } ?? " "
      return LineItem(
        priority: 12,
        [TextSpan(sign + sign, appearance(role)), TextSpan(" \(name)", appearance(.secondary))])
    }
    var items: [LineItem] = []
    if averages.showsMedian { items.append(item(appearance.glyphs.median, "median", .median)) }
    if averages.showsMean { items.append(item(appearance.glyphs.mean, "mean", .mean)) }
    return items
  }

  /// The share beyond the threshold.
  private static func thresholdLegend(_ threshold: ShownThreshold?, _ appearance: Appearance) -> [LineItem] {
    guard let threshold else { return [] }
    var spans = [TextSpan("over \(LatencyText.text(threshold.value))", appearance(.threshold))]
    guard let figures = threshold.figures, !figures.share.isEmpty else {
      return [LineItem(priority: 55, spans)]
    }
    spans.append(TextSpan(" \(figures.share)", appearance(.text)))
    return [
      LineItem(priority: 55, spans),
      LineItem(priority: 26, [TextSpan(figures.interval, appearance(.secondary))]),
      LineItem(priority: 10, [TextSpan("of planned", appearance(.secondary))]),
    ]
  }

  /// The colors of targets when there are several; all of them or none.
  private static func targetLegend(_ targets: [DisplayedTarget], shown: [Int], _ appearance: Appearance)
    -> [LineItem]
  {
    guard targets.count > 1, appearance.hasColors else { return [] }
    let spans = shown.prefix(MarkCode.targets).map { index in
      [
        TextSpan("\(appearance.glyphs.sign(of: .good)) ", appearance.target(index)),
        TextSpan(
          FittedText.truncated(targets[index].name, columns: 16, ellipsis: appearance.glyphs.ellipsis),
          appearance(.secondary)),
      ]
    }
    return [LineItem(priority: 45, Array(spans.joined(separator: [TextSpan("  ", .plain)])))]
  }

  /// Counts of the window by state: the good ones always, the others when not 0.
  private static func stateLegend(
    _ counts: StateCounts, _ colors: SeriesColors, expectsReceipts: Bool, hasBullet: Bool,
    _ appearance: Appearance
  ) -> [LineItem] {
    // Where receipts are expected of some targets only, both final states are good.
    let good: [NotificationState] = [.delivered, .accepted].filter { counts[$0] > 0 }
    var items = (good.isEmpty ? [expectsReceipts ? .delivered : .accepted] : good).map { state in
      var item = item(state, counts[state], priority: 40, appearance)
      if colors.coloring == .state, good.count > 1 {
        let place = colors.place(target: 0, metric: colors.metrics[0], state: state)
        item.spans[0].style = appearance.target(place)
      }
      return item
    }
    // With several targets, colors stand for targets and not for states.
    if !hasBullet { items[0].spans.removeFirst(2) }
    let others: [NotificationState] = [.late, .lost, .failed, .rejected, .missed, .interrupted]
    for (index, state) in others.enumerated() where counts[state] > 0 {
      var item = item(state, counts[state], priority: 50 - index, appearance)
      // Shortened to sign and count rather than left out; only the median has a higher priority.
      let least = state == .late ? 74 : 80 - index
      item.short = LineItem.Short(priority: least, spans: [item.spans[0], item.spans[1], item.spans[3]])
      items.append(item)
    }
    if counts[.inFlight] > 0 { items.append(item(.inFlight, counts[.inFlight], priority: 30, appearance)) }
    return items
  }

  private static func item(
    _ state: NotificationState, _ count: Int, priority: Int, _ appearance: Appearance
  ) -> LineItem {
    let markClass = MarkClass(state) ?? .pending
    let symbol = appearance.glyphs.sign(of: markClass)
    return LineItem(
      priority: priority,
      [
        TextSpan(symbol, appearance(Role(markClass))), TextSpan(" ", .plain),
        TextSpan("\(state.title) ", appearance(.secondary)),
        TextSpan(FixedPoint.grouped(count), appearance(.text)),
      ])
  }

  /// The value, and its interval where it fits.
  private static func figure(
    _ quantile: Quantile, _ summary: WindowSummary, priority: Int, isNarrow: Bool, _ appearance: Appearance
  ) -> [LineItem] {
    let figure = summary[quantile]
    let name = TextSpan("\(quantile.label) ", appearance(.secondary))
    guard figure.value != nil else {
      if figure == .pending { return [] }
      let text =
        isNarrow ? figure.shortText(isASCII: appearance.isASCII) : figure.text(isASCII: appearance.isASCII)
      // A missing figure is less important than any that is known.
      return [LineItem(priority: priority - 15, [name, TextSpan(text, appearance(.secondary))])]
    }
    let value = TextSpan(
      FittedText.padded(figure.text(isASCII: appearance.isASCII), columns: 7), appearance(.strong))
    guard let interval = figure.interval ?? figure.effective else {
      return [LineItem(priority: priority, [name, value])]
    }
    return [
      LineItem(priority: priority, [name, value]),
      LineItem(
        priority: priority - 45,
        [TextSpan(FittedText.padded(interval, columns: 14), appearance(.secondary))]),
    ]
  }
}

/// The threshold line, and what lies beyond it.
struct ShownThreshold: Sendable, Hashable {
  /// µs.
  let value: Int64
  /// `nil` until they have been taken.
  let figures: ThresholdFigures?
}

/// Titles in a horizontal line, with a space on either side.
enum TitleRow {
  /// Puts the groups of a line two columns from the left and from the right.
  static func add(_ line: FittedLine, to picture: inout CellPicture, y: Int = 0) {
    let space = TextSpan(" ", .plain)
    if line.leftColumns > 0 {
      picture.lines.append(
        CellPicture.Line(x: 1, y: y, spans: [space] + line.left + [space], end: picture.width - 1))
    }
    if line.rightColumns > 0 {
      let x = max(1, picture.width - line.rightColumns - 3)
      picture.lines.append(
        CellPicture.Line(x: x, y: y, spans: [space] + line.right + [space], end: picture.width))
    }
  }

  /// Columns for a fitted line in a picture of this width.
  static func room(_ width: Int) -> Int { width - 6 }
}
