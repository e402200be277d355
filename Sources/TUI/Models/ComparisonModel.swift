import ConstraintAnimation
import Findings
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
    var picture = TitleRow.picture(width: width, height: height, appearance)
    let title = [
      LineItem(priority: 9, [TextSpan("comparison", appearance(.strong))]),
      LineItem(priority: 5, [TextSpan("\(facts.metric.shortTitle), these windows", appearance(.secondary))]),
      LineItem(priority: 7, [TextSpan(facts.verdict, appearance(facts.isProven ? .accent : .text))]),
    ]
    TitleRow.add(TitleRow.fitted(title, width: width), to: &picture)
    if isReading {
      // Figures of a part would be taken for those of the window.
      picture.putCentered(appearance.glyphs.reading, style: appearance(.secondary))
      return picture
    }
    // What was planned and what arrived, without which quantiles say little.
    let first = height > 2 + Self.countRows ? 2 + Self.countRows : 2
    let room = height - first
    // One row for values and one for intervals, and one for what the interval means where it fits.
    let step = room >= 1 + facts.rows.count * 3 ? 3 : room >= facts.rows.count * 2 ? 2 : 1
    let columns = Columns(width: width - 1 - Self.nameColumns, isOneRow: step == 1)
    let heads = ["A \(names[0])", "B \(names[1])", "B \(appearance.glyphs.minus) A"]
    for (place, head) in heads.enumerated() {
      let count = place < 2 ? "  n \(CountText.grouped(facts.counts[place]))" : ""
      let isWhole =
        columns[place] > Columns.least || TextSpan(head + count, .plain).columns < columns[place]
      let room = max(1, columns[place] - 1 - (isWhole ? count.count : 0))
      let name = FittedText.truncated(head, columns: room, ellipsis: appearance.glyphs.ellipsis)
      add(isWhole ? name + count : name, in: place, of: columns, y: 1, appearance(.strong), &picture)
    }
    if first > 2 { drawCounts(columns, &picture) }
    for (index, row) in facts.rows.enumerated() {
      let y = first + index * step
      guard y < height else { break }
      picture.put(row.quantile.label, x: 1, y: y, style: appearance(.secondary))
      let values =
        [row.first, row.second].map { ($0.shortText(isASCII: appearance.isASCII), $0.interval) }
        + [row.difference.figure(appearance)]
      for (place, figure) in values.enumerated() {
        let role: Role =
          figure.1 == nil ? .pending : place == 2 && row.difference.isProven ? .accent : .text
        let isWhole = step == 1 && place == 2
        let text = isWhole ? [figure.0, figure.1 ?? ""].joined(separator: " ") : figure.0
        add(text, in: place, of: columns, y: y, appearance(role), &picture)
        guard step > 1, let interval = figure.1, y + 1 < height else { continue }
        add(interval, in: place, of: columns, y: y + 1, appearance(.secondary), &picture)
        if step > 2, place == 2, y + 2 < height, let meaning = row.difference.meaning {
          let style = appearance(row.difference.isProven ? .accent : .secondary)
          add(meaning, in: place, of: columns, y: y + 2, style, &picture)
        }
      }
    }
    drawMethod(below: first + facts.rows.count * step, &picture)
    return picture
  }

  /// The columns of A, B and the difference, which has its interval beside it where there is one row for both.
  private struct Columns {
    private let side: Int
    private let difference: Int
    /// The smallest column in which values and intervals have rows of their own.
    static let least = 16

    init(width: Int, isOneRow: Bool) {
      let share = min(34, max(Self.least, (width - 1) / 3))
      let whole = 26
      (side, difference) = isOneRow && share < whole ? ((width - 1 - whole) / 2, whole) : (share, share)
    }

    subscript(place: Int) -> Int { place < 2 ? side : difference }

    /// Columns to the left of one.
    func start(of place: Int) -> Int { place * side }
  }

  /// Rows of what was planned and what share of it arrived.
  private static let countRows = 2

  private func drawCounts(_ columns: Columns, _ picture: inout CellPicture) {
    let (a, b) = (facts.sides[0], facts.sides[1])
    let due = a.isTruncated || b.isTruncated ? "newest" : "planned"
    let lines = [
      (due, CountText.grouped(a.due), CountText.grouped(b.due), CountText.signed(b.due - a.due)),
      ("arrived", a.arrivedText, b.arrivedText, ComparisonFigures.points(a, b)),
    ]
    for (index, line) in lines.enumerated() {
      picture.put(line.0, x: 1, y: 2 + index, style: appearance(.secondary))
      for (place, text) in [line.1, line.2, line.3].enumerated() {
        add(text, in: place, of: columns, y: 2 + index, appearance(.text), &picture)
      }
    }
  }

  private func drawMethod(below y: Int, _ picture: inout CellPicture) {
    // A truncated sentence may be misleading: each is shown whole or not at all.
    var y = y
    for sentence in Self.method {
      let lines = FittedText.wrapped(sentence, columns: max(1, width - 3))
      guard y + lines.count <= height else { return }
      for line in lines {
        picture.put(line, x: 1, y: y, style: appearance(.secondary))
        y += 1
      }
    }
  }

  /// The method in the words of docs/dashboard.md.
  private static let method = [
    "An interval of B - A without 0 in it shows a difference; one with 0 in it shows neither a difference nor that there is none.",
    "Each interval holds with 95 % by itself and allows for notifications that depend on each other.",
  ]

  /// Right-aligned in a column. Names are untrusted: the canvas escapes them.
  private func add(
    _ text: String, in place: Int, of columns: Columns, y: Int, _ style: CellStyle,
    _ picture: inout CellPicture
  ) {
    let x = 1 + Self.nameColumns + columns.start(of: place)
    let room = columns[place] - 1
    let cut = FittedText.truncated(text, columns: room, ellipsis: appearance.glyphs.ellipsis)
    let span = TextSpan(FittedText.padded(cut, columns: room), style)
    picture.lines.append(
      CellPicture.Line(x: x, y: y, spans: [span], end: min(width, x + columns[place])))
  }
}

