import Analysis
import ConstraintAnimation
import Measurement
import Store

/// The line above a plot: metric, legends, counts and quantiles of the window, or what is pointed at.
struct ScatterTitle {
  let facts: WindowStatistics
  let summary: WindowSummary
  let colors: SeriesColors
  /// The targets of the run, and those of them that are shown.
  let targets: [DisplayedTarget]
  let shown: [Int]
  /// The one target of this pane; `nil` for all.
  let target: Int?
  let marks: PlotMarks
  /// The key whose values colors are to stand for; `nil` for none.
  var key: BreakdownKey?
  let threshold: ShownThreshold?
  /// The length of the sums that are drawn; `nil` for none.
  let sums: String?
  let openSums: String?
  let isReading: Bool
  let isReadingMarks: Bool
  /// What is under the crosshair.
  let pointed: [TextSpan]?
  /// Which of two plots it is; `nil` for a single one.
  var label: String?
  let width: Int
  let appearance: Appearance

  var line: FittedLine {
    if let pointed { return Self.fitted(pointed, width: width) }
    var left = head
    if isReading {
      // Counts and quantiles of a part would be taken for those of the window.
      left.append(LineItem(priority: 65, [Self.reading(appearance)]))
      return TitleRow.fitted(left, width: width)
    }
    if facts.isEmpty, let openSums {
      // Nothing is known before the first sum is over: neither counts of 0 nor a too small n.
      left.append(LineItem(priority: 65, [TextSpan("sums of \(openSums)", appearance(.warning))]))
      return TitleRow.fitted(left, width: width)
    }
    left.append(planned)
    if facts.metric == .accept || facts.metric == .delivery, marks == .dots {
      left.append(LineItem(priority: 15, [TextSpan("from planned send", appearance(.secondary))]))
    }
    left += thresholdLegend + remarks
    left += stateLegend
    let isNarrow = width < 90
    let right =
      figure(.p50, priority: 80, isNarrow: isNarrow) + figure(.p99, priority: 73, isNarrow: isNarrow)
    return TitleRow.fitted(left, right: right, width: width)
  }

  /// The text in parts, each of which begins with a space: the first ones stay longest.
  private static func fitted(_ spans: [TextSpan], width: Int) -> FittedLine {
    var parts: [[TextSpan]] = []
    for span in spans {
      if parts.isEmpty || span.text.hasPrefix("  ") { parts.append([]) }
      parts[parts.count - 1].append(span)
    }
    let items = parts.enumerated().map { place, part in
      var part = part
      part[0].text = String(part[0].text.drop { $0 == " " })
      return LineItem(priority: 90 - place, part)
    }
    return TitleRow.fitted(items, width: width)
  }

  /// The metric, or the pane's target, and how notifications are drawn where that is not as dots.
  private var head: [LineItem] {
    var items: [LineItem] = []
    if let label {
      let name = FittedText.truncated(
        label, columns: max(3, width / 3), ellipsis: appearance.glyphs.ellipsis)
      items.append(LineItem(priority: 97, [TextSpan(name, appearance(.accent))]))
    }
    if let target, targets.indices.contains(target) {
      let name = FittedText.truncated(targets[target].name, columns: 24, ellipsis: appearance.glyphs.ellipsis)
      items.append(
        LineItem(
          priority: 96,
          [
            TextSpan("\(appearance.targetSign(target)) ", appearance.target(target)),
            TextSpan(name, appearance(.strong)),
          ]))
    }
    items.append(
      LineItem(
        priority: target == nil ? 60 : 14, metricLegend(isShort: false),
        short: LineItem.Short(priority: target == nil ? 63 : 14, spans: metricLegend(isShort: true))))
    switch marks {
    case .dots: break
    case .bands: items.append(LineItem(priority: 56, [TextSpan("percentiles", appearance(.secondary))]))
    case .minutes:
      let times = appearance.isASCII ? "x" : "×"
      items.append(LineItem(priority: 66, [TextSpan("minute \(times) latency", appearance(.strong))]))
      items.append(LineItem(priority: 20, [TextSpan("share of the minute", appearance(.secondary))]))
    }
    return items
  }

  /// Whether each of the targets that are shown expects receipts.
  private var expectations: [Bool] {
    shown.filter { targets.indices.contains($0) }.map { targets[$0].expectsReceipts }
  }

  /// How many were due, and what share of those that have their end were delivered or accepted: the line of a plot by itself always has this,
  /// whatever else must go. That of one of several has both in fewer columns, which go after the 99th percentile and the median;
  /// the share stays. Where only the newest were read, it says so in all of these.
  private var planned: LineItem {
    let counts = facts.counts
    let arrived = counts.good
    let settled = counts.settled
    let count = TextSpan(CountText.grouped(counts.due), appearance(.text))
    let whole = [
      facts.isTruncated
        ? TextSpan("only newest ", appearance(.warning)) : TextSpan("planned ", appearance(.secondary)),
      count,
    ]
    guard settled > 0 else { return LineItem(priority: facts.isTruncated ? 98 : 79, whole) }
    let newest = facts.isTruncated ? [TextSpan(" of newest", appearance(.warning))] : []
    let of = facts.isTruncated ? TextSpan(" ", .plain) : TextSpan(" of ", appearance(.secondary))
    let share = PercentText.brief(arrived, of: settled)
    let style = appearance(arrived == settled ? .text : .strong)
    let dot = appearance.isASCII ? "," : " ·"
    let percent = TextSpan(share, style)
    let outcome = GoodOutcome(ofTargetsExpectingReceipts: expectations)
    let isAlone = label == nil && target == nil
    return LineItem(
      // The longest word would cost the 99th percentile in a narrow terminal.
      priority: isAlone && outcome != .either ? 98 : 72,
      whole + [
        TextSpan("\(dot) ", appearance(.secondary)), percent,
        TextSpan(" \(outcome.word)", appearance(.secondary)),
      ],
      short: LineItem.Short(priority: 81, spans: [percent] + newest + [of, count]),
      shortest: LineItem.Short(priority: 99, spans: [percent] + newest))
  }

