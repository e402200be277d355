import ConstraintAnimation
import Findings
import Measurement
import Store

/// The distribution of the window's latencies, with that of the window before behind it, percentile marks with their
/// intervals below, and the quantiles of every metric beside it.
struct HistogramModel {
  let facts: WindowStatistics
  let before: WindowStatistics
  let summary: WindowSummary
  /// Quantiles of all metrics, the displayed one first.
  let summaries: [WindowSummary]
  let kind: BucketKind
  /// Latencies of the selected notifications.
  let selected: HistogramBuckets.Values
  let targetStyle: CellStyle
  /// Whether a part of the window has not been read yet.
  let isReading: Bool
  /// Length of the sums that are not over at the moment of a replay; `nil` when all are.
  let openSums: String?
  let appearance: Appearance
  let width: Int
  let height: Int

  static let gutter = 9

  /// - Parameter kept: what was counted for the last picture.
  func picture(_ kept: inout BucketCounts) -> CellPicture {
    var picture = TitleRow.picture(width: width, height: height, appearance)
    let buckets = buckets(&kept)
    drawTitle(buckets, &picture)
    if isReading {
      // Figures of a part would be taken for those of the window.
    } else if tableWidth > 0 {
      table.draw(&picture, x: width - tableWidth, y: 1, height: height - 1)
    } else if figuresWidth > 0 {
      figures.draw(&picture, x: width - figuresWidth, y: 1, height: height - 1)
    }
    guard rows > 0, columns > 8 else { return picture }
    guard let buckets else {
      let text = emptyText
      let shown = FittedText.truncated(text, columns: columns, ellipsis: appearance.glyphs.ellipsis)
      picture.put(
        shown, x: Self.gutter + max(0, (columns - shown.unicodeScalars.count) / 2), y: 1 + rows / 2,
        style: appearance(.secondary))
      return picture
    }
    draw(buckets, &picture)
    return picture
  }

  private var emptyText: String {
    if isReading { return appearance.glyphs.reading }
    if isUnknown, let openSums { return "no sum of \(openSums) is over yet" }
    return facts.isEmpty ? "nothing in this window" : "no \(facts.metric.shortTitle) in this window yet"
  }

  /// Nothing is known before the first sum is over.
  private var isUnknown: Bool { facts.isEmpty && openSums != nil }

  // MARK: - Room

  private var table: QuantileTable { QuantileTable(summaries: summaries, appearance: appearance) }

  /// Quantiles of every metric, where they fit.
  private var tableWidth: Int { !isUnknown && width >= 60 + table.width && height >= 5 ? table.width : 0 }

  private var figures: QuantileFigures { QuantileFigures(summary: summary, appearance: appearance) }

  /// Quantiles of the displayed metric, where only these fit.
  private var figuresWidth: Int {
    !isUnknown && width >= 44 + QuantileFigures.width && height >= 5 ? QuantileFigures.width : 0
  }

  /// Columns and rows of the bars.
  var columns: Int {
    let beside = tableWidth > 0 ? tableWidth + 2 : figuresWidth > 0 ? figuresWidth + 2 : 1
    return width - Self.gutter - beside
  }

  private var rows: Int { height - 1 - labelRows }

  /// Rows of the percentile marks, and of the axis where it fits.
  private var labelRows: Int { height >= 6 ? 2 : 1 }

  /// `nil` when there is nothing to count.
  var buckets: HistogramBuckets? {
    var none = BucketCounts()
    return buckets(&none)
  }

  private func buckets(_ kept: inout BucketCounts) -> HistogramBuckets? {
    guard facts.valueCount > 0, columns > 8 else { return nil }
    let (now, past) = (HistogramBuckets.Values(facts), HistogramBuckets.Values(before))
    let largest = [facts.largestValue, before.largestValue].compactMap { $0 }.max() ?? 0
    switch kind {
    case .logarithmic:
      let smallest = [facts.smallest, before.smallest].compactMap { $0 }.min()
      let axis = LatencyAxis.fitting(kind: .logarithmic, smallest: smallest, largest: largest)
      return HistogramBuckets(
        axis: axis, columns: columns, now: now, before: past, selected: selected, &kept)
    case .seconds:
      return HistogramBuckets(
        secondsUpTo: largest, columns: columns, now: now, before: past, selected: selected, &kept)
    }
  }