extension LatencyDifference {
  /// What the interval means; `nil` without one.
  fileprivate var meaning: String? {
    guard case .known(let value, let low, let high) = self else { return nil }
    guard !isProven else { return value > 0 ? "B is slower" : "B is faster" }
    return low == nil || high == nil ? "an end is open: cannot tell" : "0 is in it: may be equal"
  }

  /// The difference with its sign: `+120 ms`; `≥ +40.0 ms` where the other end is open.
  fileprivate func figure(_ appearance: Appearance) -> (value: String, interval: String?) {
    guard case .known(let value, let low, let high) = self else { return ("", nil) }
    let isASCII = appearance.isASCII
    return switch (low, high) {
    case (let low?, let high?): (LatencyText.signed(value), LatencyText.interval(low, high))
    case (let low?, nil): ("\(isASCII ? ">=" : "≥") \(LatencyText.signed(low))", "upper end open")
    case (nil, let high?): ("\(isASCII ? "<=" : "≤") \(LatencyText.signed(high))", "lower end open")
    case (nil, nil): (LatencyText.signed(value), "both ends open")
    }
  }
}

/// The difference of a quantile between two windows, with a 95 % interval made from the intervals of both.
enum LatencyDifference: Sendable, Hashable {
  /// µs, all three: second less first. An end is `nil` where one that it is made from is not known.
  case known(value: Int64, low: Int64?, high: Int64?)
  /// One of the two quantiles is not known.
  case unknown

