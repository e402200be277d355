import ConstraintAnimation
import Measurement
import Store

/// The quantiles of two plots side by side, and their differences.
struct ComparisonModel {
  let facts: ComparisonFigures
  /// What the first and the second plot show.
  let names: [String]
  /// Whether a part of one of the windows has not been read yet.
  let isReading: Bool
  let appearance: Appearance
  let width: Int
  let height: Int

  private static let nameColumns = 8

  func picture() -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    picture.row(appearance.glyphs.horizontal, x: 0, y: 0, count: width, style: appearance(.faint))
    let title = [
      LineItem(priority: 9, [TextSpan("comparison", appearance(.strong))]),
      LineItem(priority: 5, [TextSpan("\(facts.metric.shortTitle), these windows", appearance(.secondary))]),
    ]
    TitleRow.add(
      FittedLine(left: title, right: [], width: TitleRow.room(width), gap: 2, middle: 4), to: &picture)
    if isReading {
      // Figures of a part would be taken for those of the window.
      let text = ScatterTitle.reading(appearance)
      picture.put(
        text.text, x: max(1, (width - text.columns) / 2), y: max(1, height / 2), style: appearance(.secondary)
      )
      return picture
    }
    let columns = min(34, max(16, (width - 2 - Self.nameColumns) / 3))
    let heads = ["A \(names[0])", "B \(names[1])", "B \(appearance.glyphs.minus) A"]
    for (place, head) in heads.enumerated() {
      let count = place < 2 ? "  n \(FixedPoint.grouped(facts.counts[place]))" : ""
      let room = max(1, columns - 1 - count.count)
      let name = FittedText.truncated(head, columns: room, ellipsis: appearance.glyphs.ellipsis)
      let text = FittedText.padded(name + count, columns: columns - 1)
      add(text, x: 1 + Self.nameColumns + place * columns, y: 1, columns, appearance(.strong), &picture)
    }
    // One row for values and one for intervals, and a blank one where it fits.
    let step = height >= 3 + facts.rows.count * 3 ? 3 : height >= 2 + facts.rows.count * 2 ? 2 : 1
    for (index, row) in facts.rows.enumerated() {
      let y = 2 + index * step
      guard y < height else { break }
      picture.put(row.quantile.label, x: 1, y: y, style: appearance(.secondary))
      let values = [row.first.figure, row.second.figure, row.difference.figure(appearance.glyphs)]
      for (place, figure) in values.enumerated() {
        let x = 1 + Self.nameColumns + place * columns
        let role: Role =
          figure.interval == nil ? .pending : place == 2 && row.difference.isProven ? .accent : .text
        let isWhole = step == 1 && place == 2 && columns >= 30
        let text = isWhole ? [figure.value, figure.interval ?? ""].joined(separator: " ") : figure.value
        add(FittedText.padded(text, columns: columns - 1), x: x, y: y, columns, appearance(role), &picture)
        guard step > 1, let interval = figure.interval, y + 1 < height else { continue }
        add(
          FittedText.padded(interval, columns: columns - 1), x: x, y: y + 1, columns, appearance(.secondary),
          &picture)
      }
    }
    drawMethod(below: 2 + facts.rows.count * step, &picture)
    return picture
  }

  private func drawMethod(below y: Int, _ picture: inout CellPicture) {
    // A truncated sentence may be misleading: each is shown whole or not at all.
    var y = y
    for sentence in Self.method {
      let lines = NoticeModel.wrapped(sentence, columns: max(1, width - 3))
      guard y + lines.count <= height else { return }
      for line in lines {
        picture.put(line, x: 1, y: y, style: appearance(.secondary))
        y += 1
      }
    }
  }

  /// As in docs/dashboard.md.
  private static let method = [
    "An interval of B - A without 0 in it shows a difference; one with 0 in it shows neither a difference nor that there is none.",
    "Each interval holds with at least 95 % by itself, whatever the distributions are.",
  ]

  /// Names are untrusted: the canvas escapes them.
  private func add(
    _ text: String, x: Int, y: Int, _ columns: Int, _ style: CellStyle, _ picture: inout CellPicture
  ) {
    picture.lines.append(
      CellPicture.Line(x: x, y: y, spans: [TextSpan(text, style)], end: min(width, x + columns)))
  }
}

extension QuantileEstimate {
  fileprivate var figure: (value: String, interval: String?) { (shortText, interval) }
}

extension QuantileDifference {
  /// With its sign: `+120 ms`.
  fileprivate func figure(_ glyphs: GlyphSet) -> (value: String, interval: String?) {
    switch self {
    case .known(let value, let low, let high):
      ((value > 0 ? "+" : "") + LatencyText.text(value), LatencyText.interval(low, high))
    case .tooFew(let needs): ("needs \(FixedPoint.grouped(needs)) each", nil)
    }
  }
}

/// Comparison of the quantiles of two windows.
struct ComparisonFigures: Sendable, Equatable {
  struct Row: Sendable, Equatable {
    let quantile: Quantile
    let first: QuantileEstimate
    let second: QuantileEstimate
    let difference: QuantileDifference
  }

  let metric: Metric
  let counts: [Int]
  let rows: [Row]

  init(_ first: PlotContent, _ second: PlotContent) {
    guard let other = Self(sums: first, second) else {
      self.init(first: first.facts, second: second.facts)
      return
    }
    self = other
  }

  /// `nil` when neither has sums.
  private init?(sums first: PlotContent, _ second: PlotContent) {
    guard first.summary.histogram != nil || second.summary.histogram != nil else { return nil }
    metric = first.facts.metric
    let histograms = [first, second].map { content in
      if let histogram = content.summary.histogram { return histogram }
      var histogram = RangedLatencies<LatencyHistogram>()
      histogram.combine(content.facts.ranged) { sum, values in for value in values { sum.record(value) } }
      return histogram
    }
    counts = histograms.map(\.count)
    rows = WindowSummary.quantiles.map { quantile in
      Row(
        quantile: quantile, first: histograms[0].estimate(quantile), second: histograms[1].estimate(quantile),
        difference: QuantileDifference(quantile, from: histograms[0], to: histograms[1]))
    }
  }

  private init(first: WindowStatistics, second: WindowStatistics) {
    metric = first.metric
    counts = [first.values.count, second.values.count]
    let sorted = [first, second].map { $0.ranged.map { RadixSort.sorted($0) } }
    let exact = sorted.map { $0.map { ExactQuantiles($0) } }
    rows = WindowSummary.quantiles.map { quantile in
      Row(
        quantile: quantile, first: exact[0].estimate { $0.estimate(quantile) },
        second: exact[1].estimate { $0.estimate(quantile) },
        difference: QuantileDifference(quantile, from: sorted[0], to: sorted[1]))
    }
  }
}