  // MARK: - Title

  private func drawTitle(_ buckets: HistogramBuckets?, _ picture: inout CellPicture) {
    var what = "\(facts.metric.shortTitle), this window"
    if let span = buckets?.span { what += ", buckets of \(LengthText.given(span))" }
    var left = [
      LineItem(priority: 9, [TextSpan("histogram", appearance(.strong))]),
      LineItem(
        priority: 4, [TextSpan(what, appearance(.secondary))],
        short: LineItem.Short(
          priority: 7, spans: [TextSpan(facts.metric.rawValue, appearance(.secondary))])),
    ]
    if before.valueCount > 0 {
      left.append(
        LineItem(
          priority: 3,
          [
            TextSpan(ghostSample, appearance(.ghost)), TextSpan(" the window before", appearance(.secondary)),
          ],
          short: LineItem.Short(
            priority: 5,
            spans: [TextSpan(ghostSample, appearance(.ghost)), TextSpan(" before", appearance(.secondary))])))
    }
    if selected.count > 0 {
      left.append(
        LineItem(
          priority: 6,
          [
            TextSpan("selected ", appearance(.secondary)),
            TextSpan(CountText.grouped(selected.count), appearance(.selected)),
          ]))
    }
    TitleRow.add(TitleRow.fitted(left, right: share, width: width), to: &picture)
  }

  /// The share of due notifications that have a latency: "measured", since the plot's title has another share, of those that
  /// are settled. Without those that never arrived, a distribution looks too good.
  private var share: [LineItem] {
    if isReading { return [LineItem(priority: 7, [ScatterTitle.reading(appearance)])] }
    if isUnknown { return [] }
    let due = facts.counts.due
    let count = facts.valueCount
    var items = [
      LineItem(
        priority: 7,
        [TextSpan("n ", appearance(.secondary)), TextSpan(CountText.grouped(count), appearance(.text))])
    ]
    guard due > 0 else { return items }
    let style = appearance(count == due ? .secondary : .text)
    let share = [
      TextSpan("of ", appearance(.secondary)), TextSpan(CountText.grouped(due), appearance(.text)),
      facts.isTruncated
        ? TextSpan(" newest", appearance(.warning)) : TextSpan(" planned", appearance(.secondary)),
    ]
    items.append(
      LineItem(
        priority: 4,
        share + [
          TextSpan(" " + PercentText.brief(count, of: due), style),
          TextSpan(" measured", appearance(.secondary)),
        ],
        short: LineItem.Short(priority: 6, spans: share)))
    if facts.metric == .shown, facts.counts.unseen > 0 {
      items.append(
        LineItem(
          priority: 5,
          [
            TextSpan("unseen ", appearance(.secondary)),
            TextSpan(CountText.grouped(facts.counts.unseen), appearance(.lost)),
          ]))
    }
    return items
  }

  private var ghostSample: String {
    if !ghostNeedsGlyph { return "█" }
    return Unicode.Scalar(appearance.glyphs.ghost).map { String(Character($0)) } ?? " "
  }

  /// Whether the ghost is drawn in glyphs of its own: with sixteen colors or fewer its shade may equal the background or the
  /// bars, and ASCII has no other glyphs.
  private var ghostNeedsGlyph: Bool { !appearance.hasManyColors || appearance.isASCII }

  // MARK: - Bars