  /// What limits what is shown.
  private var remarks: [LineItem] {
    var items: [LineItem] = []
    func warn(_ text: String, priority: Int) {
      items.append(LineItem(priority: priority, [TextSpan(text, appearance(.warning))]))
    }
    if facts.withinError > 0 {
      warn("\(CountText.grouped(facts.withinError)) within their error", priority: 64)
    }
    if isReadingMarks { warn("reading events\(appearance.glyphs.ellipsis)", priority: 63) }
    if let sums {
      // Sums have no values of a key.
      warn(key == nil ? "sums of \(sums)" : "sums of \(sums), colors by target", priority: 65)
    }
    return items
  }

  /// Shown until the window has been read.
  static func reading(_ appearance: Appearance) -> TextSpan {
    TextSpan(appearance.glyphs.reading, appearance(.warning))
  }

  /// The name of the metric, or two names with their colors.
  private func metricLegend(isShort: Bool) -> [TextSpan] {
    func title(_ metric: Metric) -> TextSpan {
      TextSpan(isShort ? metric.rawValue : metric.shortTitle, appearance(.strong))
    }
    guard colors.metrics.count > 1 else { return [title(facts.metric)] }
    let spans = colors.metrics.map { metric in
      let place = colors.place(target: shown.first ?? 0, metric: metric, state: .delivered)
      return [TextSpan("\(appearance.targetSign(place)) ", appearance.target(place)), title(metric)]
    }
    return Array(spans.joined(separator: [TextSpan("  ", .plain)]))
  }

  /// The share beyond the threshold.
  private var thresholdLegend: [LineItem] {
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

  /// Counts of the window by state: the good ones always, the others when not 0.
  private var stateLegend: [LineItem] {
    let counts = facts.counts
    // Where receipts are expected of some targets only, both final states are good.
    let good: [NotificationState] = [.delivered, .accepted].filter { counts[$0] > 0 }
    var items = (good.isEmpty ? [expectations.contains(true) ? .delivered : .accepted] : good).map {
      state in
      var item = item(state, priority: 40)
      if colors.coloring == .state, good.count > 1 {
        let place = colors.place(target: 0, metric: colors.metrics[0], state: state)
        item.spans[0] = TextSpan(appearance.targetSign(place), appearance.target(place))
      }
      return item
    }
    // With several targets, colors stand for targets and not for states, and so for the values of a key; the header names them.
    if targets.count > 1 && colors.coloring == .target || colors.values != nil {
      items[0].spans.removeFirst(2)
    }
    let others: [NotificationState] = [.late, .lost, .failed, .rejected, .missed, .interrupted]
    for (index, state) in others.enumerated() where counts[state] > 0 {
      var item = item(state, priority: 50 - index)
      // Shortened to sign and count rather than left out; then the median goes first.
      let least = state == .late ? 74 : 80 - index
      item.short = LineItem.Short(priority: least, spans: [item.spans[0], item.spans[1], item.spans[3]])
      item.shortest = LineItem.Short(
        priority: state == .late ? 90 : 96 - index, spans: [item.spans[0], item.spans[3]], isTight: true)
      items.append(item)
    }
    if facts.metric == .shown, counts.unseen > 0 { items.insert(unseen, at: good.isEmpty ? 1 : good.count) }
    if counts[.inFlight] > 0 { items.append(item(.inFlight, priority: 30)) }
    return items
  }

  /// How many were delivered and not shown by the receipt deadline: losses of the time until shown.
  private var unseen: LineItem {
    let sign = TextSpan(appearance.glyphs.sign(of: .unseen), appearance(Role(.unseen)))
    let count = TextSpan(CountText.grouped(facts.counts.unseen), appearance(.text))
    return LineItem(
      priority: 50, [sign, TextSpan(" ", .plain), TextSpan("unseen ", appearance(.secondary)), count],
      short: LineItem.Short(priority: 80, spans: [sign, TextSpan(" ", .plain), count]),
      shortest: LineItem.Short(priority: 96, spans: [sign, count], isTight: true))
  }

  private func item(_ state: NotificationState, priority: Int) -> LineItem {
    let markClass = MarkClass(state) ?? .pending
    let symbol = appearance.glyphs.sign(of: markClass)
    return LineItem(
      priority: priority,
      [
        TextSpan(symbol, appearance(Role(markClass))), TextSpan(" ", .plain),
        TextSpan("\(state.title) ", appearance(.secondary)),
        TextSpan(CountText.grouped(facts.counts[state]), appearance(.text)),
      ])
  }

  /// The value, and its interval where it fits.
  private func figure(_ quantile: Quantile, priority: Int, isNarrow: Bool) -> [LineItem] {
    let figure = summary[quantile]
    let name = TextSpan("\(quantile.label) ", appearance(.secondary))
    let isASCII = appearance.isASCII
    guard figure.value != nil else {
      if figure == .pending { return [] }
      let text = isNarrow ? figure.shortText(isASCII: isASCII) : figure.text(isASCII: isASCII)
      // A missing figure is less important than any that is known.
      return [LineItem(priority: priority - 15, [name, TextSpan(text, appearance(.secondary))])]
    }
    let value = TextSpan(FittedText.padded(figure.text(isASCII: isASCII), columns: 7), appearance(.strong))
    let item = LineItem(priority: priority, [name, value])
    guard let interval = figure.interval ?? figure.effective else { return [item] }
    return [
      item,
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
