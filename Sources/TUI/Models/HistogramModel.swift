import ConstraintAnimation
import Measurement

/// The distribution of the window's latencies: logarithmic buckets, with the window before as a ghost behind, and
/// the quantiles of every metric beside it.
struct HistogramModel {
  let facts: WindowFacts
  let before: WindowFacts
  let summary: WindowSummary
  /// Of all metrics, the one on display first.
  let summaries: [WindowSummary]
  let targetStyle: CellStyle
  let appearance: Appearance
  let width: Int
  let height: Int

  private static let gutter = 9

  func picture() -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    drawTitle(&picture)
    let table = QuantileTable(summaries: summaries, appearance: appearance)
    let tableWidth = width >= 60 + table.width && height >= 5 ? table.width : 0
    if tableWidth > 0 { table.draw(&picture, x: width - tableWidth, y: 1, height: height - 1) }
    let columns = width - Self.gutter - (tableWidth > 0 ? tableWidth + 2 : 1)
    let rows = height - 1 - labelRows
    guard rows > 0, columns > 8 else { return picture }
    if facts.values.isEmpty {
      let text = facts.isEmpty ? "nothing in this window" : "no \(facts.metric.shortTitle) in this window yet"
      let shown = FittedText.truncated(text, columns: columns, ellipsis: appearance.glyphs.ellipsis)
      picture.put(
        shown, x: Self.gutter + max(0, (columns - shown.unicodeScalars.count) / 2), y: 1 + rows / 2,
        style: appearance(.secondary))
      return picture
    }
    draw(columns: columns, rows: rows, &picture)
    return picture
  }

  /// Percentile letters, and the axis below them where there is room.
  private var labelRows: Int { height >= 6 ? 2 : 1 }

  private func drawTitle(_ picture: inout CellPicture) {
    picture.row(appearance.glyphs.horizontal, x: 0, y: 0, count: width, style: appearance(.faint))
    let left = [
      LineItem(priority: 9, [TextSpan("histogram", appearance(.strong))]),
      LineItem(
        priority: 5, [TextSpan("\(facts.metric.shortTitle), this window", appearance(.secondary))]),
      LineItem(
        priority: 3,
        before.values.isEmpty
          ? []
          : [
            TextSpan(ghostSample, appearance(.ghost)), TextSpan(" the window before", appearance(.secondary)),
          ]),
    ].filter { !$0.spans.isEmpty }
    let right = [
      LineItem(
        priority: 4,
        [
          TextSpan("n ", appearance(.secondary)),
          TextSpan(FixedPoint.grouped(facts.values.count), appearance(.text)),
        ])
    ]
    TitleRow.add(
      FittedLine(left: left, right: right, width: TitleRow.room(width), gap: 2, middle: 4), to: &picture)
  }

  private var ghostSample: String { appearance.isASCII ? ":" : "█" }

  private func draw(columns: Int, rows: Int, _ picture: inout CellPicture) {
    let smallest = [facts.smallest, before.smallest].compactMap { $0 }.min()
    let largest = [facts.values.max(), before.values.max()].compactMap { $0 }.max()
    let axis = LatencyAxis.fitting(kind: .logarithmic, smallest: smallest, largest: largest)
    let buckets = Buckets(axis: axis, columns: columns, now: facts.values, before: before.values)
    let levels = rows * 8
    let top = Self.roundCount(atLeast: max(2, buckets.highest))
    func height(_ count: Int) -> Int {
      count == 0 ? 0 : max(1, Int((Double(count) / Double(top) * Double(levels)).rounded()))
    }
    for column in 0..<columns {
      let bar = height(buckets.now[column / buckets.width])
      let ghost = height(buckets.before[column / buckets.width])
      drawColumn(x: Self.gutter + column, bar: bar, ghost: ghost, rows: rows, &picture)
    }
    drawCounts(top: top, rows: rows, &picture)
    drawPercentiles(axis, columns: columns, y: 1 + rows, &picture)
    if labelRows > 1 { drawScale(axis, columns: columns, y: 2 + rows, &picture) }
  }

  /// One column of bars: eighths from below, the ghost behind where it is higher.
  private func drawColumn(x: Int, bar: Int, ghost: Int, rows: Int, _ picture: inout CellPicture) {
    let bars = appearance.glyphs.bars
    for row in 0..<rows {
      let y = rows - row
      let filled = min(max(bar - row * 8, 0), 8)
      let behind = min(max(ghost - row * 8, 0), 8)
      if filled == 8 || filled > 0 && behind <= filled {
        picture.set(bars[filled], x: x, y: y, style: targetStyle)
      } else if filled > 0 {
        // Both end in this cell: the ghost fills what the bar leaves.
        var style = targetStyle
        if behind == 8, appearance.hasManyColors { style.background = appearance(.ghost).foreground }
        picture.set(bars[filled], x: x, y: y, style: style)
      } else if behind > 0 {
        let glyph = !appearance.hasColors && behind >= 4 ? ghostGlyph : bars[behind]
        picture.set(glyph, x: x, y: y, style: appearance(.ghost))
      }
    }
  }

  /// Without colours a ghost must not look like a bar.
  private var ghostGlyph: UInt32 { appearance.isASCII ? 0x2E : 0x2591 }

  /// The end of the axis of counts: a round number not far above the highest bar, so that bars seldom all change.
  static func roundCount(atLeast count: Int) -> Int {
    var decade = 1
    while decade * 10 < count { decade *= 10 }
    return [1, 2, 4, 6, 8, 10].map { $0 * decade }.first { $0 >= count } ?? decade * 10
  }

  private func drawCounts(top: Int, rows: Int, _ picture: inout CellPicture) {
    let glyphs = appearance.glyphs
    let x = Self.gutter - 1
    for y in 1...rows { picture.set(glyphs.vertical, x: x, y: y, style: appearance(.faint)) }
    picture.set(glyphs.teeLeft, x: x, y: 1, style: appearance(.faint))
    picture.put(
      FittedText.padded(FixedPoint.grouped(top), columns: x - 1), x: 0, y: 1, style: appearance(.secondary))
    if rows >= 5 {
      let middle = 1 + rows / 2
      picture.set(glyphs.teeLeft, x: x, y: middle, style: appearance(.faint))
      picture.put(
        FittedText.padded(FixedPoint.grouped(top / 2), columns: x - 1), x: 0, y: middle,
        style: appearance(.secondary))
    }
  }

  /// The line under the bars with a pointer and a name for each percentile.
  private func drawPercentiles(_ axis: LatencyAxis, columns: Int, y: Int, _ picture: inout CellPicture) {
    let glyphs = appearance.glyphs
    picture.set(glyphs.lowerLeft, x: Self.gutter - 1, y: y, style: appearance(.faint))
    picture.row(glyphs.horizontal, x: Self.gutter, y: y, count: columns, style: appearance(.faint))
    if labelRows > 1 {
      for tick in ticks(axis, columns: columns) {
        picture.set(glyphs.teeDown, x: Self.gutter + tick.column, y: y, style: appearance(.faint))
      }
    }
    let marks = WindowSummary.quantiles.compactMap { quantile -> (column: Int, name: String)? in
      guard let value = summary[quantile].value, let column = axis.row(of: value, rows: columns) else {
        return nil
      }
      return (column, quantile.label)
    }
    var taken = Array(repeating: false, count: columns + 1)
    for mark in marks {
      taken[mark.column] = true
      picture.set(glyphs.pointer, x: Self.gutter + mark.column, y: y, style: appearance(.median))
    }
    for mark in marks {
      // To the right of its pointer, or to the left; not on top of another.
      for start in [mark.column + 1, mark.column - mark.name.count] {
        let end = start + mark.name.count
        guard start >= 0, end <= columns, !taken[start..<end].contains(true),
          !taken[end] || start < mark.column
        else { continue }
        picture.put(mark.name, x: Self.gutter + start, y: y, style: appearance(.strong))
        for column in start..<end { taken[column] = true }
        break
      }
    }
  }

  private func drawScale(_ axis: LatencyAxis, columns: Int, y: Int, _ picture: inout CellPicture) {
    for tick in ticks(axis, columns: columns) {
      let start = min(Self.gutter + tick.column - tick.label.count / 2, width - tick.label.count)
      picture.put(tick.label, x: max(0, start), y: y, style: appearance(.secondary))
    }
  }

  private func ticks(_ axis: LatencyAxis, columns: Int) -> [(column: Int, label: String)] {
    LatencyTicks.make(for: axis, most: max(2, columns / 12)).compactMap { tick in
      axis.row(of: tick.value, rows: columns).map { ($0, tick.label) }
    }
  }
}