  private func draw(_ buckets: HistogramBuckets, _ picture: inout CellPicture) {
    let levels = rows * 8
    let top = Self.roundCount(atLeast: max(2, buckets.highest))
    // A count above 0 is always visible.
    func height(_ count: Int, atLeast least: Int) -> Int {
      count == 0 ? 0 : max(least, Int((Double(count) / Double(top) * Double(levels)).rounded()))
    }
    let least = appearance.glyphs.smallestBar
    let leastGhost = ghostNeedsGlyph ? Self.leastGhost : least
    for column in 0..<min(columns, buckets.columns) {
      guard let bucket = buckets.bucket(at: column) else { continue }
      drawColumn(
        x: Self.gutter + column, bar: height(buckets.now[bucket], atLeast: least),
        ghost: height(buckets.before[bucket], atLeast: leastGhost),
        selected: height(buckets.selected[bucket], atLeast: least), &picture)
    }
    drawCounts(top: top, &picture)
    let columns = min(columns, buckets.columns)
    drawPercentiles(buckets.axis, columns: columns, y: 1 + rows, &picture)
    if labelRows > 1 { drawScale(buckets.axis, columns: columns, y: 2 + rows, &picture) }
  }

  /// Draws one column: the bar in eighths of a cell, the ghost where it is higher, the selected part in front.
  private func drawColumn(x: Int, bar: Int, ghost: Int, selected: Int, _ picture: inout CellPicture) {
    let bars = appearance.glyphs.bars
    for row in 0..<rows {
      let y = rows - row
      let filled = min(max(bar - row * 8, 0), 8)
      let behind = min(max(ghost - row * 8, 0), 8)
      let chosen = min(max(selected - row * 8, 0), 8)
      if chosen > 0 {
        drawSelected(chosen, of: filled, x: x, y: y, &picture)
      } else if filled == 8 || filled > 0 && behind <= filled {
        picture.set(bars[filled], x: x, y: y, style: targetStyle)
      } else if filled > 0 {
        // Both end in this cell: the ghost fills the rest of it.
        var style = targetStyle
        if behind == 8, appearance.hasManyColors { style.background = appearance(.ghost).foreground }
        picture.set(bars[filled], x: x, y: y, style: style)
      } else if behind > 0 {
        drawGhost(behind, x: x, y: y, &picture)
      }
    }
  }

  /// Eighths of a cell from which a full glyph stands for the ghost.
  private static let leastGhost = 4

  private func drawGhost(_ eighths: Int, x: Int, y: Int, _ picture: inout CellPicture) {
    let glyphs = appearance.glyphs
    if !ghostNeedsGlyph {
      picture.set(glyphs.bars[eighths], x: x, y: y, style: appearance(.ghost))
    } else if eighths >= Self.leastGhost {
      picture.set(glyphs.ghost, x: x, y: y, style: appearance(.ghost))
    }
  }

  private func drawSelected(_ chosen: Int, of filled: Int, x: Int, y: Int, _ picture: inout CellPicture) {
    let bars = appearance.glyphs.bars
    if appearance.marksNeedGlyphs {
      // Without colors, the selected part has a glyph of its own.
      picture.set(appearance.glyphs.selectedBar, x: x, y: y, style: appearance(.strong))
      return
    }
    var style = appearance(.selected)
    if filled == 8, chosen < 8 { style.background = targetStyle.foreground }
    picture.set(bars[chosen], x: x, y: y, style: style)
  }

  /// Upper end of the count axis: a round number above the highest bar, so that the scale changes rarely.
  static func roundCount(atLeast count: Int) -> Int {
    var decade = 1
    while decade * 10 < count { decade *= 10 }
    // Halves of them are whole numbers from 2 on.
    let steps =
      decade == 1 ? [2, 4, 6, 8, 10] : [10, 12, 14, 16, 20, 24, 30, 36, 40, 50, 60, 70, 80, 90, 100]
    return steps.map { decade == 1 ? $0 : $0 * decade / 10 }.first { $0 >= count } ?? decade * 10
  }