  /// The method of variance estimates recovery (Zou & Donner 2008), as `pushscope compare` has it for ratios.
  ///
  /// - Parameter isExact: whether all values are. The errors of values that are known within ranges may all have the same
  ///   sign, and do not cancel out: then the interval reaches from end to end.
  init(from first: QuantileFigure, to second: QuantileFigure, isExact: Bool) {
    guard case .known(let a) = first, case .known(let b) = second else {
      self = .unknown
      return
    }
    let value = b.value - a.value
    /// How far an end of the difference is from its value.
    func distance(_ one: Int64?, _ other: Int64?) -> Int64? {
      guard let one, let other else { return nil }
      guard isExact else { return one + other }
      let (first, second) = (Double(one), Double(other))
      return Int64((first * first + second * second).squareRoot().rounded(.up))
    }
    self = .known(
      value: value,
      low: distance(b.low.map { b.value - $0 }, a.high.map { $0 - a.value }).map { value - $0 },
      high: distance(b.high.map { $0 - b.value }, a.low.map { a.value - $0 }).map { value + $0 })
  }

  /// Whether the interval excludes 0.
  var isProven: Bool {
    guard case .known(_, let low, let high) = self else { return false }
    return low ?? 0 > 0 || high ?? 0 < 0
  }
}

/// Comparison of the quantiles of two windows.
struct ComparisonFigures: Sendable, Equatable {
  struct Row: Sendable, Equatable {
    let quantile: Quantile
    let first: QuantileFigure
    let second: QuantileFigure
    let difference: LatencyDifference
  }

  /// How many notifications of a plot were due, and how many of those that are settled arrived.
  struct Side: Sendable, Equatable {
    let due: Int
    let settled: Int
    let arrived: Int
    /// Only the newest were read.
    let isTruncated: Bool

    init(_ facts: WindowStatistics) {
      isTruncated = facts.isTruncated
      due = facts.counts.due
      settled = facts.counts.settled
      // Where no receipts are expected, the provider's answer is the end.
      arrived = facts.counts.good
    }

    fileprivate var share: Double? { settled > 0 ? Double(arrived) / Double(settled) : nil }

    /// `97.3 %`; 100 % only where all did.
    fileprivate var arrivedText: String {
      settled > 0 ? PercentText.brief(arrived, of: settled) : "none settled"
    }
  }

  let metric: Metric
  let counts: [Int]
  let rows: [Row]
  /// The sides of the first and the second plot.
  let sides: [Side]

  /// The difference of two shares in percent points: `-2.20 points`.
  fileprivate static func points(_ a: Side, _ b: Side) -> String {
    guard let first = a.share, let second = b.share else { return "" }
    return PercentText.points(second - first)
  }

  /// Whether any interval is without 0.
  fileprivate var isProven: Bool { rows.contains { $0.difference.isProven } }

  /// `B is slower at p50 and p90`, or that nothing is shown either way.
  fileprivate var verdict: String {
    func labels(_ isSlower: Bool) -> String {
      rows.filter { row in
        guard case .known(let value, _, _) = row.difference, row.difference.isProven else { return false }
        return (value > 0) == isSlower
      }.map(\.quantile.label).joined(separator: ", ")
    }
    let (slower, faster) = (labels(true), labels(false))
    var words: [String] = []
    if !slower.isEmpty { words.append("B is slower at \(slower)") }
    if !faster.isEmpty { words.append("B is faster at \(faster)") }
    return words.isEmpty ? "neither a difference nor that there is none" : words.joined(separator: ", ")
  }

  init(_ first: PlotContent, _ second: PlotContent) {
    sides = [Side(first.facts), Side(second.facts)]
    metric = first.facts.metric
    let summaries = [first.summary(of: metric), second.summary(of: metric)]
    counts = summaries.map(\.count)
    rows = WindowSummary.quantiles.map { quantile in
      let figures = summaries.map { $0[quantile] }
      return Row(
        quantile: quantile, first: figures[0], second: figures[1],
        difference: LatencyDifference(
          from: figures[0], to: figures[1], isExact: summaries.allSatisfy(\.isExact)))
    }
  }
}
