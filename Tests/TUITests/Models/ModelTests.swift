import ConstraintAnimation
import Findings
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("Models of single things")
struct ModelTests {
  @Test("the steps of density grow with the crowd and are the same in every window")
  func density() {
    let levels = (1...1_000).map { Appearance.level(of: UInt16($0)) }
    #expect(levels.first == 0 && levels.last == Appearance.levels - 1)
    #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(Set(levels).count == Appearance.levels)
  }

  @Test("every value of a window falls into one bucket")
  func buckets() {
    var generator = SeededGenerator(seed: 3)
    let values = (0..<700).map { _ in Int64.random(in: 1_000...3_000_000, using: &generator) }
    let axis = LatencyAxis.fitting(kind: .logarithmic, smallest: values.min(), largest: values.max())
    for columns in [9, 40, 100, 180] {
      let buckets = HistogramBuckets(
        axis: axis, columns: columns, now: HistogramBuckets.Values(values),
        before: HistogramBuckets.Values(Array(values.prefix(100))))
      #expect(buckets.now.reduce(0, +) == 700 && buckets.before.reduce(0, +) == 100)
      #expect(buckets.now.count == (columns + buckets.width - 1) / buckets.width)
    }
    #expect(
      [1, 2, 3, 7, 40, 41, 99, 101].map { HistogramModel.roundCount(atLeast: $0) } == [
        2, 2, 4, 8, 40, 50, 100, 120,
      ])
  }

  @Test("what there is no room for goes in the order of its importance, the last never")
  func fitting() {
    func item(_ text: String, _ priority: Int) -> LineItem {
      LineItem(priority: priority, [TextSpan(text, .plain)])
    }
    func line(_ width: Int) -> FittedLine {
      FittedLine(
        left: [item("aaaa", 9), item("bbb", 2), item("cc", 5)], right: [item("dddd", 7)], width: width,
        gap: 1, middle: 2)
    }
    func text(_ line: FittedLine) -> String { (line.left + line.right).map(\.text).joined() }
    #expect(text(line(17)) == "aaaa bbb ccdddd")
    #expect(text(line(16)) == "aaaa ccdddd")
    #expect(text(line(12)) == "aaaadddd")
    #expect(text(line(9)) == "aaaa")
    #expect(text(line(1)) == "aaaa")
    #expect(line(17).leftColumns == 11 && line(17).rightColumns == 4)
  }

  @Test("what can be said in fewer columns is, before it goes, and then stays for as long as it is worth")
  func shortening() {
    func line(_ width: Int) -> String {
      let left = [
        LineItem(priority: 5, [TextSpan("delivered", .plain)]),
        LineItem(
          priority: 3, [TextSpan("lost 7", .plain)],
          short: LineItem.Short(priority: 9, spans: [TextSpan("x7", .plain)])),
      ]
      let right = [LineItem(priority: 7, [TextSpan("p50", .plain)])]
      let line = FittedLine(left: left, right: right, width: width, gap: 1, middle: 1)
      return (line.left + line.right).map(\.text).joined()
    }
    #expect(line(20) == "delivered lost 7p50")
    #expect(line(19) == "delivered x7p50" && line(16) == "delivered x7p50")
    #expect(line(15) == "x7p50" && line(6) == "x7p50")
    #expect(line(5) == "x7" && line(1) == "x7")
  }

  @Test("texts are cut where columns end, also wide ones")
  func truncation() {
    #expect(FittedText.truncated("hello", columns: 5, ellipsis: "…") == "hello")
    #expect(FittedText.truncated("hello!", columns: 5, ellipsis: "…") == "hell…")
    #expect(FittedText.truncated("宽宽宽", columns: 5, ellipsis: "…") == "宽宽…")
    #expect(FittedText.truncated("宽宽宽", columns: 4, ellipsis: "…") == "宽…")
    #expect(FittedText.truncated("hello", columns: 0, ellipsis: "…") == "")
    #expect(FittedText.field("ab", columns: 4, ellipsis: "…") == "ab  ")
    #expect(FittedText.padded("ab", columns: 4) == "  ab")
  }

  @Test("ages in words")
  func words() {
    func age(_ seconds: Int64) -> String {
      Age(since: WallTime(microseconds: 0), now: WallTime(microseconds: seconds * 1_000_000)).description
    }
    #expect(
      [0, 119, 120, 7_199, 7_200, 172_800].map(age) == ["0 s", "119 s", "2 min", "119 min", "2 h", "2 d"])
  }

  @Test("a window's facts count every state and place pending ones by their age")
  func facts() {
    let run = SampleRun(seconds: 110).snapshot
    let window = TimeWindow(
      around: SampleRun.start, at: 0, scale: TimeScale(columnAtLeast: .seconds(1)), columns: 200)
    let facts = WindowStatistics(
      snapshot: run, window: window, targets: [0], metric: .delivery, includesPending: true)
    #expect(facts.counts == run.totals[0])
    #expect(facts.values.count == facts.counts[.delivered] + facts.counts[.late])
    #expect(facts.values.min() == facts.smallest)
    let accept = WindowStatistics(
      snapshot: run, window: window, targets: [0], metric: .accept, includesPending: false)
    #expect(accept.values.count == facts.counts.planned - facts.counts[.failed] - facts.counts[.rejected])
    #expect(accept.values.max() == accept.largest)
    let none = WindowStatistics(
      snapshot: run, window: window, targets: [], metric: .delivery, includesPending: true)
    #expect(none.isEmpty && none.largest == nil && none.smallest == nil)
  }

  @Test("the rate is counted from what went out, second by second")
  func rates() {
    let run = SampleRun(seconds: 110, rate: 50).snapshot
    let rates = RateHistory(snapshot: run, targets: [0])
    #expect(rates.perSecond.count == 30)
    #expect(abs(rates.average(seconds: 30) - 50) < 5)
    #expect(RateHistory(snapshot: Snapshot(), targets: []).average(seconds: 10) == 0)
    let glyphs = GlyphSet(.braille)
    #expect(Sparkline.text([0, 0, 4, 4, 1, 0], glyphs) == " █▁")
    #expect(Sparkline.text([], glyphs) == "")
  }

  @Test("figures of many notifications stay in their column", arguments: [5_281, 163_000, 10_000_000])
  func wideFigures(count: Int) {
    let summary = WindowSummary(metric: .delivery, count: count, isExact: true) { quantile in
      var interval = QuantileInterval(
        independent: .known(value: 753_000, low: 360_000, high: 1_400_000), value: 753_000, count: count)
      interval.effectiveCount = quantile == .p50 ? 66 : Double(count) / 4
      // Its count stands where the others have their interval.
      if quantile == .p999 { interval.high = nil }
      return interval
    }
    let table = QuantileTable(
      summaries: [summary], appearance: Appearance(theme: .dark, colors: .trueColor, glyphs: .braille))
    var picture = CellPicture(width: table.width, height: 5)
    table.draw(&picture, x: 0, y: 0, height: 5)
    let text = (0..<5).map { y in
      String(
        String.UnicodeScalarView((0..<table.width).compactMap { Unicode.Scalar(picture.glyph(x: $0, y: y)) }))
    }
    // The first column of each cell parts it from the one before.
    for (y, line) in text.enumerated() {
      for cell in 0..<4 { #expect(picture.glyph(x: 9 + cell * 17, y: y) == 0x20, "\(line)") }
    }
    #expect(text[3].contains("n 66 of \(CountText.grouped(count))") == (count < 10_000_000), "\(text)")
    #expect(text[3].contains("n \(CountText.grouped(count / 4))"), "\(text)")
  }
}