  private func drawCounts(top: Int, _ picture: inout CellPicture) {
    let glyphs = appearance.glyphs
    let x = Self.gutter - 1
    for y in 1...rows { picture.set(glyphs.vertical, x: x, y: y, style: appearance(.faint)) }
    picture.set(glyphs.teeLeft, x: x, y: 1, style: appearance(.faint))
    picture.put(
      FittedText.padded(CountText.grouped(top), columns: x - 1), x: 0, y: 1, style: appearance(.secondary))
    if rows >= 5 {
      let middle = 1 + rows / 2
      picture.set(glyphs.teeLeft, x: x, y: middle, style: appearance(.faint))
      picture.put(
        FittedText.padded(CountText.grouped(top / 2), columns: x - 1), x: 0, y: middle,
        style: appearance(.secondary))
    }
  }

  // MARK: - Axis

  /// Draws the line under the bars with a pointer, a name and an interval for each percentile.
  private func drawPercentiles(_ axis: LatencyAxis, columns: Int, y: Int, _ picture: inout CellPicture) {
    let glyphs = appearance.glyphs
    picture.set(glyphs.lowerLeft, x: Self.gutter - 1, y: y, style: appearance(.faint))
    picture.row(glyphs.horizontal, x: Self.gutter, y: y, count: self.columns, style: appearance(.faint))
    if labelRows > 1 {
      for tick in ticks(axis, columns: columns) {
        picture.set(glyphs.teeDown, x: Self.gutter + tick.column, y: y, style: appearance(.faint))
      }
    }
    let marks =
      isReading
      ? [] : WindowSummary.quantiles.compactMap { PercentileMark(summary, $0, axis, columns: columns) }
    var taken = Array(repeating: false, count: self.columns + 1)
    for mark in marks {
      for column in mark.low...mark.high where column != mark.column {
        taken[column] = true
        let glyph = column < mark.column ? glyphs.intervalBelow : glyphs.intervalAbove
        picture.set(glyph, x: Self.gutter + column, y: y, style: appearance(.median))
      }
    }
    for mark in marks {
      taken[mark.column] = true
      picture.set(glyphs.pointer, x: Self.gutter + mark.column, y: y, style: appearance(.median))
    }
    for mark in marks {
      // To the right of its interval, or to the left; never over another, and a column away from it.
      for start in [mark.high + 1, mark.low - mark.name.count] {
        let end = start + mark.name.count
        guard start >= 0, end <= self.columns, !taken[start..<end].contains(true),
          start > mark.column ? !taken[end] : start == 0 || !taken[start - 1]
        else { continue }
        picture.put(mark.name, x: Self.gutter + start, y: y, style: appearance(.strong))
        for column in start..<end { taken[column] = true }
        break
      }
    }
  }

  private func drawScale(_ axis: LatencyAxis, columns: Int, y: Int, _ picture: inout CellPicture) {
    var end = 0
    for tick in ticks(axis, columns: columns) {
      let start = max(0, min(Self.gutter + tick.column - tick.label.count / 2, width - tick.label.count))
      guard start >= end else { continue }
      picture.put(tick.label, x: start, y: y, style: appearance(.secondary))
      end = start + tick.label.count + 1
    }
  }

  private func ticks(_ axis: LatencyAxis, columns: Int) -> [(column: Int, label: String)] {
    LatencyTicks.make(for: axis, most: max(2, columns / 12)).compactMap { tick in
      axis.row(of: tick.value, rows: columns).map { ($0, tick.label) }
    }
  }
}

/// Columns of a percentile and its interval on an axis.
struct PercentileMark: Sendable, Hashable {
  let name: String
  let column: Int
  /// Columns of the interval's ends, limited to the axis.
  let low: Int
  let high: Int

  /// `nil` when there are too few values, or it is off the axis.
  init?(_ summary: WindowSummary, _ quantile: Quantile, _ axis: LatencyAxis, columns: Int) {
    guard case .known(let interval) = summary[quantile],
      let column = axis.row(of: interval.value, rows: columns)
    else { return nil }
    name = quantile.label
    self.column = column
    // Open ends reach to the end of the axis.
    low = min(column, interval.low.flatMap { axis.row(of: max($0, axis.lower), rows: columns) } ?? 0)
    high = max(column, interval.high.flatMap { axis.row(of: $0, rows: columns) } ?? columns - 1)
  }
}
